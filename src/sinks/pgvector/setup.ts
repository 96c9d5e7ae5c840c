import { z } from 'zod';
import type { Ask, Runs } from './database.ts';
import { DatabaseError } from './failures.ts';
import { type HnswPlan, hnswPlan } from './hnsw.ts';
import type { PgvectorSettings } from './settings.ts';
import { COLUMNS, quoted, tableOf, unfitName, WORDS } from './table.ts';

const column = z.object({ name: z.string(), type: z.string(), dimension: z.number() });
const inventory = z.object({
  has_extension: z.boolean(),
  has_schema: z.boolean(),
  /** Null: there is no such table. */
  columns: z.array(column).nullable(),
  indexes: z.array(z.string()),
});
export type Inventory = z.output<typeof inventory>;

const INVENTORY = `
  select exists (select from pg_catalog.pg_extension where extname = 'vector') as has_extension,
    exists (select from pg_catalog.pg_namespace where nspname = $1) as has_schema,
    (select json_agg(json_build_object('name', a.attname, 'type', t.typname, 'dimension', a.atttypmod))
      from pg_catalog.pg_class c
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      join pg_catalog.pg_type t on t.oid = a.atttypid
      where n.nspname = $1 and c.relname = $2 and c.relkind in ('r', 'p')) as columns,
    (select coalesce(json_agg(indexname), '[]') from pg_catalog.pg_indexes
      where schemaname = $1 and tablename = $2) as indexes`;

/** What is wrong with settings or with what is there, and which setting that is. */
export interface Problem {
  field: string;
  message: string;
}

export async function takeInventory(
  ask: Ask,
  { schema_name, table_name }: PgvectorSettings,
): Promise<Inventory> {
  const { data } = inventory.safeParse((await ask(INVENTORY, [schema_name, table_name]))[0]);
  if (!data) throw new DatabaseError('does not tell what is there.', { retryable: false });
  return data;
}

/** What is wrong with settings by themselves. */
export function wrongWith(settings: PgvectorSettings): Problem | undefined {
  for (const field of ['schema_name', 'table_name', 'database', 'user'] as const) {
    const message = unfitName(settings[field]);
    if (message) return { field, message };
  }
  if (settings.port < 1 || settings.port > 65_535) return { field: 'port', message: 'A port is 1 to 65535.' };
  const dimension = settings.embed_dim;
  if (dimension < 1 || dimension > 16_000) {
    return {
      field: 'embed_dim',
      message: `A table takes vectors of 1 to 16000 dimensions, not of ${dimension}.`,
    };
  }
  const plan = hnswPlan(settings);
  return plan && 'problem' in plan
    ? { field: 'hnsw_settings', message: `hnsw_settings: ${plan.problem}.` }
    : undefined;
}

/** What keeps the table that is there from holding the vectors, or from being made. */
export function unfit(settings: PgvectorSettings, there: Inventory): Problem | undefined {
  const { schema_name, table_name, embed_dim, perform_setup } = settings;
  const name = `${schema_name}.${table_name}`;
  const { columns } = there;
  if (!columns) {
    if (perform_setup !== false) return undefined;
    const message = `There is no table ${name} (table_name), and perform_setup is false, so none is made.`;
    return { field: 'table_name', message };
  }
  for (const [column, type] of Object.entries(COLUMNS)) {
    const found = columns.find((each) => each.name === column);
    if (found?.type === type) continue;
    const state = found ? `has type ${found.type} and not ${type}` : `of type ${type} is missing`;
    const message = `The table ${name} (table_name) does not fit: its column ${column} ${state}. A name that is not taken helps.`;
    return { field: 'table_name', message };
  }
  const dimension = columns.find((each) => each.name === 'embedding')!.dimension;
  if (dimension !== embed_dim && dimension > 0) {
    const message = `The table ${name} holds vectors of ${dimension} dimensions, and embed_dim is ${embed_dim}.`;
    return { field: 'embed_dim', message };
  }
  return undefined;
}

const asError = ({ field, message }: Problem) =>
  new DatabaseError(`cannot hold the vectors: ${message}`, { retryable: false, field });

/** Makes what is absent, unless `perform_setup` is false. Rejects when what is there cannot hold the vectors. */
export async function setUp(runs: Runs, settings: PgvectorSettings, dimension: number): Promise<void> {
  const { embed_dim, perform_setup } = settings;
  const wrong = wrongWith(settings);
  if (wrong) throw asError(wrong);
  if (dimension !== embed_dim) {
    const message = `embed_dim is ${embed_dim}, and the embedding model gives ${dimension} dimensions.`;
    throw asError({ field: 'embed_dim', message });
  }
  await runs().run(async (ask) => {
    let there = await takeInventory(ask, settings);
    const steps = await missing(settings, there);
    if (steps.length > 0 && perform_setup !== false && !unfit(settings, there)) {
      // Several consumers may come at once: one makes it, the others wait and find it.
      await ask(`select pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext($1))`, [
        `sluice ${tableOf(settings)}`,
      ]);
      if (!there.has_extension) {
        await ask('select pg_catalog.pg_advisory_xact_lock(7361)');
        await ask('create extension if not exists vector');
        await ask(`select set_config('search_path', 'pg_catalog, ' || quote_ident(n.nspname), true)
          from pg_catalog.pg_extension e join pg_catalog.pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector'`);
      }
      for (const step of steps) await ask(step);
      there = await takeInventory(ask, settings);
    }
    const problem = unfit(settings, there);
    if (problem) throw asError(problem);
  });
}

/** Statements that make what is not there, in their order. */
async function missing(settings: PgvectorSettings, there: Inventory): Promise<string[]> {
  const table = tableOf(settings);
  const steps: string[] = [];
  if (!there.has_schema) steps.push(`create schema if not exists ${quoted(settings.schema_name)}`);
  if (!there.columns) {
    const columns = Object.entries(COLUMNS).map(([name, type]) => {
      const dimension = type === 'vector' ? `(${settings.embed_dim})` : '';
      return `${quoted(name)} ${type}${dimension} ${name === 'id' ? 'primary key' : 'not null'}`;
    });
    steps.push(`create table if not exists ${table} (${columns.join(', ')})`);
  }
  const index = async (definition: string) => {
    const name = await nameOf(settings, definition);
    if (!there.indexes.includes(name))
      steps.push(`create index if not exists ${quoted(name)} on ${table} ${definition}`);
  };
  await index('(sluice_index, document_id)');
  if (settings.hybrid_search) {
    if (!there.columns?.some(({ name }) => name === WORDS.column)) {
      steps.push(`alter table ${table} add column if not exists ${WORDS.column} ${WORDS.definition}`);
    }
    await index(`using gin (${WORDS.column})`);
  }
  const plan = hnswPlan(settings);
  if (plan && !('problem' in plan)) await index(hnswIndex(plan));
  return steps;
}

const hnswIndex = ({ indexed, m, efConstruction }: HnswPlan) =>
  `using hnsw (${indexed}) with (m = ${m}, ef_construction = ${efConstruction})`;

/** An index is named by what it is, so that other settings make another one, and the same ones none. */
async function nameOf({ table_name }: PgvectorSettings, definition: string): Promise<string> {
  const bytes = new TextEncoder().encode(`${table_name} ${definition}`);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return `sluice_${[...digest.slice(0, 12)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
