/**
 * Simulates the cost and latency of a hybrid query in an index of 10^5 to 10^9 chunks, for five methods, and its ingestion.
 * Run: npm run sim:scale -- [--rate 1] [--queries 2000] [--seed 1] [--call-p50 4] [--call-p99 40]
 *      --recall    number of shards that routing has to query, with the passages of the corpora (CORPORA=<dir>)
 *      --measure   values of the measured constants on this machine
 *      --metadata  bytes of D1 for each small document, by table and index, after indexing --documents of them
 */
import { parseArgs } from 'node:util';
import { CORPORA } from './corpora.ts';
import * as constants from './scale/constants.ts';
import { computeIngestion } from './scale/ingestion.ts';
import {
  computeDollarsPerMillion,
  computeDollarsPerMonth,
  computeMaxQueriesPerSecond,
  computeWork,
  describeLimit,
  METHODS,
  type Method,
} from './scale/model.ts';
import { type Load, simulate } from './scale/simulate.ts';
import { printTable, type Row } from './search/measure.ts';

const { values: options } = parseArgs({
  options: {
    rate: { type: 'string', default: '1' },
    queries: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    'call-p50': { type: 'string', default: String(constants.PLATFORM.callP50.value) },
    'call-p99': { type: 'string', default: String(constants.PLATFORM.callP99.value) },
    recall: { type: 'boolean', default: false },
    measure: { type: 'boolean', default: false },
    metadata: { type: 'boolean', default: false },
    documents: { type: 'string', default: '20000' },
  },
});

const SIZES = [1e5, 1e6, 1e7, 1e8, 1e9];
/** Methods of which the second table shows the ingestion. */
const INGESTED = ['all shards', 'pgvector', 'native'] as const;
const CHUNKS_PER_DOCUMENT = [1, 10];
/**
 * Queries per second. It is so low that shards which all queries use are asleep before nearly every query.
 */
const RARE = 0.005;

const load: Load = {
  seed: Number(options.seed),
  queries: Number(options.queries),
  rate: Number(options.rate),
  callP50: Number(options['call-p50']),
  callP99: Number(options['call-p99']),
};

const short = (value: number) =>
  value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(2);

function buildRow(chunks: number, way: Method): Row {
  const asked = computeWork(way, chunks);
  const busy = simulate(way, chunks, load);
  const rare = simulate(way, chunks, { ...load, rate: RARE });
  return {
    chunks: chunks.toExponential(0).replace('e+', 'e'),
    way: way,
    shards: asked.shards,
    asked: asked.asked,
    'object requests': asked.requests,
    MB: short(asked.bytes / 1e6),
    'MB, long chunks': short(asked.longBytes / 1e6),
    'p50 ms': short(busy.p50),
    'p99 ms': short(busy.p99),
    woke: busy.asleep.toFixed(2),
    'p50 asleep': short(rare.p50),
    'queries/s': asked.shards === 0 ? '' : short(computeMaxQueriesPerSecond(way, asked)),
    '$ per million': short(computeDollarsPerMillion(way, asked)),
    '$ per month': short(computeDollarsPerMonth(way, chunks)),
    limit: describeLimit(way, chunks, asked),
  };
}

function buildIngestionRow(chunks: number, way: Method, chunksPerDocument: number): Row {
  const ingestion = computeIngestion(way, chunks, chunksPerDocument);
  return {
    chunks: chunks.toExponential(0).replace('e+', 'e'),
    'chunks a document': chunksPerDocument,
    way,
    hours: short(ingestion.hours),
    '$ to ingest': short(ingestion.dollars),
    'D1, GB': short(ingestion.metadataBytes / 1e9),
    'D1, GB, texts in R2': short(ingestion.metadataBytesInBucket / 1e9),
    'D1 databases': ingestion.databases,
    '$ per month': short(ingestion.dollarsPerMonth),
  };
}

function printConstants(): void {
  const { SHARD, PLATFORM, VECTORIZE, PGVECTOR, ROUTED, INGESTION } = constants;
  for (const [part, each] of Object.entries({ SHARD, PLATFORM, VECTORIZE, PGVECTOR, ROUTED, INGESTION })) {
    for (const [name, { value, unit, origin, source }] of Object.entries(each)) {
      console.log(
        `${`${part}.${name}`.padEnd(24)} ${String(value).padStart(10)} ${unit} (${origin}: ${source})`,
      );
    }
  }
  console.log(`Databases: ${constants.DATABASES.source}. Prices of Cloudflare: bench/cost/prices.ts.\n`);
}

if (options.measure) {
  const { measure } = await import('./scale/measure.ts');
  await measure();
} else if (options.metadata) {
  const { measureMetadata } = await import('./scale/metadata.ts');
  printTable(await measureMetadata(Number(options.documents)));
} else if (options.recall) {
  await import('./scale/wasm-modules.ts');
  const { measureRecall } = await import('./scale/recall.ts');
  const isMeasured = await measureRecall((title, rows) => {
    console.log(`\n${title}\n`);
    printTable(rows);
  });
  if (!isMeasured)
    console.log(
      `${CORPORA}/retrieval contains none of the sets, so nothing was measured. Set CORPORA to the folder of the corpora.`,
    );
} else {
  console.log(
    `${load.queries} simulated hybrid queries for each row, ${load.rate} per second, seed ${load.seed}; "p50 asleep" with ` +
      `${RARE} per second. Calls to Durable Objects: p50 ${load.callP50} ms, p99 ${load.callP99} ms.\n`,
  );
  printTable(SIZES.flatMap((chunks) => METHODS.map((way) => buildRow(chunks, way))));
  console.log('\nIngestion of small documents into one pipeline:\n');
  printTable(
    SIZES.flatMap((chunks) =>
      CHUNKS_PER_DOCUMENT.flatMap((each) => INGESTED.map((way) => buildIngestionRow(chunks, way, each))),
    ),
  );
  console.log();
  printConstants();
}
process.exit(0);
