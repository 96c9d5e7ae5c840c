import { describe, expect, test } from 'vitest';
import type { SearchHit } from '#src/ports/index-types.ts';
import { compareHits, fuse, mergeArm } from '#src/search/fusion.ts';

const hit = (id: string, score: number): SearchHit => ({ id, documentId: `of ${id}`, position: 0, score });

test('an arm merges over shards as if there were one, ties by document', () => {
  const merged = mergeArm([[hit('c', 3), hit('b', 1)], [hit('d', 2), hit('a', 1)], []], 3);
  expect(merged.map(({ id }) => id)).toEqual(['c', 'd', 'a']);
});

test('hits are ordered by score, document, position and id, and no hit precedes itself', () => {
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

  test('alpha 1 is the dense arm, alpha 0 the sparse one, with their own scores', () => {
    expect(fuse(dense, sparse, 1).map(({ id, score }) => [id, score])).toEqual(
      dense.map(({ id, score }) => [id, score]),
    );
    expect(fuse(dense, sparse, 0).map(({ id, score }) => [id, score])).toEqual([
      ['d', 12],
      ['b', 11],
    ]);
  });

  test('in between, what both arms found comes first and scores stay within 0 and 1', () => {
    const fused = fuse(dense, sparse, 0.5);
    expect(fused[0]).toMatchObject({ id: 'b', documentId: 'of b', dense: 0.8, sparse: 11 });
    expect(fused.map(({ id }) => id)).toHaveLength(4);
    for (const { score } of fused) expect(score > 0 && score <= 1).toBe(true);
  });

  test('a common offset of the similarities changes no order', () => {
    const shifted = dense.map((each) => ({ ...each, score: each.score - 0.1 }));
    const order = (arm: SearchHit[]) => fuse(arm, sparse, 0.5).map(({ id }) => id);
    expect(order(shifted)).toEqual(order(dense));
  });

  test('alpha moves the balance', () => {
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

  test('ties go by id, whatever order the arms come in', () => {
    const tied = (ids: string[]) =>
      fuse(
        ids.map((id) => hit(id, 0.5)),
        ids.map((id) => hit(id, 4)),
        0.3,
      ).map(({ id }) => id);
    expect(tied(['c', 'a', 'b'])).toEqual(['a', 'b', 'c']);
    expect(tied(['b', 'c', 'a'])).toEqual(['a', 'b', 'c']);
  });

  test('a hit that the dense arm lacks counts as near as its last, one that the sparse arm lacks as nothing', () => {
    const scores = Object.fromEntries(fuse(dense, sparse, 0.5).map(({ id, score }) => [id, score]));
    expect(scores).toEqual({
      a: 0.5 * 0.9,
      b: 0.5 * 0.8 + (0.5 * 11) / 12,
      c: 0.5 * 0.1,
      d: 0.5 * 0.1 + 0.5,
    });
  });

  test('without one arm the other keeps its order', () => {
    expect(fuse([], sparse, 0.3).map(({ id }) => id)).toEqual(['d', 'b']);
    expect(fuse(dense, [], 0.3).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    expect(fuse([], [], 0.3)).toEqual([]);
  });

  test('a cutoff bounds what the dense arm contributes; what is found by words stays', () => {
    const near = [hit('a', 0.9), hit('x', 0.3), hit('y', 0.2)];
    const words = [hit('x', 2), hit('far', 1)];
    const scores = (...input: Parameters<typeof fuse>) => fuse(...input).map(({ id, score }) => [id, score]);
    expect(scores(near, words, 0.5, 0.5)).toEqual([
      ['x', 0.5],
      ['a', 0.45],
      ['far', 0.25],
    ]);
    // Above it nothing changes.
    expect(scores(near, words, 0.5, 0.2)).toEqual(scores(near, words, 0.5));
    expect(scores(near, words, 1, 0.5)).toEqual([['a', 0.9]]);
    expect(scores(near, words, 0, 0.5)).toEqual(scores(near, words, 0));
    expect(scores([], words, 0.5, 0.5)).toEqual([
      ['x', 0.5],
      ['far', 0.25],
    ]);
  });

  test('over shards is what one index would have answered', () => {
    const split = (hits: SearchHit[]) =>
      [0, 1].map((shard) => hits.filter((_, index) => index % 2 === shard));
    for (const alpha of [0, 0.1, 0.5, 1]) {
      const sharded = fuse(mergeArm(split(dense), 3), mergeArm(split(sparse), 3), alpha);
      expect(sharded).toEqual(fuse(dense, sparse, alpha));
    }
  });
});
