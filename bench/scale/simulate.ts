import { percentile } from '#bench/search/measure.ts';
import { PGVECTOR, PLATFORM, SHARD, VECTORIZE } from './constants.ts';
import { type Asked, computeWork, type Method } from './model.ts';
import { createRandom } from './random.ts';

export interface Load {
  seed: number;
  /** Number of simulated queries. */
  queries: number;
  /** Queries per second of the index. */
  rate: number;
  /** Median and p99 of a warm call to a Durable Object, in milliseconds. */
  callP50: number;
  callP99: number;
}

export interface Latency {
  p50: number;
  p99: number;
  /** Share of the queries that waited for a shard to wake up. */
  asleep: number;
}

/** Quantiles .95 and .99 of the standard normal distribution. */
const Z95 = 1.645;
const Z99 = 2.326;

/**
 * Simulates the latency of hybrid queries in milliseconds, from the first call of the Worker until the merged
 * answer.
 */
export function simulate(way: Method, chunks: number, load: Load): Latency {
  const asked = computeWork(way, chunks);
  const next = createRandom(load.seed);
  const draw = createDraws(load, next);
  const popularity = computePopularity(way, asked);
  const milliseconds: number[] = [];
  let asleep = 0;
  for (let query = 0; query < load.queries; query++) {
    // The gaps between queries follow a Poisson process. Shards that all queries use sleep and wake up
    // together.
    const gap = -Math.log(1 - next()) / load.rate;
    const sleeps = (shard: number) =>
      popularity === undefined
        ? gap > PLATFORM.idle.value
        : next() < Math.exp(-PLATFORM.idle.value * load.rate * popularity[shard]!);
    const { slowest, woken } = simulateQuery(way, chunks, asked, draw, sleeps);
    milliseconds.push(slowest);
    if (woken) asleep++;
  }
  return {
    p50: percentile(milliseconds, 0.5),
    p99: percentile(milliseconds, 0.99),
    asleep: asleep / load.queries,
  };
}

/** Time in milliseconds in which the Worker receives one answer with 60 chunks. */
const RECEIVED_ONCE = SHARD.receiving.value + SHARD.merging.value;

type Draws = ReturnType<typeof createDraws>;

function simulateQuery(
  way: Method,
  chunks: number,
  { asked, rounds }: Asked,
  draw: Draws,
  sleeps: (shard: number) => boolean,
) {
  let woken = false;
  let first = 0;
  let second = 0;
  for (let shard = 0; shard < asked; shard++) {
    const waking = sleeps(shard) ? draw.wake() : 0;
    if (waking > 0) woken = true;
    const elsewhere = way === 'Vectorize' ? draw.vectorize() : 0;
    const work = way === 'pgvector' ? draw.words() : draw.query();
    if (rounds === 2) {
      first = Math.max(first, draw.call() + waking + draw.statistics());
      second = Math.max(second, draw.call() + elsewhere + work);
    } else {
      second = Math.max(second, draw.call() + waking + elsewhere + work);
    }
  }
  // The Worker receives and merges all answers in one thread.
  const own = asked * (SHARD.receiving.value + SHARD.merging.value);
  // In native mode the database also searches by words and returns all texts.
  if (way === 'native') {
    const words = draw.databaseWords() * (chunks / PGVECTOR.wordsChunks.value);
    return { slowest: draw.database() + words + RECEIVED_ONCE, woken };
  }
  const before =
    (way === 'routed' && rounds === 1 && asked > 1 ? draw.call() : 0) +
    (way === 'pgvector' ? draw.database() : 0);
  return { slowest: before + first + second + own, woken };
}

/**
 * Returns how often a query uses each of its shards, most used first (Zipf). Returns undefined if all queries
 * use all shards.
 */
function computePopularity(way: Method, { shards, asked }: Asked): number[] | undefined {
  if (way !== 'routed' || asked === shards) return undefined;
  const weights = Array.from({ length: shards }, (_, rank) => 1 / (rank + 1));
  const sum = weights.reduce((a, b) => a + b, 0);
  // Probability that a shard is among the shards of a query, which are drawn without repetition. The queried
  // shards are distributed evenly over the ranks, because queries also use unpopular shards.
  const shares = weights.map((weight) => 1 - (1 - weight / sum) ** asked);
  return Array.from({ length: asked }, (_, at) => shares[Math.floor((at * shards) / asked)]!);
}

function createDraws({ callP50, callP99 }: Load, next: () => number) {
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  const between = (p50: number, high: number, z: number) => {
    const sigma = Math.log(high / p50) / z;
    return () => p50 * Math.exp(sigma * normal());
  };
  return {
    call: between(callP50, callP99, Z99),
    statistics: between(SHARD.statistics.value, SHARD.statisticsP95.value, Z95),
    query: between(SHARD.query.value, SHARD.queryP95.value, Z95),
    words: between(SHARD.words.value, SHARD.wordsP95.value, Z95),
    wake: between(SHARD.wake.value, SHARD.wakeP95.value, Z95),
    vectorize: between(VECTORIZE.p50.value, VECTORIZE.p99.value, Z99),
    database: between(PGVECTOR.p50.value, PGVECTOR.p99.value, Z99),
    databaseWords: between(PGVECTOR.words.value, PGVECTOR.wordsP95.value, Z95),
  };
}
