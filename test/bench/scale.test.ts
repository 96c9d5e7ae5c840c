import { describe, expect, test } from 'vitest';
import { PRICES } from '#bench/cost/prices.ts';
import { INGESTION, PGVECTOR, PLATFORM, ROUTED, SHARD, VECTORIZE } from '#bench/scale/constants.ts';
import { computeIngestion } from '#bench/scale/ingestion.ts';
import {
  computeDatabaseDollars,
  computeDollarsPerMillion,
  computeDollarsPerMonth,
  computeMaxQueriesPerSecond,
  computeWork,
  countShards,
  describeLimit,
} from '#bench/scale/model.ts';
import { createRandom } from '#bench/scale/random.ts';
import { simulate } from '#bench/scale/simulate.ts';

const full = SHARD.chunks.value;

describe('query cost', () => {
  test('fills one shard before starting the next', () => {
    expect([1, full, full + 1, 10 * full].map(countShards)).toEqual([1, 1, 2, 10]);
  });

  test('needs one round for a single shard and two rounds for several shards', () => {
    expect(computeWork('all shards', full)).toMatchObject({ asked: 1, rounds: 1, requests: 1 });
    expect(computeWork('all shards', 5 * full)).toMatchObject({ asked: 5, rounds: 2, requests: 10 });
  });

  test('does not reduce shard calls when vectors are in an external store', () => {
    expect(computeWork('Vectorize', 5 * full)).toMatchObject({ requests: 10, elsewhere: 5 });
    expect(computeWork('pgvector', 5 * full)).toMatchObject({ requests: 10, elsewhere: 1 });
  });

  test('asks only part of the shards in one round, plus the directory, when routing', () => {
    const shards = Math.ceil(20 * ROUTED.shardsMore.value);
    const asked = Math.ceil(shards * ROUTED.asked.value);
    expect(computeWork('routed', 20 * full)).toMatchObject({ shards, asked, rounds: 1, requests: asked + 1 });
    expect(computeWork('routed', full).requests).toBe(1);
  });

  test('sums bytes and rows over all answers', () => {
    const { bytes, longBytes, rows } = computeWork('all shards', 3 * full);
    expect(bytes).toBe(3 * (SHARD.answerBytes.value + SHARD.statisticsBytes.value));
    expect(longBytes - bytes).toBe(3 * 60 * (SHARD.longText.value - SHARD.text.value));
    expect(rows).toBe(3 * (SHARD.queryRows.value + SHARD.statisticsRows.value));
    expect(computeWork('all shards', full).rows).toBe(SHARD.queryRows.value);
    const rateByWords = computeWork('pgvector', 3 * full);
    expect(rateByWords.bytes).toBe(3 * (SHARD.wordsBytes.value + SHARD.statisticsBytes.value));
    expect(rateByWords.longBytes - rateByWords.bytes).toBe(
      3 * 30 * (SHARD.longText.value - SHARD.text.value),
    );
  });
});

describe('prices', () => {
  test('of a million queries include calls, compute time and rows read', () => {
    const seconds = (4 * (SHARD.query.value + SHARD.statistics.value)) / 1000;
    const rows = 4 * (SHARD.queryRows.value + SHARD.statisticsRows.value);
    const calls = 8 * PRICES['object requests']!.dollarsPerMillion;
    const time = seconds * PRICES['object seconds']!.dollarsPerMillion;
    const read = rows * PRICES['object rows read']!.dollarsPerMillion;
    expect(computeDollarsPerMillion('all shards', computeWork('all shards', 4 * full))).toBeCloseTo(
      calls + time + read,
      9,
    );
  });

  test('of Vectorize include queried dimensions per shard and the time that shards wait', () => {
    const asked = computeWork('Vectorize', 4 * full);
    const more = computeDollarsPerMillion('Vectorize', asked) - computeDollarsPerMillion('all shards', asked);
    const waiting = (4 * VECTORIZE.p50.value * PRICES['object seconds']!.dollarsPerMillion) / 1000;
    expect(more).toBeCloseTo(4 * SHARD.dimension.value * VECTORIZE.queried.value + waiting, 9);
  });

  test('of a month depend on what is stored and where', () => {
    const chunks = 1e6;
    const ours = computeDollarsPerMonth('all shards', chunks);
    expect(ours).toBeCloseTo((chunks * SHARD.storedBytes.value * 0.2) / 1e9, 9);
    const dimensions = chunks * SHARD.dimension.value;
    expect(computeDollarsPerMonth('Vectorize', chunks) - ours).toBeCloseTo(
      (dimensions * VECTORIZE.queried.value) / 1e6 + (dimensions * VECTORIZE.stored.value) / 1e8,
      9,
    );
    const vectors = (chunks * SHARD.vectorBytes.value * 0.2) / 1e9;
    expect(computeDollarsPerMonth('pgvector', chunks)).toBeCloseTo(
      ours - vectors + computeDatabaseDollars(chunks),
      9,
    );
  });

  test('of a pgvector database grow with the graph, and several databases are used when none is large enough', () => {
    const holding = (gigabytes: number) => (gigabytes * 1e6) / PGVECTOR.memory.value;
    expect([1, 9, 16, 256, 257].map((gigabytes) => computeDatabaseDollars(holding(gigabytes)))).toEqual([
      10, 210, 210, 3_730, 7_460,
    ]);
  });
});

