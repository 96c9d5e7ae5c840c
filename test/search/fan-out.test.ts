import { describe, expect, it } from 'vitest';
import type { ShardAnswer, ShardQuery, SplitDocuments } from '#src/ports/shard.ts';
import { type KnownSplit, queryShards } from '#src/search/fan-out.ts';

const ARMS = { denseTopK: 10, sparseTopK: 10 };

/** Versions of the document `d`, which spans two shards. */
const version = (number: number): SplitDocuments => ({ d: { version: number, chunkCount: 2 } });

/**
 * Creates the two shards of an index. The first decides the version of `d` that the queries may see: each call takes
 * the next of these versions, and the last one stays. Both hold one chunk of every version.
 */
function createShards(...versions: number[]) {
  const queries: ShardQuery[] = [];
  const asked: string[] = [];
  let calls = 0;
  const decide = () => version(versions[Math.min(calls++, versions.length - 1)]!);
  const create = (name: string, decides: boolean, documentFrequency: number) => ({
    async statistics(text: string) {
      asked.push(`${name} ${text}`);
      const statistics = {
        documentCount: 3,
        totalLength: 30,
        documentFrequency: { [text]: documentFrequency },
      };
      return decides ? { ...statistics, decided: decide() } : statistics;
    },
    async query(query: ShardQuery): Promise<ShardAnswer> {
      queries.push(query);
      const decided = decides ? decide() : {};
      const held = Object.fromEntries(Object.keys(query.split ?? {}).map((id) => [id, 1]));
      return { dense: [], sparse: [], chunks: [], timings: {}, split: { decided, held } };
    },
  });
  return { shards: [create('first', true, 2), create('second', false, 1)], queries, asked };
}

describe('a query of several shards', () => {
  it('asks a single shard alone, without statistics of others', async () => {
    const { shards, queries, asked } = createShards(1);
    await queryShards(shards.slice(0, 1), { ...ARMS, text: 'oranges' });
    expect(queries).toEqual([{ ...ARMS, text: 'oranges' }]);
    expect(asked).toEqual([]);
  });

  it('gives each shard the statistics of all shards', async () => {
    const { shards, queries } = createShards(1);
    await queryShards(shards, { ...ARMS, text: 'oranges' }, { split: version(1) });
    const statistics = { documentCount: 6, totalLength: 60, documentFrequency: { oranges: 3 } };
    expect(queries.map((query) => query.statistics)).toEqual([statistics, statistics]);
  });

  it('needs no statistics without a text', async () => {
    const { shards, queries, asked } = createShards(1);
    await queryShards(shards, { ...ARMS, vector: new Float32Array([1]) }, { split: version(1) });
    expect(asked).toEqual([]);
    expect(queries.map((query) => query.statistics)).toEqual([undefined, undefined]);
  });

  it('takes the statistics again if the visible version has changed', async () => {
    const { shards, queries, asked } = createShards(2);
    const known: KnownSplit = { split: version(1) };
    await queryShards(shards, { ...ARMS, text: 'oranges' }, known);
    expect(asked).toEqual(['first oranges', 'second oranges', 'first oranges', 'second oranges']);
    expect(queries.map(({ split }) => split)).toEqual([version(2), version(2)]);
    expect(known.split).toEqual(version(2));
  });

  it('is repeated with the version that the first shard decides', async () => {
    const { shards, queries } = createShards(5);
    const known: KnownSplit = { split: {} };
    await queryShards(shards, ARMS, known);
    expect(queries.map(({ split }) => split)).toEqual([undefined, undefined, version(5), version(5)]);
    expect(known.split).toEqual(version(5));
  });

  it('leaves out a document that still changes after six attempts', async () => {
    const { shards, queries } = createShards(1, 2, 3, 4, 5, 6, 7, 8, 9);
    const known: KnownSplit = { split: {} };
    await queryShards(shards, ARMS, known);
    const attempts = queries.filter((_, index) => index % 2 === 0).map(({ split }) => split?.d?.version);
    expect(attempts).toEqual([undefined, 1, 2, 3, 4, 5, undefined]);
    expect(known.split).toEqual({});
  });

  it('is repeated if a shard lacks a chunk of the visible version', async () => {
    const { shards, queries } = createShards(1);
    const [first, second] = shards as [(typeof shards)[0], (typeof shards)[0]];
    const lacking = {
      ...second,
      async query(query: ShardQuery): Promise<ShardAnswer> {
        const isFirstAttempt = queries.length < 2;
        const answer = await second.query(query);
        return isFirstAttempt ? { ...answer, split: { decided: {}, held: {} } } : answer;
      },
    };
    await queryShards([first, lacking], ARMS, { split: version(1) });
    expect(queries).toHaveLength(4);
  });
});
