import { expect, test } from 'vitest';
import type { Passage } from '#bench/scale/corpus.ts';
import { placeByArrival, placeByCentroid, placeBySource } from '#bench/scale/placement.ts';
import { createRandom } from '#bench/scale/random.ts';
import { rankByVector, WordIndex } from '#bench/scale/ranks.ts';
import { interleave, rateByCentroids, rateByWords, sortByRating } from '#bench/scale/routing.ts';
import { computeDirection, dot } from '#bench/scale/vectors.ts';

const CAPACITY = 40;
const SUBJECTS = ['harbour', 'orchard', 'glacier', 'railway'];

/** Returns documents of one to three passages, similar to their subject in words and vector. */
function passages(): Passage[] {
  const next = createRandom(11);
  return Array.from({ length: 150 }, (_, document) => {
    const subject = document % SUBJECTS.length;
    return Array.from({ length: 1 + Math.floor(next() * 3) }, () => {
      const vector = Float32Array.from({ length: 8 }, (_, i) => (i === subject ? 3 : 0) + next() - 0.5);
      const terms = new Map([
        [`en:${SUBJECTS[subject]}`, 1 + Math.floor(next() * 3)],
        [`en:common`, 1 + Math.floor(next() * 5)],
        [`en:word${Math.floor(next() * 20)}`, 1],
      ]);
      return {
        documentId: `d${document}`,
        vector: computeDirection([vector]),
        terms,
        length: 5 + Math.floor(next() * 30),
      };
    });
  }).flat();
}

const all = passages();
const question = (text: string, subject: number) => ({
  text,
  vector: Float32Array.from({ length: 8 }, (_, i) => (i === subject ? 1 : 0)),
  relevant: new Map(),
});

test.each(Object.entries({ placeByArrival, placeBySource, placeByCentroid }))(
  '%s puts every passage into exactly one shard and respects the capacity',
  (_, place) => {
    const shards = place(all, CAPACITY);
    expect(shards.flat().sort((a, b) => a - b)).toEqual(all.map((_, number) => number));
    expect(Math.max(...shards.map(({ length }) => length))).toBeLessThanOrEqual(CAPACITY);
    const shardsByPassage = new Map<string, Set<number>>();
    for (const [shard, numbers] of shards.entries()) {
      for (const number of numbers) {
        const { documentId } = all[number]!;
        shardsByPassage.set(documentId, (shardsByPassage.get(documentId) ?? new Set()).add(shard));
      }
    }
    expect([...shardsByPassage.values()].every(({ size }) => size === 1)).toBe(true);
  },
);

test('centroid placement groups passages by subject, and the centroids identify the best shard', () => {
  const findSubject = (number: number) => Number(all[number]!.documentId.slice(1)) % SUBJECTS.length;
  const measureShare = (numbers: number[], subject: number) =>
    numbers.filter((number) => findSubject(number) === subject).length / numbers.length;
  const purity = (shards: number[][]) =>
    shards.reduce(
      (sum, numbers) => sum + Math.max(...SUBJECTS.map((_, subject) => measureShare(numbers, subject))),
      0,
    ) / shards.length;
  const shards = placeByCentroid(all, CAPACITY);
  expect(purity(shards)).toBeGreaterThan(0.85);
  expect(purity(placeByArrival(all, CAPACITY))).toBeLessThan(0.5);
  for (const count of [1, 3]) {
    const outlook = rateByCentroids(all, shards, count);
    for (const subject of SUBJECTS.keys()) {
      const [best] = sortByRating(outlook(question('', subject)));
      expect(measureShare(shards[best!]!, subject)).toBeGreaterThan(0.85);
    }
  }
});

test('word score bounds of a shard are never below the score of any of its passages', () => {
  const index = new WordIndex(all);
  const shards = placeByArrival(all, CAPACITY);
  const outlook = rateByWords(index, shards);
  for (const text of ['harbour common', 'railway word3 word7', 'glacier']) {
    const asked = question(text, 0);
    const bounds = outlook(asked);
    const { passages: found, scores } = index.rank(asked);
    expect(found.length).toBeGreaterThan(20);
    for (const [at, number] of found.entries()) {
      const shard = shards.findIndex((numbers) => numbers.includes(number));
      expect(scores[at]!).toBeLessThanOrEqual(bounds[shard]! + 1e-9);
    }
    // A single term reaches its bound.
    if (text === 'glacier') expect(Math.max(...bounds)).toBeCloseTo(scores[0]!, 9);
  }
});

test('rankings list the best passage first', () => {
  const asked = question('orchard', 1);
  const { passages: found, scores } = rankByVector(all, asked);
  expect(found).toHaveLength(all.length);
  expect(scores).toEqual([...scores].sort((a, b) => b - a));
  expect(scores[0]).toBe(Math.max(...all.map(({ vector }) => dot(vector, asked.vector))));
  const words = new WordIndex(all).rank(asked);
  expect(words.passages.every((number) => all[number]!.terms.has('en:orchard'))).toBe(true);
});

test('alternating two orders visits each shard once', () => {
  expect(interleave([2, 0, 1], [0, 1, 2])).toEqual([2, 0, 1]);
  expect(interleave([0, 1, 2, 3], [3, 2, 1, 0])).toEqual([0, 3, 1, 2]);
});