describe('ingestion', () => {
  test('of small documents costs rows, and lasts as long as one shard needs', () => {
    const { hours, dollars, metadataBytes } = computeIngestion('all shards', 1e6, 1);
    expect(hours).toBeCloseTo(INGESTION.objectSeconds.value / 3_600, 9);
    expect(metadataBytes).toBe(1e6 * INGESTION.metadataBytes.value);
    const rows = INGESTION.objectRows.value + INGESTION.databaseRows.value;
    expect(dollars).toBeGreaterThan(rows);
    expect(dollars).toBeLessThan(rows + 10);
  });

  test('into a store in native mode writes no rows of shards', () => {
    const { dollars } = computeIngestion('native', 1e6, 1);
    expect(dollars).toBeGreaterThan(INGESTION.databaseRows.value);
    expect(dollars).toBeLessThan(INGESTION.databaseRows.value + 10);
  });

  test('needs another database for each 10 GB of metadata', () => {
    const inBucket = INGESTION.metadataBytes.value - INGESTION.textBytes.value;
    const documents = (databases: number) => Math.floor((databases * 1e10) / inBucket);
    expect(computeIngestion('all shards', documents(1), 1).databases).toBe(1);
    expect(computeIngestion('all shards', documents(1) + 1, 1).databases).toBe(2);
    expect(computeIngestion('all shards', 10 * documents(1), 10).databases).toBe(1);
  });
});

describe('limits', () => {
  test('name the limit that is exceeded', () => {
    const of = (way: 'all shards' | 'Vectorize', chunks: number) =>
      describeLimit(way, chunks, computeWork(way, chunks));
    expect(of('all shards', 1e6)).toBe('');
    expect(of('all shards', 1e8)).toContain('MB');
    expect(of('all shards', 1e9)).toContain('calls per request');
    expect(of('Vectorize', VECTORIZE.mostVectors.value)).not.toContain('Vectorize');
    expect(of('Vectorize', VECTORIZE.mostVectors.value + 1)).toContain('Vectorize');
  });

  test('allow the same query rate for any size, because each shard answers every query', () => {
    const busy = (SHARD.query.value + SHARD.statistics.value) / 1000;
    const most = (chunks: number) =>
      computeMaxQueriesPerSecond('all shards', computeWork('all shards', chunks));
    expect(most(1e6)).toBeCloseTo(1 / busy, 9);
    expect(most(1e8)).toBeCloseTo(most(1e6), 9);
  });
});

describe('latency', () => {
  const load = { seed: 5, queries: 1_000, rate: 1, callP50: 4, callP99: 40 };

  test('is identical for the same seed', () => {
    expect(simulate('all shards', 1e6, load)).toEqual(simulate('all shards', 1e6, load));
    expect(simulate('all shards', 1e6, { ...load, seed: 6 })).not.toEqual(simulate('all shards', 1e6, load));
    const next = createRandom(1);
    const numbers = Array.from({ length: 1_000 }, next);
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
    expect(numbers.reduce((a, b) => a + b, 0) / 1_000).toBeCloseTo(0.5, 1);
  });

  test('for one shard is one call plus its work', () => {
    const { p50 } = simulate('all shards', full, { ...load, callP50: 100, callP99: 100.001 });
    const own = SHARD.receiving.value + SHARD.merging.value;
    expect(Math.abs(p50 - (100 + SHARD.query.value + own))).toBeLessThan(0.6);
  });

  test('waits for the slowest shard in each round', () => {
    const { p50 } = simulate('all shards', 1e7, { ...load, callP50: 1, callP99: 1.0001 });
    // The median of the slowest of 204 values lies at the quantile .5 ** (1 / 204), which is 2.707 standard
    // deviations above the mean.
    const slowest = (median: number, p95: number) => median * (p95 / median) ** (2.707 / 1.645);
    const { statistics, statisticsP95, query, queryP95, receiving, merging } = SHARD;
    const first = 1 + slowest(statistics.value, statisticsP95.value);
    const second = 1 + slowest(query.value, queryP95.value);
    const expected = first + second + 204 * (receiving.value + merging.value);
    expect(Math.abs(p50 / expected - 1)).toBeLessThan(0.08);
  });

  test('grows with the number of shards', () => {
    const [few, many] = [1e6, 1e7].map((chunks) => simulate('all shards', chunks, load));
    expect(many!.p50).toBeGreaterThan(1.5 * few!.p50);
  });

  test('marks shards as asleep after idle time, including rarely routed shards', () => {
    const silent = simulate('all shards', 1e6, { ...load, rate: 0.1 });
    // Probability that the gap before a query is longer than the idle time.
    expect(silent.asleep).toBeCloseTo(Math.exp(-0.1 * PLATFORM.idle.value), 1);
    expect(simulate('all shards', 1e6, { ...load, rate: 10 }).asleep).toBe(0);
    expect(silent.p99).toBeGreaterThan(SHARD.wake.value);
    expect(simulate('routed', 1e7, load).asleep).toBeGreaterThan(simulate('all shards', 1e7, load).asleep);
  });
});
