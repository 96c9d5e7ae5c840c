import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { type Context, createContext } from '#src/context/context.ts';
import { indexedDocuments, pipelineIndexes } from '#src/db/schema/index.ts';
import { SharedFailure } from '#src/ingest/index.ts';
import { Upstream } from '#src/lib/errors.ts';
import { createBatchedEmbedder } from '#src/models/embedding/shared/batched.ts';
import { toReleaseFailure } from '#src/services/sync/item-result.ts';
import { performItems } from '#src/services/sync/perform-items.ts';
import { ClaimLost } from '#src/work/held-lease.ts';
import type { Claim } from '#src/work/sync-owner.ts';
import { call } from '#test/support/client.ts';
import { createPipeline, retrieve, statusOf, sync, untilFinished } from '#test/support/pipelines.ts';

const execution = { waitUntil() {}, passThroughOnException() {}, props: {} };
const context = () => createContext(env, execution);
const wanted = async () => {};

const makeId = (n: number) => `note-${n}`;
const makeText = (n: number, what = 'herring') => `Marker${n}x stands here. The gull eats ${what}.`;
const put = (id: string, documents: { id: string; text: string }[]) =>
  call('PUT', `/api/v1/pipelines/${id}/documents`, {
    body: documents.map((each) => ({ ...each, metadata: {} })),
  });

/** Creates a pipeline with documents that are not indexed and belong to no run. */
async function waiting(count: number) {
  const id = await createPipeline();
  const documents = Array.from({ length: count }, (_, n) => ({ id: makeId(n), text: makeText(n) }));
  await put(id, documents);
  await untilFinished(id);
  const { db } = context();
  const index = (await db.query.pipelineIndexes.findFirst({ where: eq(pipelineIndexes.pipelineId, id) }))!;
  await db.delete(indexedDocuments).where(eq(indexedDocuments.indexId, index.id));
  return { id, index, ids: documents.map((each) => each.id) };
}

const createClaim = (ids: string[]): Extract<Claim, { go: true }> => ({
  go: true,
  items: ids.map((id) => ({ item: { id: `document:${id}`, kind: 'document', documentId: id }, attempt: 1 })),
  generation: 1,
  jobId: crypto.randomUUID(),
  version: Date.now(),
});

const listIndexedIds = async (indexId: string) =>
  (await context().db.query.indexedDocuments.findMany({ where: eq(indexedDocuments.indexId, indexId) }))
    .filter(({ version }) => version > 0)
    .map(({ documentId }) => documentId)
    .sort();

/** Returns the context with another embedding model. */
function embeddingWith(
  embedBatch: (texts: string[]) => Promise<number[][]>,
  more: { workers?: number; batchSize?: number } = {},
): Context {
  const real = context();
  const { log } = real;
  const calls = { modelId: 'counting', dimension: 0, batchSize: 100, workers: 1, retries: 0, log };
  const models = {
    ...real.models,
    embedding: () => createBatchedEmbedder({ ...calls, ...more, embedBatch }),
  };
  return { ...real, models };
}
/** Returns the context and calls `tell` whenever documents are written to a shard. */
function hearing(ctx: Context, tell: () => void): Context {
  const searchShard: Context['objects']['searchShard'] = (...which) =>
    new Proxy(ctx.objects.searchShard(...which), {
      get: (target, name) => {
        if (name === 'stageMany') tell();
        return Reflect.get(target, name);
      },
    });
  return { ...ctx, objects: { ...ctx.objects, searchShard } };
}

const vectors = (texts: string[]) =>
  texts.map((_, n) => Array.from({ length: 384 }, (_, k) => 1 + ((n + k) % 7)));

