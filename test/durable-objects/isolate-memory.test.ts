import { evictDurableObject } from 'cloudflare:test';
import { describe, expect, test } from 'vitest';
import { IsolateMemory, isolateMemory, type Tenant } from '#objects/search-shard/isolate-memory.ts';
import type { SearchShard } from '#objects/search-shard.ts';
import { directionOf, document, put, shardOf } from './shard.ts';
import { ring, useVectorize } from './vectorize-shard.ts';

/** As vitest.config.ts has it: of a shard's about 2 MB, so many fit. */
const LIMIT = 8 * 1_048_576;
const FIT = 4;

describe('shards of one isolate', () => {
  test('twelve asked in turn stay within the budget and answer as each did by itself', async () => {
    const shards = await Promise.all(Array.from({ length: 12 }, (_, number) => filled(number)));
    const alone: unknown[] = [];
    for (const shard of shards) {
      await evictDurableObject(shard);
      alone.push(await answerOf(shard));
    }
    expect(new Set(alone.map((each) => JSON.stringify(each))).size).toBe(12);
    const { drops } = isolateMemory.counts;
    for (let round = 0; round < 3; round++) {
      for (const [number, shard] of shards.entries()) {
        expect(await answerOf(shard)).toEqual(alone[number]);
        expect(isolateMemory.bytes).toBeLessThanOrEqual(LIMIT);
      }
    }
    expect(isolateMemory.counts.drops - drops).toBeGreaterThan(20);
  });

  test('asked all at once and in between with writes, nothing is lost', async () => {
    const shards = await Promise.all(Array.from({ length: 12 }, (_, number) => filled(number)));
    for (let version = 2; version <= 4; version++) {
      await Promise.all(
        shards.map(async (shard, number) => {
          await put(shard, document('changing', version), [`word${number} turn${version}`]);
          expect(await textsOf(shard, `turn${version}`)).toEqual([`word${number} turn${version}`]);
          expect(await textsOf(shard, `turn${version - 1}`)).toEqual([]);
        }),
      );
      expect(isolateMemory.bytes).toBeLessThanOrEqual(LIMIT);
    }
  });

  test('who was asked last stays', async () => {
    const shards = await Promise.all(Array.from({ length: 12 }, (_, number) => filled(number)));
    const [kept, ...others] = shards;
    await answerOf(kept!);
    for (const other of others) {
      await answerOf(other);
      const { wakes } = isolateMemory.counts;
      await answerOf(kept!);
      expect(isolateMemory.counts.wakes).toBe(wakes);
    }
    await answerOf(others.at(-FIT + 2)!);
    const { wakes } = isolateMemory.counts;
    await answerOf(others[0]!);
    expect(isolateMemory.counts.wakes).toBe(wakes + 1);
  });
});

describe('while Vectorize is asked', () => {
  const vectorize = useVectorize(0);

  test('what the query has looked at stays', async () => {
    const shard = await filled(1);
    await ring(shard);
    const others = Array.from({ length: 8 }, () => crypto.randomUUID());
    await Promise.all(others.map((indexId, number) => filled(number + 2, indexId)));
    const before = await answerOf(shard);
    const { current } = vectorize;
    const ask = current.query.bind(current);
    let wakes = 0;
    current.query = async (...args) => {
      for (const other of others) await textsOf(shardOf(other, 0), 'common');
      ({ wakes } = isolateMemory.counts);
      return ask(...args);
    };
    expect(await answerOf(shard)).toEqual(before);
    expect(wakes).toBeGreaterThan(0);
    expect(isolateMemory.counts.wakes).toBe(wakes);
  });
});

describe('the budget', () => {
  test('the least recently asked go first, as few as it takes, and nobody who is pinned', () => {
    const memory = new IsolateMemory();
    const [first, second, third, fourth] = Array.from({ length: 4 }, () => new Held(10));
    for (const each of [first!, second!, third!]) memory.asked(each);
    memory.asked(first!);
    second!.isPinned = true;
    memory.asked(fourth!);
    memory.makeRoom(fourth!, 5, 35);
    expect([first, second, third, fourth].map((each) => each!.bytes)).toEqual([10, 10, 0, 10]);
    expect(memory.bytes).toBe(30);
  });

  test('who is idle goes whole before anybody trims, and nobody else goes whole where trimming is enough', () => {
    let now = 0;
    const memory = new IsolateMemory(() => now);
    const [idle, first, second, last] = Array.from({ length: 4 }, () => new Held(10, 4));
    memory.asked(idle!);
    now = 10_001;
    for (const each of [first!, second!, last!]) memory.asked(each);
    memory.makeRoom(last!, 5, 35);
    expect([idle, first, second, last].map((each) => each!.bytes)).toEqual([0, 10, 10, 10]);
    memory.makeRoom(last!, 12, 35);
    expect([first, second, last].map((each) => each!.bytes)).toEqual([6, 6, 10]);
    memory.makeRoom(last!, 15, 35);
    expect([first, second, last].map((each) => each!.bytes)).toEqual([0, 6, 10]);
  });

  test('for what can be done without only the idle go', () => {
    let now = 0;
    const memory = new IsolateMemory(() => now);
    const [idle, hot, last] = Array.from({ length: 3 }, () => new Held(10, 4));
    memory.asked(idle!);
    now = 10_001;
    for (const each of [hot!, last!]) memory.asked(each);
    memory.dropIdle(last!, 20, 30);
    expect([idle, hot, last].map((each) => each!.bytes)).toEqual([0, 10, 10]);
  });

  test('one that does not fit is let in alone', () => {
    const memory = new IsolateMemory();
    const [first, second, large] = [new Held(10), new Held(10), new Held(0)];
    for (const each of [first, second, large]) memory.asked(each);
    memory.makeRoom(large, 100, 50);
    expect([first.bytes, second.bytes]).toEqual([0, 0]);
  });
});

class Held implements Tenant {
  bytes: number;
  isPinned = false;
  #spare: number;

  /** `spare`: of these, those that it can do without. */
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

/** A shard with forty chunks, more than are compared without their codes. */
async function filled(
  number: number,
  indexId = crypto.randomUUID(),
): Promise<DurableObjectStub<SearchShard>> {
  const shard = shardOf(indexId, 0);
  const texts = Array.from(
    { length: 40 },
    (_, i) => `common word${number} ${'filler '.repeat((i * number) % 7)}${i}`,
  );
  await put(shard, document(`document ${number}`), texts);
  return shard;
}

async function answerOf(shard: DurableObjectStub<SearchShard>) {
  const { dense, sparse, chunks } = await shard.query({
    text: 'common 17',
    vector: directionOf('common'),
    denseTopK: 3,
    sparseTopK: 5,
  });
  return { dense, sparse, texts: chunks.map(({ text }) => text) };
}

async function textsOf(shard: DurableObjectStub<SearchShard>, text: string): Promise<string[]> {
  const { chunks } = await shard.query({ text, denseTopK: 0, sparseTopK: 3 });
  return chunks.map((chunk) => chunk.text);
}
