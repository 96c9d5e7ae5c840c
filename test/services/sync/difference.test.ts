import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { createContext } from '#src/context.ts';
import { pipelines } from '#src/db/schema/index.ts';
import { targetIndex } from '#src/services/indexes/lifecycle.ts';
import { type Difference, differences, PAGE } from '#src/services/sync/difference.ts';
import { createPipeline } from '#test/support/pipelines.ts';

/** Odd, as a first file has no text of its name: a page ends between a file and the text that is called like it. */
const PAIRS = PAGE + 1;

const COUNTED = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${PAIRS})`;

async function pages(pipelineId: string, fileIds: string[] | null = null): Promise<Difference[]> {
  const ctx = createContext(env, { waitUntil() {} } as never);
  const [pipeline] = await ctx.db.select().from(pipelines).where(eq(pipelines.id, pipelineId));
  const index = await targetIndex(ctx, pipeline!, 1);
  const read: Difference[] = [];
  for await (const difference of differences(ctx, pipeline!, index, fileIds)) read.push(difference);
  return read;
}

/** Files that differ from the index, texts that are called like them, and index entries that belong to nothing. */
async function manyDifferences(): Promise<string> {
  const id = await createPipeline();
  await pages(id);
  const file = `'file-' || ?1 || '-' || i`;
  const statements = [
    `${COUNTED}, every(i) as (select 0 union all select i from n)
     insert into files (id, project_id, name, content_hash)
     select ${file}, (select project_id from pipelines where id = ?1), 'a file', 'bytes' from every`,
    `insert into pipeline_members (id, pipeline_id, kind, document_id, file_id)
     select 'of-' || id, ?1, 'file', id, id from files where id like 'file-' || ?1 || '-%'`,
    `${COUNTED} insert into pipeline_members (id, pipeline_id, kind, document_id, content_hash, text_id, metadata,
       excluded_embed_metadata_keys, excluded_llm_metadata_keys)
     select 'text-' || ?1 || i, ?1, 'text', ${file}, 'text', 'text', '{}', '[]', '[]' from n`,
    `${COUNTED} insert into indexed_documents (index_id, document_id, shard, last_shard, version, chunk_count,
       content_fingerprint, metadata_fingerprint)
     select (select id from pipeline_indexes where pipeline_id = ?1), 'gone-' || i, 0, 0, 1, 1, '', '' from n`,
  ];
  await env.DB.batch(statements.map((statement) => env.DB.prepare(statement).bind(id)));
  return id;
}

it('gives every file, text and orphan once, however many pages they take', async () => {
  const id = await manyDifferences();
  const read = await pages(id);
  const members = read.flatMap((page) => page.members);
  const ofKind = (kind: string) =>
    members.filter((each) => each.kind === kind).map((each) => each.documentId);
  expect([ofKind('file').length, new Set(ofKind('file')).size]).toEqual([PAIRS + 1, PAIRS + 1]);
  expect([ofKind('text').length, new Set(ofKind('text')).size]).toEqual([PAIRS, PAIRS]);
  const removed = read.flatMap((page) => page.removedIds);
  expect([removed.length, new Set(removed).size]).toEqual([PAIRS, PAIRS]);
  for (const page of read) expect(page.members.length + page.removedIds.length).toBeLessThanOrEqual(PAGE);
});

it('gives of named files all, and nothing else', async () => {
  const id = await manyDifferences();
  const named = Array.from({ length: PAIRS }, (_, i) => `file-${id}-${i}`);
  const read = await pages(id, named);
  expect(read.flatMap((page) => page.removedIds)).toEqual([]);
  const members = read.flatMap((page) => page.members);
  expect(members.map((each) => each.documentId).sort()).toEqual(named.sort());
  expect(new Set(members.map((each) => each.kind))).toEqual(new Set(['file']));
});