describe('items that are processed together', () => {
  it('are embedded in full batches, with limited concurrency, and staged together', async () => {
    const { id, index, ids } = await waiting(310);
    const sizes: number[] = [];
    let [now, most, stagings] = [0, 0, 0];
    const threeAtOnce = Promise.withResolvers<void>();
    const ctx = embeddingWith(
      async (texts) => {
        sizes.push(texts.length);
        now += 1;
        most = Math.max(most, now);
        // The first calls wait for each other. Another turn of the event loop would let a fourth call begin.
        if (now === 3) threeAtOnce.resolve();
        await threeAtOnce.promise;
        await scheduler.wait(0);
        now -= 1;
        return vectors(texts);
      },
      { workers: 3 },
    );
    const results = await performItems(
      hearing(ctx, () => {
        stagings += 1;
      }),
      id,
      createClaim(ids),
      wanted,
    );
    expect(results.every(({ status }) => status === 'fulfilled')).toBe(true);
    expect(sizes).toEqual([100, 100, 100, 10]);
    expect(most).toBe(3);
    expect(stagings).toBe(2);
    expect(await listIndexedIds(index.id)).toHaveLength(310);
  });

  it('are indexed even if the model rejects the text of one item', async () => {
    const { id, index, ids } = await waiting(9);
    const ctx = embeddingWith(async (texts) => {
      if (texts.some((text) => text.includes(`${makeText(4)}`))) {
        throw new Upstream('no such words', { retryable: false, status: 400 });
      }
      return vectors(texts);
    });
    const results = await performItems(ctx, id, createClaim(ids), wanted);
    const failed = results.flatMap((each, n) =>
      each.status === 'fulfilled' && 'error' in each.value ? [n] : [],
    );
    expect(failed).toEqual([4]);
    expect(await listIndexedIds(index.id)).toEqual(ids.filter((each) => each !== makeId(4)));
    expect((await statusOf(id)).counts).toEqual({ SUCCESS: 8, ERROR: 1 });
  });

  it('fail together if one call fails, with the retry delay of the upstream', async () => {
    const { id, ids } = await waiting(3);
    const ctx = embeddingWith(async () => {
      throw new Upstream('slow down', { retryable: true, retryAfter: 90 });
    });
    const results = await performItems(ctx, id, createClaim(ids), wanted);
    for (const each of results) {
      expect(each).toMatchObject({ status: 'rejected', reason: expect.any(SharedFailure) });
      expect(toReleaseFailure((each as PromiseRejectedResult).reason)).toMatchObject({
        message: expect.stringContaining('slow down'),
        retryAfterSeconds: 90,
        together: true,
      });
    }
  });

  it('leave out an item that is deleted while they are embedded', async () => {
    const { id, index, ids } = await waiting(5);
    let isDeleted = false;
    const ctx = embeddingWith(async (texts) => {
      if (!isDeleted) await call('DELETE', `/api/v1/pipelines/${id}/documents/${makeId(2)}`);
      isDeleted = true;
      return vectors(texts);
    });
    const results = await performItems(ctx, id, createClaim(ids), wanted);
    expect(results.map(({ status }) => status)).toEqual(
      [0, 1, 2, 3, 4].map((n) => (n === 2 ? 'rejected' : 'fulfilled')),
    );
    expect(await listIndexedIds(index.id)).toEqual(ids.filter((each) => each !== makeId(2)));
    const found = await retrieve(id, 'herring', { alpha: 0, enable_reranking: false });
    expect(found.map(({ node }) => node.text).filter((text) => text.includes('Marker2x'))).toEqual([]);
    expect(found).toHaveLength(4);
  });

  it('use the new text of an item that is changed while they are embedded', async () => {
    const { id, ids } = await waiting(4);
    let isChanged = false;
    const ctx = embeddingWith(async (texts) => {
      if (!isChanged) await put(id, [{ id: makeId(1), text: makeText(1, 'krill') }]);
      isChanged = true;
      return vectors(texts);
    });
    await performItems(ctx, id, createClaim(ids), wanted);
    expect(await sync(id)).toMatchObject({ status: 'SUCCESS', counts: { SUCCESS: 4 } });
    const found = await retrieve(id, 'krill Marker1x', { alpha: 0, enable_reranking: false });
    const own = found.filter(({ node }) => node.text.includes('Marker1x'));
    expect(own.map(({ node }) => node.text)).toEqual([makeText(1, 'krill')]);
  });

  it('write nothing once their claim is lost', async () => {
    const { id, index, ids } = await waiting(4);
    let [isWanted, stagings] = [true, 0];
    const ctx = embeddingWith(async (texts) => {
      isWanted = false;
      return vectors(texts);
    });
    const heard = hearing(ctx, () => {
      stagings += 1;
    });
    const work = performItems(heard, id, createClaim(ids), async () => {
      if (!isWanted) throw new ClaimLost();
    });
    await expect(work).rejects.toBeInstanceOf(ClaimLost);
    expect(stagings).toBe(0);
    expect(await listIndexedIds(index.id)).toEqual([]);
  });
});
