import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import type { SearchShard } from '#objects/search-shard.ts';
import type { IndexedChunk, IndexedDocument } from '#src/ports/index-types.ts';
import type { Shard } from '#src/ports/shard.ts';
import type { Bindings } from '#src/settings/env.ts';
import { createObjects } from '#src/work/objects.ts';
import { chunks } from '#test/suites/sink/content.ts';

export { chunks, document, toDirection } from '#test/suites/sink/content.ts';

const namespace = (env as unknown as { SEARCH_SHARD: DurableObjectNamespace<SearchShard> }).SEARCH_SHARD;
export const objects = createObjects(env as unknown as Bindings);

/** Returns a shard that no other test uses. */
export function freshShard(): DurableObjectStub<SearchShard> {
  return getShard(crypto.randomUUID(), 0);
}

/** Returns the stub of a shard. */
export function getShard(indexId: string, number: number): DurableObjectStub<SearchShard> {
  return namespace.getByName(`${indexId}/${number}`);
}

/** Returns the shards of a new index as the service opens them. */
export function freshShards(count: number): Shard[] {
  const indexId = crypto.randomUUID();
  return Array.from({ length: count }, (_, number) => objects.searchShard(indexId, number));
}

export async function put(
  shard: DurableObjectStub<SearchShard>,
  of: IndexedDocument,
  texts: string[],
  rest: Partial<IndexedChunk> = {},
): Promise<void> {
  const staged = chunks(of.documentId, of.version, texts).map((chunk) => ({ ...chunk, ...rest }));
  await shard.stage(of, staged);
  await shard.publish(of.documentId, of.version, staged.length);
}

export async function sparse(shard: DurableObjectStub<SearchShard>, text: string, k = 10): Promise<string[]> {
  const answer = await shard.query({ text, denseTopK: 0, sparseTopK: k });
  return answer.sparse.map((hit) => hit.id);
}

/** Marks all local ids of a shard from this one on as used. */
export async function occupy(shard: DurableObjectStub<SearchShard>, from: number): Promise<void> {
  await runInDurableObject(shard, (_, state) => {
    state.storage.sql.exec(`
      WITH RECURSIVE taken (local) AS (SELECT ${from} UNION ALL SELECT local + 1 FROM taken WHERE local < 65535)
      INSERT INTO chunk SELECT local, 0, local, local, 0, 1 FROM taken`);
  });
  await evictDurableObject(shard);
}

/** Returns the error that a call is rejected with. */
export async function failure(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error,
  );
}
