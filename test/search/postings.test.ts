import { describe, expect, test } from 'vitest';
import {
  addPostings,
  filterPostings,
  findInBlock,
  joinPostings,
  mergeStreams,
  type Postings,
  packBlocks,
  unpackBlock,
} from '#src/search/postings.ts';

const postings = (...ids: number[]): Postings => ({
  ids: Uint16Array.from(ids),
  frequencies: Uint8Array.from(ids, (id) => (id % 7) + 1),
});

const entries: [string, Postings][] = Array.from({ length: 200 }, (_, i) => [
  `en:${String(i).padStart(3, '0')}${i % 3 === 0 ? 'é' : ''}`,
  postings(...Array.from({ length: (i % 11) + 1 }, (_, j) => i * 300 + j)),
]);

describe('addPostings', () => {
  test('adds frequencies up to 255 in any order and keeps no state', () => {
    const left: Postings = { ids: Uint16Array.of(9, 4, 65_535), frequencies: Uint8Array.of(200, 1, 3) };
    const right: Postings = { ids: Uint16Array.of(65_535, 0, 9), frequencies: Uint8Array.of(2, 5, 100) };
    const both = new Map([
      [9, 255],
      [4, 1],
      [65_535, 5],
      [0, 5],
    ]);
    const byId = ({ ids, frequencies }: Postings) => new Map([...ids].map((id, i) => [id, frequencies[i]!]));
    expect(byId(addPostings(left, right))).toEqual(both);
    expect(byId(addPostings(right, left))).toEqual(both);
    expect(addPostings(left, right).ids).toHaveLength(4);
    expect(byId(addPostings(left, postings(0)))).toEqual(new Map([...byId(left), [0, 1]]));
  });
});

describe('posting blocks', () => {
  test('unpack to the packed entries for any block size', () => {
    for (const size of [1, 100, 1_000, 1_000_000]) {
      const blocks = [...packBlocks(entries, size)];
      const unpacked = blocks.flatMap(({ body }) => [...unpackBlock(body.buffer as ArrayBuffer)]);
      expect(unpacked).toEqual(entries);
      expect(blocks.map(({ first }) => first)).toEqual(
        blocks.map(({ body }) => [...unpackBlock(body.buffer as ArrayBuffer)][0]![0]),
      );
    }
    expect([...packBlocks(entries, 1)]).toHaveLength(200);
    expect([...packBlocks(entries, 1_000_000)]).toHaveLength(1);
  });

  test('find a term in a block and return undefined for others', () => {
    const [block] = [...packBlocks(entries, 1_000_000)];
    expect(findInBlock(block!.body.buffer as ArrayBuffer, 'en:004')).toEqual(entries[4]![1]);
    expect(findInBlock(block!.body.buffer as ArrayBuffer, 'en:0041')).toBeUndefined();
  });

  test('omit terms without postings', () => {
    expect([...packBlocks([['en:none', postings()]], 100)]).toEqual([]);
  });
});

test('merging joins postings by term and keeps code point order', () => {
  const streams = [
    [
      ['a', postings(1)],
      ['\u{ff5e}', postings(2)],
    ],
    [
      ['a', postings(3)],
      ['b', postings(4)],
      ['\u{1f600}', postings(5)],
    ],
  ] as [string, Postings][][];
  const merged = [...mergeStreams(streams.map((stream) => stream[Symbol.iterator]()))];
  expect(merged).toEqual([
    ['a', postings(1, 3)],
    ['b', postings(4)],
    ['\u{ff5e}', postings(2)],
    ['\u{1f600}', postings(5)],
  ]);
});

test('filterPostings drops ids with their frequencies', () => {
  expect(filterPostings(postings(1, 2, 3, 4), (id) => id % 2 === 0)).toEqual(postings(2, 4));
  expect(joinPostings([])).toEqual(postings());
});
