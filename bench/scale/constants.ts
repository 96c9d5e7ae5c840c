/**
 * Origin of a constant in the simulation. `measured`: measured with the named command on a machine with two
 * cores that others used as well. `code`: follows from the code of this project. `documented`: stated by
 * Cloudflare or another vendor. `published`: measured by others. `assumed`: not measured by anybody.
 */
export type Origin = 'measured' | 'code' | 'documented' | 'published' | 'assumed';

export interface Constant {
  value: number;
  unit: string;
  origin: Origin;
  source: string;
}

const DAY = '2026-11-23';
const MEASURE = `npm run sim:scale -- --measure, ${DAY}`;
const page = (address: string) => `${address}, looked up ${DAY}`;
const CLOUDFLARE = 'https://developers.cloudflare.com';
const SUPABASE = 'https://supabase.com/docs/guides';

const COUNTED = 'npm run bench:cost, 2026-11-30';
const BYTES = 'npm run sim:scale -- --metadata';

const measured = (value: number, unit: string, source = MEASURE) => ({
  value,
  unit,
  origin: 'measured' as const,
  source,
});
const documented = (value: number, unit: string, address: string) => ({
  value,
  unit,
  origin: 'documented' as const,
  source: page(address),
});
const ours = (value: number, unit: string, source: string) => ({
  value,
  unit,
  origin: 'code' as const,
  source,
});
const published = (value: number, unit: string, address: string) => ({
  value,
  unit,
  origin: 'published' as const,
  source: page(address),
});
const assumed = (value: number, unit: string, source: string) => ({
  value,
  unit,
  origin: 'assumed' as const,
  source,
});

/**
 * One full shard with vectors of 384 dimensions from the built-in embedder and chunks of 100 words. Queries
 * use 30 hits per arm.
 */
export const SHARD = {
  dimension: ours(384, 'dimensions', 'src/builtin/embedder.ts'),
  chunks: ours(
    49_152,
    'chunks, then another shard takes new documents',
    'durable-objects/search-shard.ts: FULL',
  ),
  statistics: measured(0.5, 'ms, first round: what BM25 needs (p50)'),
  statisticsP95: measured(4.1, 'ms, the same (p95)'),
  query: measured(3.3, 'ms, second round: both arms (p50)'),
  queryP95: measured(8.4, 'ms, the same (p95)'),
  words: measured(1.2, 'ms, second round: words alone (p50)'),
  wordsP95: measured(2.9, 'ms, the same (p95)'),
  wake: measured(93, 'ms, first hybrid query after sleep (p50)'),
  wakeP95: measured(110, 'ms, the same (p95)'),
  statisticsBytes: measured(203, 'bytes, answer of the first round'),
  answerBytes: measured(62_806, 'bytes, answer of the second: 60 chunks with their texts'),
  wordsBytes: measured(31_397, 'bytes, the same by words alone: 30 chunks'),
  text: ours(729, 'bytes of a text of 100 words in those', 'bench/search/data.ts'),
  longText: assumed(
    4_096,
    'bytes of a chunk of the default size: 1,024 tokens of English',
    'four letters a token',
  ),
  statisticsRows: measured(16, 'rows read, first round'),
  queryRows: measured(903, 'rows read, second round'),
  wordsRows: measured(361, 'rows read, the same by words alone'),
  receiving: measured(
    0.16,
    'ms of the Worker to take one answer in: a copy of it, at most',
    `${MEASURE}: .39 where the second round took 8.0, as a share of that`,
  ),
  merging: measured(0.015, 'ms of the Worker to merge one answer'),
  storedBytes: measured(3_679, 'bytes a chunk in the database', `npm run bench:search, ${DAY}`),
  vectorBytes: ours(
    5 * 384,
    'bytes of those: the exact vector and its code',
    'durable-objects/search-shard.schema.ts',
  ),
};

/** Limits documented by Cloudflare, and values that nobody has measured for this service. */
export const PLATFORM = {
  callP50: published(
    4,
    'ms, a warm call of an object in its region (p50)',
    'https://mcp.undisk.app/docs/platform/architecture',
  ),
  callP99: assumed(40, 'ms, the same (p99)', 'ten times the median; --call-p99'),
  idle: documented(
    10,
    's without a call until an object sleeps',
    `${CLOUDFLARE}/durable-objects/concepts/durable-object-lifecycle`,
  ),
  subrequests: documented(
    10_000,
    'calls that a request may make by default',
    `${CLOUDFLARE}/workers/platform/limits/`,
  ),
  memory: documented(
    128,
    'MB an isolate, for all requests that it serves',
    `${CLOUDFLARE}/workers/platform/limits/`,
  ),
  objectRate: documented(
    1_000,
    'requests a second of one object, a soft limit',
    `${CLOUDFLARE}/durable-objects/platform/limits/`,
  ),
};

