import { evictDurableObject } from 'cloudflare:test';
import { describe, expect, test } from 'vitest';
import { IsolateMemory, isolateMemory, type MemoryHolder } from '#objects/search-shard/isolate-memory.ts';
import type { SearchShard } from '#objects/search-shard.ts';
import { document, getShard, put, toDirection } from './shard.ts';
import { ring, useVectorize } from './vectorize-shard.ts';

/** Memory budget, as configured in vitest.config.ts. A shard takes about 2 MB. */
const LIMIT = 8 * 1_048_576;
const FIT = 4;

describe('shards in one isolate', () => {
  test('twelve shards queried in turn stay within the memory budget and return the same results', async () => {
    const shards = await Promise.all(Array.from({ length: 12 }, (_, number) => filled(number)));
    const alone: unknown[] = [];
    for (const shard of shards) {
      await evictDurableObject(shard);
      alone.push(await queryShard(shard));
    }
    expect(new Set(alone.map((each) => JSON.stringify(each))).size).toBe(12);
    const { drops } = isolateMemory.counts;
    for (let round = 0; round < 3; round++) {
      for (const [number, shard] of shards.entries()) {
        expect(await queryShard(shard)).toEqual(alone[number]);
        expect(isolateMemory.bytes).toBeLessThanOrEqual(LIMIT);
      }
    }
    expect(isolateMemory.counts.drops - drops).toBeGreaterThan(20);
  });

  test('concurrent queries and writes lose nothing', async () => {
    const shards = await Promise.all(Array.from({ length: 12 }, (_, number) => filled(number)));
    for (let version = 2; version <= 4; version++) {
      await Promise.all(
        shards.map(async (shard, number) => {
          await put(shard, document('changing', version), [`word${number} turn${version}`]);
          expect(await findTexts(shard, `turn${version}`)).toEqual([`word${number} turn${version}`]);
          expect(await findTexts(shard, `turn${version - 1}`)).toEqual([]);
        }),
      );
      expect(isolateMemory.bytes).toBeLessThanOrEqual(LIMIT);
    }
  });

  test('the most recently queried shard stays in memory', async () => {
    const shards = await Promise.all(Array.from({ length: 12 }, (_, number) => filled(number)));
    const [kept, ...others] = shards;
    await queryShard(kept!);
    for (const other of others) {
      await queryShard(other);
      const { wakes } = isolateMemory.counts;
      await queryShard(kept!);
      expect(isolateMemory.counts.wakes).toBe(wakes);
    }
    await queryShard(others.at(-FIT + 2)!);
    const { wakes } = isolateMemory.counts;
    await queryShard(others[0]!);
    expect(isolateMemory.counts.wakes).toBe(wakes + 1);
  });
});

describe('during a Vectorize query', () => {
  const vectorize = useVectorize(0);

  test('the shard of the query stays in memory', async () => {
    const shard = await filled(1);
    await ring(shard);
    const others = Array.from({ length: 8 }, () => crypto.randomUUID());
    await Promise.all(others.map((indexId, number) => filled(number + 2, indexId)));
    const before = await queryShard(shard);
    const { current } = vectorize;
    const ask = current.query.bind(current);
    let wakes = 0;
    current.query = async (...args) => {
      for (const other of others) await findTexts(getShard(other, 0), 'common');
      ({ wakes } = isolateMemory.counts);
      return ask(...args);
    };
    expect(await queryShard(shard)).toEqual(before);
    expect(wakes).toBeGreaterThan(0);
    expect(isolateMemory.counts.wakes).toBe(wakes);
  });
});

describe('the memory budget', () => {
  test('evicts as few holders as necessary, least recently used first, and no pinned holder', () => {
    const memory = new IsolateMemory();
    const [first, second, third, fourth] = Array.from({ length: 4 }, () => new Held(10));
    for (const each of [first!, second!, third!]) memory.markUsed(each);
    memory.markUsed(first!);
    second!.isPinned = true;
    memory.markUsed(fourth!);
    memory.reserve(fourth!, 5, 35);
    expect([first, second, third, fourth].map((each) => each!.bytes)).toEqual([10, 10, 0, 10]);
    expect(memory.bytes).toBe(30);
  });

  test('evicts idle holders before it trims active ones, and evicts an active one only if trimming is not enough', () => {
    let now = 0;
    const memory = new IsolateMemory(() => now);
    const [idle, first, second, last] = Array.from({ length: 4 }, () => new Held(10, 4));
    memory.markUsed(idle!);
    now = 10_001;
    for (const each of [first!, second!, last!]) memory.markUsed(each);
    memory.reserve(last!, 5, 35);
    expect([idle, first, second, last].map((each) => each!.bytes)).toEqual([0, 10, 10, 10]);
    memory.reserve(last!, 12, 35);
    expect([first, second, last].map((each) => each!.bytes)).toEqual([6, 6, 10]);
    memory.reserve(last!, 15, 35);
    expect([first, second, last].map((each) => each!.bytes)).toEqual([0, 6, 10]);
  });

  test('dropIdle evicts only idle holders', () => {
    let now = 0;
    const memory = new IsolateMemory(() => now);
    const [idle, hot, last] = Array.from({ length: 3 }, () => new Held(10, 4));
    memory.markUsed(idle!);
    now = 10_001;
    for (const each of [hot!, last!]) memory.markUsed(each);
    memory.dropIdle(last!, 20, 30);
    expect([idle, hot, last].map((each) => each!.bytes)).toEqual([0, 10, 10]);
  });

  test('admits a holder above the limit alone', () => {
    const memory = new IsolateMemory();
    const [first, second, large] = [new Held(10), new Held(10), new Held(0)];
    for (const each of [first, second, large]) memory.markUsed(each);
    memory.reserve(large, 100, 50);
    expect([first.bytes, second.bytes]).toEqual([0, 0]);
  });
});

class Held implements MemoryHolder {
  bytes: number;
  isPinned = false;
  #spare: number;

  /** `spare` is the number of bytes that trimming can free. */
  constructor(bytes: number, spare = 0) {
    this.bytes = bytes;
    this.#spare = spare;
  }

  trim(): void {
    this.bytes -= this.#spare;
    this.#spare = 0;
  }

  drop(): void {
    this.bytes = 0;
  }
}

/** Creates a shard with forty chunks, which is enough to build quantized codes. */
async function filled(
  number: number,
  indexId = crypto.randomUUID(),
): Promise<DurableObjectStub<SearchShard>> {
  const shard = getShard(indexId, 0);
  const texts = Array.from(
    { length: 40 },
    (_, i) => `common word${number} ${'filler '.repeat((i * number) % 7)}${i}`,
  );
  await put(shard, document(`document ${number}`), texts);
  return shard;
}

async function queryShard(shard: DurableObjectStub<SearchShard>) {
  const { dense, sparse, chunks } = await shard.query({
    text: 'common 17',
    vector: toDirection('common'),
    denseTopK: 3,
    sparseTopK: 5,
  });
  return { dense, sparse, texts: chunks.map(({ text }) => text) };
}

async function findTexts(shard: DurableObjectStub<SearchShard>, text: string): Promise<string[]> {
  const { chunks } = await shard.query({ text, denseTopK: 0, sparseTopK: 3 });
  return chunks.map((chunk) => chunk.text);
}
