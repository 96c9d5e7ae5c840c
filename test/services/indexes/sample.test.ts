import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import type { PipelineIndex } from '#src/db/schema/index.ts';
import { createDirectory } from '#src/services/indexes/directory.ts';
import { createPipeline } from '#test/support/pipelines.ts';

const COUNT = 3_000;
const PARTS = 4;
const ROUNDS = 20;
/** Ids in alphabetical order. A tenth of them are far behind the others, as clients may choose them. */
const ids = Array.from({ length: COUNT }, (_, at) =>
  at % 10 === 0 ? `zzz-${at}` : `01a2-${String(at).padStart(6, '0')}`,
).sort();

/** Creates an index whose directory contains these documents. */
async function createIndex(): Promise<PipelineIndex> {
  const id = crypto.randomUUID();
  const index = env.DB.prepare(
    "insert into pipeline_indexes (id, pipeline_id, config_hash, state) values (?, ?, 'sample', 'live')",
  );
  const documents = env.DB.prepare(
    `insert into indexed_documents (index_id, document_id, shard, last_shard, version, chunk_count,
      content_fingerprint, metadata_fingerprint) select ?, value, 0, 0, 1, 1, '', '' from json_each(?)`,
  );
  await env.DB.batch([index.bind(id, await createPipeline()), documents.bind(id, JSON.stringify(ids))]);
  return { id, shards: 1, openShard: 0 } as PipelineIndex;
}

it('a sample reaches all parts of an index, even if the ids of some documents are far from the others', async () => {
  const ctx = createContext(env, { waitUntil() {} } as never);
  const directory = createDirectory(ctx, await createIndex());
  const seen = new Set<string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { documentId } of await directory.sampleIndexed()) seen.add(documentId);
  }
  const size = COUNT / PARTS;
  for (let part = 0; part < PARTS; part += 1) {
    const own = ids.slice(part * size, (part + 1) * size);
    expect(own.filter((id) => seen.has(id)).length).toBeGreaterThan(100);
  }
});
