import { PRICES, STORAGE } from '#bench/cost/prices.ts';
import { DATABASES, PGVECTOR, PLATFORM, ROUTED, SHARD, VECTORIZE } from './constants.ts';

/** The ways to answer a hybrid query. In all of them Sluice's own shards keep texts, versions and the search by words. */
export const WAYS = ['all shards', 'routed', 'Vectorize', 'pgvector'] as const;
export type Way = (typeof WAYS)[number];

/** What one hybrid query asks for. */
export interface Asked {
  /** Shards that there are, and those that the query asks. */
  shards: number;
  asked: number;
  /** Calls of each asked shard: what BM25 needs of the whole index, then the hits. */
  rounds: number;
  /** Calls of objects in all. */
  requests: number;
  /** Queries to another store: of each shard to Vectorize, one to a database. */
  elsewhere: number;
  /** That arrive in the Worker: with chunks of 100 words, and with those of the default size. */
  bytes: number;
  longBytes: number;
  rows: number;
}

const LEAST_ROUTED = 2;

export function shardsOf(chunks: number): number {
  return Math.max(1, Math.ceil(chunks / SHARD.chunks.value));
}

export function askedBy(way: Way, chunks: number): Asked {
  const today = shardsOf(chunks);
  // Routing needs nothing of shards that it does not ask: its directory knows how common a word is.
  const isRouted = way === 'routed' && today > 1;
  const shards = isRouted ? Math.ceil(today * ROUTED.shardsMore.value) : today;
  const asked = isRouted
    ? Math.min(shards, Math.max(LEAST_ROUTED, Math.ceil(shards * ROUTED.asked.value)))
    : shards;
  const rounds = shards === 1 || isRouted ? 1 : 2;
  const statistics = rounds === 2 ? asked : 0;
  const answer = answerOf(way);
  const longer = answer.chunks * (SHARD.longText.value - SHARD.text.value);
  return {
    shards,
    asked,
    rounds,
    requests: asked * rounds + (isRouted ? 1 : 0),
    elsewhere: { 'all shards': 0, routed: 0, Vectorize: asked, pgvector: 1 }[way],
    bytes: asked * answer.bytes + statistics * SHARD.statisticsBytes.value,
    longBytes: asked * (answer.bytes + longer) + statistics * SHARD.statisticsBytes.value,
    rows: asked * answer.rows + statistics * SHARD.statisticsRows.value,
  };
}

/** What one shard answers in the last round. Of the hits that a database names, a shard has next to none. */
function answerOf(way: Way): { chunks: number; bytes: number; rows: number } {
  return way === 'pgvector'
    ? { chunks: 30, bytes: SHARD.wordsBytes.value, rows: SHARD.wordsRows.value }
    : { chunks: 60, bytes: SHARD.answerBytes.value, rows: SHARD.queryRows.value };
}

/** Seconds of objects that are billed for a query: as long as each is at work for it. */
export function objectSeconds(way: Way, { asked, rounds }: Asked): number {
  const query = way === 'pgvector' ? SHARD.words.value : SHARD.query.value;
  const waiting = way === 'Vectorize' ? VECTORIZE.p50.value : 0;
  const statistics = rounds === 2 ? SHARD.statistics.value : 0;
  return (asked * (query + waiting + statistics)) / 1000;
}

/** Dollars for a million queries, without the Worker's own and the database's, which is paid by the month. */
export function dollarsAMillion(way: Way, asked: Asked): number {
  const ofVectorize =
    way === 'Vectorize' ? asked.elsewhere * SHARD.dimension.value * VECTORIZE.queried.value : 0;
  return (
    asked.requests * price('object requests') +
    objectSeconds(way, asked) * price('object seconds') +
    asked.rows * price('object rows read') +
    ofVectorize
  );
}

/** Dollars a month for what is stored. */
export function dollarsAMonth(way: Way, chunks: number): number {
  const { storedBytes, vectorBytes, dimension } = SHARD;
  const bytes = storedBytes.value - (way === 'pgvector' ? vectorBytes.value : 0);
  const objects = ((chunks * bytes) / 1e9) * STORAGE['objects (the managed index)'].dollars;
  const dimensions = chunks * dimension.value;
  if (way === 'Vectorize') {
    return (
      objects + (dimensions / 1e6) * VECTORIZE.queried.value + (dimensions / 1e8) * VECTORIZE.stored.value
    );
  }
  return way === 'pgvector' ? objects + databaseDollars(chunks) : objects;
}

/** The smallest database that holds the graph in memory; of the largest as many as it takes. */
export function databaseDollars(vectors: number): number {
  const memory = (vectors * PGVECTOR.memory.value) / 1e6;
  const fitting = DATABASES.sizes.find((each) => each.memory >= memory);
  const largest = DATABASES.sizes.at(-1)!;
  return fitting?.dollars ?? Math.ceil(memory / largest.memory) * largest.dollars;
}

/** Queries a second at which the shards that every query asks are at work all the time, or at the soft limit of calls. */
export function mostAQuerySecond(way: Way, asked: Asked): number {
  const busy = objectSeconds(way, asked) / asked.asked;
  const waiting = way === 'Vectorize' ? VECTORIZE.p50.value / 1000 : 0;
  const share = asked.asked / asked.shards;
  return Math.min(1 / (busy - waiting), PLATFORM.objectRate.value / asked.rounds) / share;
}

/** Which limit of the platform a query meets, if any. */
export function limitOf(way: Way, chunks: number, asked: Asked): string {
  const limits = [
    asked.requests > PLATFORM.subrequests.value && `over ${PLATFORM.subrequests.value} calls a request`,
    asked.longBytes / 1e6 > PLATFORM.memory.value && `over ${PLATFORM.memory.value} MB an isolate`,
    way === 'Vectorize' && chunks > VECTORIZE.mostVectors.value && 'over one index of Vectorize',
  ];
  return limits.filter((each) => each !== false).join('; ');
}

function price(of: keyof typeof PRICES): number {
  const found = PRICES[of];
  if (found === undefined) throw new Error(`bench/cost/prices.ts has no price of ${of}`);
  return found.dollarsPerMillion;
}