export const VECTORIZE = {
  mostVectors: documented(
    10_000_000,
    'vectors in one index (a newer quotation says 20 million)',
    `${CLOUDFLARE}/vectorize/platform/limits/`,
  ),
  p50: published(
    31,
    'ms, the median its maker told in 2024, as others quote it',
    'https://smithery.ai/skills/ovachiever/cloudflare-vectorize',
  ),
  p99: assumed(310, 'ms', 'ten times the median, as for calls of objects'),
  queried: documented(
    0.01,
    '$ a million dimensions queried, and stored ones once a month',
    `${CLOUDFLARE}/vectorize/platform/pricing/`,
  ),
  stored: documented(
    0.05,
    '$ a hundred million dimensions and month',
    `${CLOUDFLARE}/vectorize/platform/pricing/`,
  ),
};

export const PGVECTOR = {
  p50: published(
    38,
    'ms, mean over 1,000,000 vectors of 384 dimensions, HNSW, recall .99',
    `${SUPABASE}/ai/choosing-compute-addon`,
  ),
  p99: published(
    75,
    'ms, over 50 million of 768, with pgvectorscale',
    'https://www.tigerdata.com/blog/pgvector-vs-qdrant',
  ),
  wordsChunks: measured(
    100_000,
    'chunks over which the search by words was measured; its time grows with their number',
    'npm run bench:native-search -- 100000, PostgreSQL 15, 2026-11-29',
  ),
  words: measured(64, 'ms, search by words in the same database (p50)', 'the same run'),
  wordsP95: measured(311, 'ms, the same (p95)', 'the same run'),
  storedBytes: measured(
    6_686,
    'bytes a chunk with text, vector and words, and with their indexes',
    'PGlite with 4,000 chunks of 100 words, HNSW and GIN, 2026-11-29',
  ),
  insertRate: measured(
    876,
    'chunks a second that one database takes, before its HNSW index is built',
    'npm run bench:native-search -- 100000, PostgreSQL 15, 2026-11-29',
  ),
  memory: published(
    9,
    'KB of memory a vector of 384 dimensions (9 GB a million)',
    `${SUPABASE}/ai/choosing-compute-addon`,
  ),
};

/** Counted operations that index a million small documents of one chunk, and the bytes of their metadata. */
export const INGESTION = {
  objectRows: measured(32.4, 'rows written in shards for each document', COUNTED),
  databaseRows: measured(13, 'rows written in D1 for each document', COUNTED),
  databaseRowsRead: measured(32.9, 'rows read in D1 for each document', COUNTED),
  objectRowsRead: measured(70.5, 'rows read in shards for each document', COUNTED),
  objectSeconds: measured(466, 's of shards for a million documents', COUNTED),
  processorSeconds: measured(
    870,
    's of processor for a million documents',
    'npm run bench:cost, 2026-11-23; the machine of the later count ran tests too',
  ),
  consumers: ours(8, 'consumers that index at the same time', 'wrangler.toml: max_concurrency'),
  metadataBytes: measured(1_599, 'bytes of D1 for each document with its text', BYTES),
  textBytes: measured(785, 'bytes of those that a text of 650 bytes takes', BYTES),
  databaseLimit: documented(10, 'GB, one D1 database', `${CLOUDFLARE}/d1/platform/limits/`),
};

/**
 * Memory in GB and price in dollars per month of databases. The smallest one that holds the graph in memory
 * is used.
 */
export const DATABASES = {
  source: page(`${SUPABASE}/platform/manage-your-usage/compute`),
  sizes: [
    { memory: 1, dollars: 10 },
    { memory: 2, dollars: 15 },
    { memory: 4, dollars: 60 },
    { memory: 8, dollars: 110 },
    { memory: 16, dollars: 210 },
    { memory: 32, dollars: 410 },
    { memory: 64, dollars: 960 },
    { memory: 128, dollars: 1_870 },
    { memory: 192, dollars: 2_800 },
    { memory: 256, dollars: 3_730 },
  ],
};

/**
 * Routing that keeps 95 % of the first ten hits of all shards. It was measured on scifact in shards of 256
 * chunks, placed by similarity and selected by their terms and centroids. Real shards are 192 times as large,
 * and their values are unknown.
 */
export const ROUTED = {
  shardsMore: measured(
    1.5,
    'times as many shards as today, since split ones are not full',
    'npm run sim:scale -- --recall, 2026-11-23',
  ),
  asked: measured(0.39, 'of those have to be asked', 'npm run sim:scale -- --recall, 2026-11-23'),
};
