import type { OpenDatabase, RunStatement } from '#src/sinks/pgvector/database.ts';
import { planHnsw } from '#src/sinks/pgvector/hnsw.ts';
import type { PgvectorSettings } from '#src/sinks/pgvector/settings.ts';
import {
  buildHnswIndex,
  buildIndexName,
  findSettingsProblem,
  findTableProblem,
  type Inventory,
  type Problem,
  prepareSetup,
  readInventory,
  toSetupError,
} from '#src/sinks/pgvector/setup.ts';
import { findNameProblem, quoteName } from '#src/sinks/pgvector/table.ts';
import {
  getTableName,
  getTables,
  NULLABLE,
  PRIMARY_KEYS,
  SEARCH_TABLE_NAMES,
  SEARCH_TABLES,
  type SearchTable,
} from './tables.ts';

type Inventories = Record<SearchTable, Inventory>;

/** Indexes besides the primary keys. Documents are found by facets, and chunks by document, node id and term. */
const INDEXES: [SearchTable, string][] = [
  ['documents', 'using gin (facets jsonb_path_ops)'],
  ['chunks', '(sluice_index, document_id, version, position)'],
  ['chunks', '(sluice_index, node_id)'],
  ['chunks', 'using gin (terms)'],
];

const withTable = (settings: PgvectorSettings, table: SearchTable): PgvectorSettings => ({
  ...settings,
  table_name: getTableName(settings, table),
});

/** Finds a problem in the settings without reading the database. */
export function findSearchSettingsProblem(settings: PgvectorSettings): Problem | undefined {
  const wrong = findSettingsProblem(settings);
  if (wrong) return wrong;
  for (const table of SEARCH_TABLE_NAMES) {
    const name = getTableName(settings, table);
    const message = findNameProblem(name);
    if (message)
      return { field: 'table_name', message: `With native_search there is a table ${name}. ${message}` };
  }
  return undefined;
}

export async function readInventories(ask: RunStatement, settings: PgvectorSettings): Promise<Inventories> {
  const read = SEARCH_TABLE_NAMES.map(
    async (table) => [table, await readInventory(ask, withTable(settings, table))] as const,
  );
  return Object.fromEntries(await Promise.all(read)) as Inventories;
}

/** Finds the reason why one of the tables cannot be used or created. */
export function findTablesProblem(settings: PgvectorSettings, existing: Inventories): Problem | undefined {
  for (const table of SEARCH_TABLE_NAMES) {
    const problem = findTableProblem(withTable(settings, table), existing[table], SEARCH_TABLES[table]);
    if (problem) return problem;
  }
  return undefined;
}

/** Creates the tables and indexes of a search in the store, unless `perform_setup` is false. */
export async function setUpSearch(
  runs: OpenDatabase,
  settings: PgvectorSettings,
  dimension: number,
): Promise<void> {
  const { embed_dim, perform_setup } = settings;
  const wrong = findSearchSettingsProblem(settings);
  if (wrong) throw toSetupError(wrong);
  if (dimension !== embed_dim) {
    const message = `embed_dim is ${embed_dim}, but the embedding model returns ${dimension} dimensions.`;
    throw toSetupError({ field: 'embed_dim', message });
  }
  await runs().run(async (ask) => {
    let existing = await readInventories(ask, settings);
    const steps = await listSteps(settings, existing);
    if (steps.length > 0 && perform_setup !== false && !findTablesProblem(settings, existing)) {
      await prepareSetup(ask, settings, existing.chunks);
      for (const step of steps) await ask(step);
      existing = await readInventories(ask, settings);
    }
    const problem = findTablesProblem(settings, existing);
    if (problem) throw toSetupError(problem);
  });
}

async function listSteps(settings: PgvectorSettings, existing: Inventories): Promise<string[]> {
  const tables = getTables(settings);
  const steps: string[] = [];
  if (!existing.chunks.has_schema) {
    steps.push(`create schema if not exists ${quoteName(settings.schema_name)}`);
  }
  for (const table of SEARCH_TABLE_NAMES) {
    if (existing[table].columns) continue;
    const columns = Object.entries(SEARCH_TABLES[table]).map(([name, type]) =>
      [
        quoteName(name),
        type === 'vector' ? `vector(${settings.embed_dim})` : type,
        ...(type === 'text' ? ['collate "C"'] : []),
        ...(NULLABLE[table].includes(name) ? [] : ['not null']),
      ].join(' '),
    );
    const key = `primary key (${PRIMARY_KEYS[table]})`;
    // Counts change all the time. Free space in their pages keeps the changes away from the indexes.
    const space = table === 'terms' || table === 'languages' ? ' with (fillfactor = 70)' : '';
    steps.push(`create table if not exists ${tables[table]} (${[...columns, key].join(', ')})${space}`);
  }
  const plan = planHnsw(settings);
  const indexes =
    plan && !('problem' in plan) ? [...INDEXES, ['chunks', buildHnswIndex(plan)] as const] : INDEXES;
  for (const [table, definition] of indexes) {
    const name = await buildIndexName(withTable(settings, table), definition);
    if (!existing[table].indexes.includes(name)) {
      steps.push(`create index if not exists ${quoteName(name)} on ${tables[table]} ${definition}`);
    }
  }
  return steps;
}
