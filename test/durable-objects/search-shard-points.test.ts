import { describe, expect, it } from 'vitest';
import { chunks, document, freshShard, put } from './shard.ts';

const texts = (count: number) => Array.from({ length: count }, (_, i) => `text ${i}`);
const names = (places: { documentId: string; version: number; position: number }[]) =>
  places.map(({ documentId, version, position }) => `${documentId}/${version}/${position}`).sort();

describe('samplePoints', () => {
  it('returns all published points if there are no more than requested', async () => {
    const shard = freshShard();
    await put(shard, document('a'), texts(3));
    await put(shard, document('b', 7), texts(2));
    await shard.stage(document('b', 8), chunks('b', 8, texts(4)));
    await shard.remove(['gone'], 9);
    expect(names(await shard.samplePoints(6))).toEqual(['a/1/0', 'a/1/1', 'a/1/2', 'b/7/0', 'b/7/1']);
    expect(names(await shard.publishedPoints(['b', 'unknown']))).toEqual(['b/7/0', 'b/7/1']);
  });

  it('includes the newest points and a random part of the others, without duplicates', async () => {
    const shard = freshShard();
    for (let at = 0; at < 20; at++) await put(shard, document(`old ${at}`), texts(10));
    await put(shard, document('old 3', 5), texts(10));
    const drawn = new Set<string>();
    for (let times = 0; times < 5; times++) {
      const sample = names(await shard.samplePoints(20));
      expect(new Set(sample).size).toBe(sample.length);
      expect(sample.length).toBeLessThanOrEqual(20);
      expect(sample.filter((name) => name.startsWith('old 3/5/'))).toHaveLength(10);
      for (const name of sample) drawn.add(name);
    }
    expect(drawn.size).toBeGreaterThan(20);
  });

  it('leaves out points written after the given time', async () => {
    const shard = freshShard();
    await put(shard, document('a', 1_000), texts(1));
    await put(shard, document('b', 2_000), texts(1));
    expect(names(await shard.samplePoints(5, 1_999))).toEqual(['a/1000/0']);
    expect(await shard.samplePoints(5, 999)).toEqual([]);
  });
});
