import { PRICES, STORAGE } from '#bench/cost/prices.ts';
import { DATABASES, PGVECTOR, PLATFORM, ROUTED, SHARD, VECTORIZE } from './constants.ts';

/**
 * Methods of answering a hybrid query. The shards of Sluice store texts and versions and search by words, except in
 * `native`: there PostgreSQL stores everything and answers with one statement.
 */
export const METHODS = ['all shards', 'routed', 'Vectorize', 'pgvector', 'native'] as const;
export type Method = (typeof METHODS)[number];

/** Work of one hybrid query. */
export interface Asked {
  /** Number of existing shards, and number of shards that the query uses. */
  shards: number;
  asked: number;
  /** Number of calls to each used shard: first the statistics for BM25, then the hits. */
  rounds: number;
  /** Number of all calls to Durable Objects. */
  requests: number;
  /** Number of queries to another store: one per shard for Vectorize, one for a database. */
  elsewhere: number;
  /** Bytes that the Worker receives, with chunks of 100 words and with chunks of the default size. */
  bytes: number;
  longBytes: number;
  rows: number;
}

const LEAST_ROUTED = 2;

/** Work of a query without shards. It is the same for any number of chunks. */
const NATIVE_WORK: Asked = {
  shards: 0,
  asked: 0,
  rounds: 1,
  requests: 0,
  elsewhere: 1,
  bytes: SHARD.answerBytes.value,
  longBytes: SHARD.answerBytes.value + 60 * (SHARD.longText.value - SHARD.text.value),
  rows: 0,
};

export function countShards(chunks: number): number {
  return Math.max(1, Math.ceil(chunks / SHARD.chunks.value));
}

export function computeWork(way: Method, chunks: number): Asked {
  if (way === 'native') return NATIVE_WORK;
  const today = countShards(chunks);
  // Routing needs no statistics from other shards, because its directory knows the frequency of each word.
  const isRouted = way === 'routed' && today > 1;
  const shards = isRouted ? Math.ceil(today * ROUTED.shardsMore.value) : today;
  const asked = isRouted
    ? Math.min(shards, Math.max(LEAST_ROUTED, Math.ceil(shards * ROUTED.asked.value)))
    : shards;
  const rounds = shards === 1 || isRouted ? 1 : 2;
  const statistics = rounds === 2 ? asked : 0;
  const answer = getAnswerSize(way);
  const longer = answer.chunks * (SHARD.longText.value - SHARD.text.value);
  return {
    shards,
    asked,
    rounds,
    requests: asked * rounds + (isRouted ? 1 : 0),
    elsewhere: way === 'Vectorize' ? asked : Number(way === 'pgvector'),
    bytes: asked * answer.bytes + statistics * SHARD.statisticsBytes.value,
    longBytes: asked * (answer.bytes + longer) + statistics * SHARD.statisticsBytes.value,
    rows: asked * answer.rows + statistics * SHARD.statisticsRows.value,
  };
}

/**
 * Returns the size of one shard's answer in the last round. With a database, the answer contains only the
 * hits of the search by words.
 */
function getAnswerSize(way: Method): { chunks: number; bytes: number; rows: number } {
  return way === 'pgvector'
    ? { chunks: 30, bytes: SHARD.wordsBytes.value, rows: SHARD.wordsRows.value }
    : { chunks: 60, bytes: SHARD.answerBytes.value, rows: SHARD.queryRows.value };
}

/**
 * Returns the billed seconds of Durable Objects for a query, which is the time that each of them works for
 * it.
 */
export function computeObjectSeconds(way: Method, { asked, rounds }: Asked): number {
  const query = way === 'pgvector' ? SHARD.words.value : SHARD.query.value;
  const waiting = way === 'Vectorize' ? VECTORIZE.p50.value : 0;
  const statistics = rounds === 2 ? SHARD.statistics.value : 0;
  return (asked * (query + waiting + statistics)) / 1000;
}

/**
 * Returns the dollars per million queries, without the cost of the Worker and of a database, which is paid by
 * the month.
 */
export function computeDollarsPerMillion(way: Method, asked: Asked): number {
  const vectorizeDollars =
    way === 'Vectorize' ? asked.elsewhere * SHARD.dimension.value * VECTORIZE.queried.value : 0;
  return (
    asked.requests * getPrice('object requests') +
    computeObjectSeconds(way, asked) * getPrice('object seconds') +
    asked.rows * getPrice('object rows read') +
    vectorizeDollars
  );
}

/** Returns the dollars per month for the stored data. */
export function computeDollarsPerMonth(way: Method, chunks: number): number {
  if (way === 'native') return computeDatabaseDollars(chunks);
  const { storedBytes, vectorBytes, dimension } = SHARD;
  const bytes = storedBytes.value - (way === 'pgvector' ? vectorBytes.value : 0);
  const objects = ((chunks * bytes) / 1e9) * STORAGE['objects (the managed index)'].dollars;
  const dimensions = chunks * dimension.value;
  if (way === 'Vectorize') {
    return (
      objects + (dimensions / 1e6) * VECTORIZE.queried.value + (dimensions / 1e8) * VECTORIZE.stored.value
    );
  }
  return way === 'pgvector' ? objects + computeDatabaseDollars(chunks) : objects;
}

/**
 * Returns the price of the smallest database that holds the graph in memory, or of several of the largest
 * one.
 */
export function computeDatabaseDollars(vectors: number): number {
  const memory = (vectors * PGVECTOR.memory.value) / 1e6;
  const fitting = DATABASES.sizes.find((each) => each.memory >= memory);
  const largest = DATABASES.sizes.at(-1)!;
  return fitting?.dollars ?? Math.ceil(memory / largest.memory) * largest.dollars;
}

/** Returns the queries per second at which the used shards are always busy or reach the soft limit of calls. */
export function computeMaxQueriesPerSecond(way: Method, asked: Asked): number {
  const busy = computeObjectSeconds(way, asked) / asked.asked;
  const waiting = way === 'Vectorize' ? VECTORIZE.p50.value / 1000 : 0;
  const share = asked.asked / asked.shards;
  return Math.min(1 / (busy - waiting), PLATFORM.objectRate.value / asked.rounds) / share;
}

/** Names the platform limits that a query exceeds. Returns an empty text if there are none. */
export function describeLimit(way: Method, chunks: number, asked: Asked): string {
  const limits = [
    asked.requests > PLATFORM.subrequests.value && `over ${PLATFORM.subrequests.value} calls per request`,
    asked.longBytes / 1e6 > PLATFORM.memory.value && `over ${PLATFORM.memory.value} MB per isolate`,
    way === 'Vectorize' && chunks > VECTORIZE.mostVectors.value && 'too large for one Vectorize index',
  ];
  return limits.filter((each) => each !== false).join('; ');
}

export function getPrice(of: keyof typeof PRICES): number {
  const found = PRICES[of];
  if (found === undefined) throw new Error(`bench/cost/prices.ts has no price of ${of}`);
  return found.dollarsPerMillion;
}
