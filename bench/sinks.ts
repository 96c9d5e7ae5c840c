/**
 * Measures the managed index next to an external store, on the same synthetic chunks: the speed of writing
 * and querying, and the recall. The database is a real one compiled to WebAssembly, reached over TCP.
 * Run: npm run bench:sinks -- [10000] [100000]
 */
import { startRelational } from '../test/databases/relational.ts';
import { DIMENSION } from './search/data.ts';
import { findExactNeighbours } from './search/exact.ts';
import { type Answer, ManagedIndex } from './search/managed-index.ts';
import { computeRecall, printTable, type Row, row } from './search/measure.ts';

const QUERIES = 100;
const WARM_UP = 10;
const SHARD_CAPACITY = 65_530;
/** Number of chunks that one request to the Worker writes. */
const LOADED_AT_ONCE = 1_000;

async function measureManaged(count: number, exact: string[][]): Promise<Row[]> {
  const ours = new ManagedIndex();
  try {
    await ours.start();
    const cut = Math.min(count, SHARD_CAPACITY);
    const shards = count > cut ? 'a,b' : 'a';
    let { seconds } = await ours.call<{ seconds: number }>(`/load?shards=a&from=0&to=${cut}`);
    if (count > cut) {
      seconds += (await ours.call<{ seconds: number }>(`/load?shards=b&from=${cut}&to=${count}`)).seconds;
    }
    await ours.settle(shards);
    console.log(`managed: ${Math.round(count / seconds)} chunks/s written`);
    const query = async (mode: string) => {
      const path = `/query?shards=${shards}&mode=${mode}`;
      await ours.call(`${path}&from=900000&count=${WARM_UP}`);
      return ours.call<Answer>(`${path}&from=0&count=${QUERIES}`);
    };
    const dense = await query('dense');
    const filtered = await query('dense-filtered');
    return [
      row('managed', 'all', dense.milliseconds, computeRecall(dense.ids, exact)),
      row('managed', 'few documents', filtered.milliseconds),
    ];
  } finally {
    await ours.stop();
  }
}

async function measurePgvector(
  name: string,
  hnsw: object | null,
  count: number,
  exact: string[][],
): Promise<Row[]> {
  const database = await startRelational();
  const ours = new ManagedIndex(new URL('sinks/wrangler.toml', import.meta.url));
  const component = {
    ...{ host: '127.0.0.1', port: database.port, database: 'postgres', user: 'postgres', password: 'none' },
    ...{ schema_name: 'bench', table_name: 'points', embed_dim: DIMENSION, hnsw_settings: hnsw },
  };
  const call = <T>(path: string) =>
    ours.call<T>(`${path}&component=${encodeURIComponent(JSON.stringify(component))}`);
  try {
    await ours.start();
    let seconds = 0;
    for (let from = 0; from < count; from += LOADED_AT_ONCE) {
      const to = Math.min(count, from + LOADED_AT_ONCE);
      seconds += (await call<{ seconds: number }>(`/load?from=${from}&to=${to}`)).seconds;
    }
    console.log(`${name}: ${Math.round(count / seconds)} chunks/s written`);
    const rows: Row[] = [];
    for (const [mode, shown] of [
      ['all', 'all'],
      ['few', 'few documents'],
      ['some', '1 of 25 years'],
    ] as const) {
      const path = `/query?mode=${mode}&size=${count}`;
      await call(`${path}&from=900000&count=${WARM_UP}`);
      const { milliseconds, ids } = await call<Answer>(`${path}&from=0&count=${QUERIES}`);
      rows.push(row(name, shown, milliseconds, mode === 'all' ? computeRecall(ids, exact) : undefined));
    }
    return rows;
  } finally {
    await ours.stop();
    await database.stop();
  }
}

const sizes = process.argv
  .slice(2)
  .map(Number)
  .filter((size) => size > 0);
for (const count of sizes.length > 0 ? sizes : [10_000]) {
  console.log(`\n${count} chunks, ${DIMENSION} dimensions, top 10\n`);
  const exact = findExactNeighbours(count, QUERIES);
  const rows = [
    ...(await measureManaged(count, exact)),
    ...(await measurePgvector('PostgreSQL, exact', null, count, exact)),
    ...(await measurePgvector('PostgreSQL, HNSW', {}, count, exact)),
  ];
  console.log();
  printTable(rows);
}
process.exit(0);
