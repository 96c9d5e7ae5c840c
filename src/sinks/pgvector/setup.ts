import { z } from 'zod';
import type { OpenDatabase, RunStatement } from './database.ts';
import { DatabaseError } from './failures.ts';
import { type HnswPlan, planHnsw } from './hnsw.ts';
import type { PgvectorSettings } from './settings.ts';
import { COLUMNS, FULL_TEXT, findNameProblem, getQualifiedTable, quoteName } from './table.ts';

const column = z.object({ name: z.string(), type: z.string(), dimension: z.number() });
const inventory = z.object({
  has_extension: z.boolean(),
  has_schema: z.boolean(),
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

/** Problem with the settings or the existing table, with the name of the setting that causes it. */
export interface Problem {
  field: string;
  message: string;
}

export async function readInventory(
  ask: RunStatement,
  { schema_name, table_name }: PgvectorSettings,
): Promise<Inventory> {
  const { data } = inventory.safeParse((await ask(INVENTORY, [schema_name, table_name]))[0]);
  if (!data)
    throw new DatabaseError('returned an unexpected description of its tables.', { retryable: false });
  return data;
}

/** Finds a problem in the settings without reading the database. */
export function findSettingsProblem(settings: PgvectorSettings): Problem | undefined {
  for (const field of ['schema_name', 'table_name', 'database', 'user'] as const) {
    const message = findNameProblem(settings[field]);
    if (message) return { field, message };
  }
  if (settings.port < 1 || settings.port > 65_535)
    return { field: 'port', message: 'port must be between 1 and 65535.' };
  const dimension = settings.embed_dim;
  if (dimension < 1 || dimension > 16_000) {
    return {
      field: 'embed_dim',
      message: `embed_dim must be between 1 and 16000, but is ${dimension}.`,
    };
  }
  const plan = planHnsw(settings);
  return plan && 'problem' in plan
    ? { field: 'hnsw_settings', message: `hnsw_settings: ${plan.problem}.` }
    : undefined;
}

/** Finds the reason why a table cannot hold the data or cannot be created. */
export function findTableProblem(
  settings: PgvectorSettings,
  existing: Inventory,
  wanted: Record<string, string> = COLUMNS,
): Problem | undefined {
  const { schema_name, table_name, embed_dim, perform_setup } = settings;
  const name = `${schema_name}.${table_name}`;
  const { columns } = existing;
  if (!columns) {
    if (perform_setup !== false) return undefined;
    const message = `The table ${name} (table_name) does not exist, and it is not created because perform_setup is false.`;
    return { field: 'table_name', message };
  }
  for (const [column, type] of Object.entries(wanted)) {
    const found = columns.find((each) => each.name === column);
    if (found?.type === type) continue;
    const state = found ? `has type ${found.type} instead of ${type}` : `of type ${type} is missing`;
    const message = `The table ${name} (table_name) does not fit: its column ${column} ${state}. Set table_name to a new name.`;
    return { field: 'table_name', message };
  }
  const dimension = 'embedding' in wanted ? columns.find((each) => each.name === 'embedding')!.dimension : 0;
  if (dimension !== embed_dim && dimension > 0) {
    const message = `The table ${name} holds vectors of ${dimension} dimensions, but embed_dim is ${embed_dim}.`;
    return { field: 'embed_dim', message };
  }
  return undefined;
}

export const toSetupError = ({ field, message }: Problem) =>
  new DatabaseError(`cannot store the vectors: ${message}`, { retryable: false, field });

/**
 * Creates the table and other missing objects, unless `perform_setup` is false. Rejects if an existing table
 * cannot hold the vectors.
 */
export async function setUp(
  runs: OpenDatabase,
  settings: PgvectorSettings,
  dimension: number,
): Promise<void> {
  const { embed_dim, perform_setup } = settings;
  const wrong = findSettingsProblem(settings);
  if (wrong) throw toSetupError(wrong);
  if (dimension !== embed_dim) {
    const message = `embed_dim is ${embed_dim}, but the embedding model returns ${dimension} dimensions.`;
    throw toSetupError({ field: 'embed_dim', message });
  }
  await runs().run(async (ask) => {
    let existing = await readInventory(ask, settings);
    const steps = await listSetupStatements(settings, existing);
    if (steps.length > 0 && perform_setup !== false && !findTableProblem(settings, existing)) {
      await prepareSetup(ask, settings, existing);
      for (const step of steps) await ask(step);
      existing = await readInventory(ask, settings);
    }
    const problem = findTableProblem(settings, existing);
    if (problem) throw toSetupError(problem);
  });
}

/**
 * Takes the lock for the setup and creates the extension. Several workers may run the setup at once. One of them
 * creates the objects, and the others then find them.
 */
export async function prepareSetup(
  ask: RunStatement,
  settings: PgvectorSettings,
  existing: Inventory,
): Promise<void> {
  await ask(`select pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext($1))`, [
    `sluice ${getQualifiedTable(settings)}`,
  ]);
  if (existing.has_extension) return;
  await ask('select pg_catalog.pg_advisory_xact_lock(7361)');
  await ask('create extension if not exists vector');
  await ask(`select set_config('search_path', 'pg_catalog, ' || quote_ident(n.nspname), true)
    from pg_catalog.pg_extension e join pg_catalog.pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector'`);
}

async function listSetupStatements(settings: PgvectorSettings, existing: Inventory): Promise<string[]> {
  const table = getQualifiedTable(settings);
  const steps: string[] = [];
  if (!existing.has_schema) steps.push(`create schema if not exists ${quoteName(settings.schema_name)}`);
  if (!existing.columns) {
    const columns = Object.entries(COLUMNS).map(([name, type]) => {
      const dimension = type === 'vector' ? `(${settings.embed_dim})` : '';
      return `${quoteName(name)} ${type}${dimension} ${name === 'id' ? 'primary key' : 'not null'}`;
    });
    steps.push(`create table if not exists ${table} (${columns.join(', ')})`);
  }
  const index = async (definition: string) => {
    const name = await buildIndexName(settings, definition);
    if (!existing.indexes.includes(name))
      steps.push(`create index if not exists ${quoteName(name)} on ${table} ${definition}`);
  };
  await index('(sluice_index, document_id)');
  if (settings.hybrid_search) {
    if (!existing.columns?.some(({ name }) => name === FULL_TEXT.column)) {
      steps.push(`alter table ${table} add column if not exists ${FULL_TEXT.column} ${FULL_TEXT.definition}`);
    }
    await index(`using gin (${FULL_TEXT.column})`);
  }
  const plan = planHnsw(settings);
  if (plan && !('problem' in plan)) await index(buildHnswIndex(plan));
  return steps;
}

export const buildHnswIndex = ({ indexed, m, efConstruction }: HnswPlan) =>
  `using hnsw (${indexed}) with (m = ${m}, ef_construction = ${efConstruction})`;

/**
 * Names an index by a hash of its definition. Changed settings therefore create another index, and unchanged
 * settings reuse the existing one.
 */
export async function buildIndexName({ table_name }: PgvectorSettings, definition: string): Promise<string> {
  const bytes = new TextEncoder().encode(`${table_name} ${definition}`);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return `sluice_${[...digest.slice(0, 12)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
