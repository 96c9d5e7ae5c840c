import { describe, expect, test } from 'vitest';
import type { SearchHit } from '#src/ports/index-types.ts';
import { compareHits, fuse, mergeArm } from '#src/search/fusion.ts';

const hit = (id: string, score: number): SearchHit => ({ id, documentId: `of ${id}`, position: 0, score });

test('mergeArm merges hits of several shards like one index, with ties ordered by document', () => {
  const merged = mergeArm([[hit('c', 3), hit('b', 1)], [hit('d', 2), hit('a', 1)], []], 3);
  expect(merged.map(({ id }) => id)).toEqual(['c', 'd', 'a']);
});

test('compareHits orders by score, document, position and id', () => {
  const later = { ...hit('a', 1), position: 1 };
  const ordered = [
    hit('b', 2),
    hit('a', 1),
    later,
    { ...later, id: 'aa' },
    { ...hit('0', 1), documentId: 'of b' },
    hit('c', 1),
  ];
  for (const [at, one] of ordered.entries()) {
    for (const [beside, other] of ordered.entries()) {
      expect(Math.sign(compareHits(one, other))).toBe(Math.sign(at - beside));
    }
  }
});

describe('fusion', () => {
  const dense = [hit('a', 0.9), hit('b', 0.8), hit('c', 0.1)];
  const sparse = [hit('d', 12), hit('b', 11)];

  test('returns the dense arm for alpha 1 and the sparse arm for alpha 0, with original scores', () => {
    expect(fuse(dense, sparse, 1).map(({ id, score }) => [id, score])).toEqual(
      dense.map(({ id, score }) => [id, score]),
    );
    expect(fuse(dense, sparse, 0).map(({ id, score }) => [id, score])).toEqual([
      ['d', 12],
      ['b', 11],
    ]);
  });

  test('ranks hits of both arms first and keeps scores between 0 and 1', () => {
    const fused = fuse(dense, sparse, 0.5);
    expect(fused[0]).toMatchObject({ id: 'b', documentId: 'of b', dense: 0.8, sparse: 11 });
    expect(fused.map(({ id }) => id)).toHaveLength(4);
    for (const { score } of fused) expect(score > 0 && score <= 1).toBe(true);
  });

  test('is not affected by a constant offset of similarities', () => {
    const shifted = dense.map((each) => ({ ...each, score: each.score - 0.1 }));
    const order = (arm: SearchHit[]) => fuse(arm, sparse, 0.5).map(({ id }) => id);
    expect(order(shifted)).toEqual(order(dense));
  });

  test('shifts the balance with alpha', () => {
    expect(
      fuse(dense, sparse, 0.9)
        .map(({ id }) => id)
        .indexOf('a'),
    ).toBeLessThan(
      fuse(dense, sparse, 0.1)
        .map(({ id }) => id)
        .indexOf('a'),
    );
  });

  test('breaks ties by id in any input order', () => {
    const tied = (ids: string[]) =>
      fuse(
        ids.map((id) => hit(id, 0.5)),
        ids.map((id) => hit(id, 4)),
        0.3,
      ).map(({ id }) => id);
    expect(tied(['c', 'a', 'b'])).toEqual(['a', 'b', 'c']);
    expect(tied(['b', 'c', 'a'])).toEqual(['a', 'b', 'c']);
  });

  test('scores a hit without dense score like the last dense hit, and one without sparse score as 0', () => {
    const scores = Object.fromEntries(fuse(dense, sparse, 0.5).map(({ id, score }) => [id, score]));
    expect(scores).toEqual({
      a: 0.5 * 0.9,
      b: 0.5 * 0.8 + (0.5 * 11) / 12,
      c: 0.5 * 0.1,
      d: 0.5 * 0.1 + 0.5,
    });
  });

  test('keeps the order of one arm if the other is empty', () => {
    expect(fuse([], sparse, 0.3).map(({ id }) => id)).toEqual(['d', 'b']);
    expect(fuse(dense, [], 0.3).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(fuse([], [], 0.3)).toEqual([]);
  });

  test('applies the similarity cutoff to the dense arm only', () => {
    const near = [hit('a', 0.9), hit('x', 0.3), hit('y', 0.2)];
    const words = [hit('x', 2), hit('far', 1)];
    const scores = (...input: Parameters<typeof fuse>) => fuse(...input).map(({ id, score }) => [id, score]);
    expect(scores(near, words, 0.5, 0.5)).toEqual([
      ['x', 0.5],
      ['a', 0.45],
      ['far', 0.25],
    ]);
    // A lower cutoff changes nothing.
    expect(scores(near, words, 0.5, 0.2)).toEqual(scores(near, words, 0.5));
    expect(scores(near, words, 1, 0.5)).toEqual([['a', 0.9]]);
    expect(scores(near, words, 0, 0.5)).toEqual(scores(near, words, 0));
    expect(scores([], words, 0.5, 0.5)).toEqual([
      ['x', 0.5],
      ['far', 0.25],
    ]);
  });

  test('gives the same result for shards as for one index', () => {
    const split = (hits: SearchHit[]) =>
      [0, 1].map((shard) => hits.filter((_, index) => index % 2 === shard));
    for (const alpha of [0, 0.1, 0.5, 1]) {
      const sharded = fuse(mergeArm(split(dense), 3), mergeArm(split(sparse), 3), alpha);
      expect(sharded).toEqual(fuse(dense, sparse, alpha));
    }
  });
});
