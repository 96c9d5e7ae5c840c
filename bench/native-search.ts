/**
 * Compares the two modes of PostgreSQL as a data sink on the same synthetic chunks: vectors only, with words and
 * texts in Sluice's shards, and `native_search`. Prints the speed of writing and querying, the recall, and the bytes
 * in both places. The HNSW index is built after the chunks are written, which is faster. Needs a PostgreSQL with
 * pgvector; the tables are created in the schema `bench` and dropped.
 * Run: DATABASE=postgres://user:password@127.0.0.1:5432/database npm run bench:native-search -- [10000]
 */
import postgres from 'postgres';
import { DIMENSION } from './search/data.ts';
import { findExactNeighbours } from './search/exact.ts';
import { type Answer, ManagedIndex } from './search/managed-index.ts';
import { computeRecall, fixed, printTable, type Row, row } from './search/measure.ts';

const QUERIES = 100;
const WARM_UP = 10;
const LOADED_AT_ONCE = 1_000;
const MODES = ['dense', 'sparse', 'hybrid', 'dense filtered', 'sparse filtered', 'hybrid filtered'] as const;
const VARIANTS = ['vectors only', 'native_search'] as const;

type Answers = Record<string, string[][]>;

const address = new URL(process.env.DATABASE ?? 'postgres://postgres:none@127.0.0.1:5432/postgres');
const sql = postgres(address.href, { max: 1, onnotice: () => {} });

const buildComponent = (variant: (typeof VARIANTS)[number], hnsw: object | null) => ({
  host: address.hostname,
  port: Number(address.port || 5432),
  database: address.pathname.slice(1),
  user: decodeURIComponent(address.username),
  password: decodeURIComponent(address.password) || 'none',
  schema_name: 'bench',
  table_name: variant.replace(' ', '_'),
  embed_dim: DIMENSION,
  hnsw_settings: hnsw,
  native_search: variant === 'native_search',
});

async function measure(
  ours: ManagedIndex,
  variant: (typeof VARIANTS)[number],
  count: number,
  exact: string[][],
): Promise<{ rows: Row[]; answers: Answers }> {
  const encode = (hnsw: object | null) => encodeURIComponent(JSON.stringify(buildComponent(variant, hnsw)));
  const call = <T>(path: string) => ours.call<T>(`${path}&component=${encode({})}`);
  let seconds = 0;
  for (let from = 0; from < count; from += LOADED_AT_ONCE) {
    const to = Math.min(count, from + LOADED_AT_ONCE);
    const path = `/load?from=${from}&to=${to}&component=${encode(null)}`;
    seconds += (await ours.call<{ seconds: number }>(path)).seconds;
  }
  const built = performance.now();
  await call('/ensure?');
  const minutes = (performance.now() - built) / 60_000;
  await sql.unsafe('vacuum analyze');
  const [tables] = await sql.unsafe<{ bytes: string }[]>(
    `select sum(pg_total_relation_size(c.oid)) as bytes from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'bench' and c.relkind = 'r' and c.relname like $1`,
    [`${variant.replace(' ', '\\_').replace('native_', 'native\\_')}%`],
  );
  const { bytes } = await call<{ bytes: number }>('/stats?');
  const inShards =
    variant === 'vectors only' ? `, ${Math.round(bytes / count)} bytes per chunk in shards` : '';
  console.log(
    `${variant}: ${fixed(count / seconds)} chunks/s written, HNSW index built in ${fixed(minutes)} min, ${Math.round(Number(tables!.bytes) / count)} bytes per chunk in PostgreSQL${inShards}`,
  );
  const rows: Row[] = [];
  const answers: Answers = {};
  for (const mode of MODES) {
    const path = `/query?mode=${encodeURIComponent(mode)}`;
    await call(`${path}&from=900000&count=${WARM_UP}`);
    const { milliseconds, ids } = await call<Answer>(`${path}&from=0&count=${QUERIES}`);
    answers[mode] = ids;
    const recall = mode === 'dense' ? computeRecall(ids, exact) : undefined;
    rows.push(row(variant, mode, milliseconds, recall));
  }
  return { rows, answers };
}

const count = Number(process.argv[2] ?? 10_000);
console.log(`\n${count} chunks, ${DIMENSION} dimensions, top 10\n`);
await sql.unsafe('drop schema if exists bench cascade; create extension if not exists vector');
const exact = findExactNeighbours(count, QUERIES);
const ours = new ManagedIndex(new URL('native-search/wrangler.toml', import.meta.url));
try {
  await ours.start();
  const measured = [];
  for (const variant of VARIANTS) measured.push(await measure(ours, variant, count, exact));
  printTable(measured.flatMap(({ rows }) => rows));
  const [first, second] = measured;
  for (const mode of ['sparse', 'sparse filtered', 'dense filtered']) {
    const shared = computeRecall(second!.answers[mode]!, first!.answers[mode]!);
    console.log(`${mode}: ${(100 * shared).toFixed(1)} % of the results are the same in both modes`);
  }
} finally {
  await ours.stop();
  await sql.unsafe('drop schema if exists bench cascade');
  await sql.end();
}
process.exit(0);
