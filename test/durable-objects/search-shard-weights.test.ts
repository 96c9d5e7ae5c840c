import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { describe, expect, test } from 'vitest';
import type { SearchShard } from '#objects/search-shard.ts';
import type { IndexedChunk, SparseVector } from '#src/ports/index-types.ts';
import type { Shard as ShardPort } from '#src/ports/shard.ts';
import { queryShards } from '#src/search/fan-out.ts';
import { chunks, document, freshShard, freshShards, put, sparse } from './shard.ts';

type Shard = DurableObjectStub<SearchShard>;

/** Weights by the number of the term. */
type Weights = Record<number, number>;

const toVector = (weights: Weights): SparseVector => ({
  indexes: Uint32Array.from(Object.keys(weights), Number),
  values: Float32Array.from(Object.values(weights)),
});

/** Returns a document with one chunk for each of the given weights. */
function weighed(documentId: string, weights: Weights[], version = 1, title = 'harbour.pdf') {
  const of = document(documentId, version, { title, keywords: 'quay', hasWeights: true });
  const texts = weights.map((_, at) => `harbour ${at}`);
  const staged = chunks(documentId, version, texts).map(
    (chunk, at): IndexedChunk => ({ ...chunk, weights: toVector(weights[at]!) }),
  );
  return { document: of, chunks: staged, chunkCount: staged.length };
}

const add = (shard: Pick<ShardPort, 'stageMany'>, ...parts: ReturnType<typeof weighed>[]) =>
  shard.stageMany(parts);

async function ask(shard: Pick<ShardPort, 'query'>, weights: Weights, sparseTopK = 10) {
  const answer = await shard.query({ weights: toVector(weights), denseTopK: 0, sparseTopK });
  return answer.sparse.map(
    ({ documentId, position, score }) => [`${documentId} ${position}`, score] as const,
  );
}

const names = (found: Awaited<ReturnType<typeof ask>>) => found.map(([name]) => name);

async function settle(shard: Shard): Promise<void> {
  while (await runDurableObjectAlarm(shard)) {
    // Runs alarms until none is due.
  }
}

/** Returns the dot product of two sparse vectors. */
function multiply(a: Weights, b: Weights): number {
  return Object.entries(a).reduce((sum, [index, value]) => sum + value * (b[Number(index)] ?? 0), 0);
}

describe('a shard with weights of a learned model', () => {
  test('scores chunks by the dot product of their weights and those of the query', async () => {
    const shard = freshShard();
    const stored: Weights[] = [
      { 1: 2, 2: 0.5 },
      { 2: 1.5, 3: 0.75 },
      { 4: 0.02, 2: 0.01 },
    ];
    await add(shard, weighed('a', stored), weighed('b', [{ 1: 1, 3: 3 }]));
    const query = { 1: 0.5, 2: 2, 4: 8 };
    const found = new Map(await ask(shard, query));
    expect([...found.keys()].sort()).toEqual(['a 0', 'a 1', 'a 2', 'b 0']);
    for (const [at, weights] of stored.entries()) {
      const largest = Math.max(...Object.values(weights));
      // Each stored weight differs by at most half of 1/255 of the largest weight.
      const tolerance = (10.5 * 0.5 * largest) / 255;
      expect(Math.abs(found.get(`a ${at}`)! - multiply(query, weights))).toBeLessThanOrEqual(tolerance);
    }
    expect(found.get('b 0')).toBeCloseTo(0.5 * (Math.round(255 / 3) / 255) * 3, 5);
    expect(await ask(shard, { 99: 1 })).toEqual([]);
    expect(await ask(shard, {})).toEqual([]);
    expect(names(await ask(shard, query, 1))).toEqual(['a 1']);
  });

  test('gives the same scores after it was evicted, and after its postings were merged', async () => {
    const shard = freshShard();
    await add(shard, weighed('a', [{ 1: Math.PI, 2: 1 / 3 }]), weighed('b', [{ 2: 1e-3 }]));
    const query = { 1: 1, 2: 7 };
    const before = await ask(shard, query);
    expect(before).toHaveLength(2);
    await evictDurableObject(shard);
    expect(await ask(shard, query)).toEqual(before);
    await settle(shard);
    await settle(shard);
    expect(await ask(shard, query)).toEqual(before);
  });

  test('finds no removed or replaced document', async () => {
    const shard = freshShard();
    await add(shard, weighed('a', [{ 1: 1 }]), weighed('b', [{ 1: 2 }]));
    await shard.remove(['b'], 5);
    expect(names(await ask(shard, { 1: 1 }))).toEqual(['a 0']);
    await add(shard, weighed('a', [{ 2: 1 }], 2));
    expect(await ask(shard, { 1: 1 })).toEqual([]);
    expect(names(await ask(shard, { 2: 1 }))).toEqual(['a 0']);
  });

  test('passes filters', async () => {
    const shard = freshShard();
    const one = weighed('a', [{ 1: 1 }]);
    await add(
      shard,
      { ...one, document: { ...one.document, metadata: { port: 'north' } } },
      weighed('b', [{ 1: 1 }]),
    );
    const filters = {
      condition: 'and' as const,
      filters: [{ key: 'port', operator: '==' as const, value: 'north' }],
    };
    const answer = await shard.query({ weights: toVector({ 1: 1 }), denseTopK: 0, sparseTopK: 10, filters });
    expect(answer.sparse.map(({ documentId }) => documentId)).toEqual(['a']);
    expect(answer.wordCounts).toBeUndefined();
  });

  test.each(['together', 'one by one'])(
    'stores no words of texts, titles and keywords, staged %s',
    async (how) => {
      const shard = freshShard();
      const parts = [weighed('a', [{ 1: 1 }]), weighed('b', [{ 1: 1 }])];
      if (how === 'together') await add(shard, ...parts);
      else for (const each of parts) await shard.stage(each.document, each.chunks, each.chunkCount);
      await shard.describe({ documentId: 'a', title: 'renamed harbour', metadata: {}, hasWeights: true });
      for (const word of ['harbour', 'quay', 'renamed']) expect(await sparse(shard, word)).toEqual([]);
      const blocks = await runInDurableObject(shard, (_, { storage }) =>
        storage.sql.exec('SELECT term FROM title_block').toArray(),
      );
      expect(blocks).toEqual([]);
      const [chunk] = await shard.listChunks('a');
      expect(chunk).toMatchObject({ title: 'renamed harbour', text: 'harbour 0' });
    },
  );

  test('is not found by words, and a shard with words is not found by weights', async () => {
    const shard = freshShard();
    await put(shard, document('a', 1), ['harbour #1 1']);
    expect(await ask(shard, { 1: 1 })).toEqual([]);
    expect(await sparse(shard, 'harbour')).toHaveLength(1);
  });

  test('answers like one large shard together with other shards', async () => {
    const all = Array.from({ length: 30 }, (_, at) =>
      weighed(`d${String(at).padStart(2, '0')}`, [{ [at % 5]: 1 + at / 7, 9: 0.1 + at / 100 }]),
    );
    const whole = freshShard();
    await add(whole, ...all);
    const parts = freshShards(3);
    for (const [at, shard] of parts.entries())
      await add(shard, ...all.filter((_, place) => place % 3 === at));
    const query = { 1: 1.5, 3: 0.7, 9: 2 };
    const together = { query: (asked: Parameters<ShardPort['query']>[0]) => queryShards(parts, asked) };
    const expected = await ask(whole, query, 12);
    expect(expected).toHaveLength(12);
    expect(await ask(together, query, 12)).toEqual(expected);
  });
});
