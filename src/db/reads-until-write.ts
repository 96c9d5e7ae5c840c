import { getTableName, type Table } from 'drizzle-orm';

/**
 * Keeps the results of reads until a table that they read changes. A deployment has many isolates, which do not learn of each
 * other's writes, so this is only used if this isolate is the only one that writes to the database.
 */

/** Maximum number of results that are kept. */
const MAX_KEPT = 256;
/** Maximum size of a kept result as JSON, in characters. */
const MAX_CHARACTERS = 65_536;
/** Maximum time in milliseconds for which a result is kept. */
const MAX_AGE_MS = 5_000;
/**
 * Time in milliseconds after which a write is no longer expected to reach the database. The end of a write is unknown if
 * the runtime has cancelled its request.
 */
const MAX_WRITE_MS = 30_000;

interface Kept {
  value: unknown;
  /** Number of changes, as `countChanges` returns it, when the read began. */
  changes: number;
  at: number;
}

interface UnfinishedWrite {
  since: number;
  /** Names of the tables that it writes to. Absent if it may write to every table. */
  tables: readonly string[] | undefined;
}

/** Number of times that a write to a table began or ended, by the table's name. */
const changesByTable = new Map<string, number>();
/** The same for writes that may change every table. */
let changesOfAll = 0;
const unfinished = new Set<UnfinishedWrite>();

function countChange(tables: readonly string[] | undefined): void {
  if (!tables) changesOfAll += 1;
  for (const table of tables ?? []) changesByTable.set(table, (changesByTable.get(table) ?? 0) + 1);
}

/** Returns how often a write began or ended that may have changed one of these tables. */
function countChanges(tables: readonly string[]): number {
  return tables.reduce((sum, table) => sum + (changesByTable.get(table) ?? 0), changesOfAll);
}

/**
 * Records that a write begins, to the tables with these names or, without names, to any table. Call the returned
 * function when it has ended.
 */
export function beginWrite(tables?: readonly string[]): () => void {
  const write = { since: Date.now(), tables };
  countChange(tables);
  unfinished.add(write);
  return () => {
    countChange(tables);
    unfinished.delete(write);
  };
}

function isBeingWritten(tables: readonly string[]): boolean {
  const oldest = Date.now() - MAX_WRITE_MS;
  for (const write of unfinished) if (write.since < oldest) unfinished.delete(write);
  return [...unfinished].some((write) => write.tables?.some((table) => tables.includes(table)) ?? true);
}

const keptByDatabase = new WeakMap<object, Map<string, Kept>>();

/** Declares that no other isolate and no other process writes to this database. */
export function keepReads(database: object): void {
  if (!keptByDatabase.has(database)) keptByDatabase.set(database, new Map());
}

/** Read whose result is kept. */
export interface KeptRead<Value> {
  /** Distinguishes the read from all others of the database. */
  key: string;
  /** All tables that the read depends on. */
  tables: readonly Table[];
  read: () => Promise<Value | undefined>;
}

/**
 * Returns the result of a read. It may be the result of an earlier read with the same `key`, if no write to its tables
 * began or ended since that read began. So a change is visible to every read that starts after it. Callers must not
 * change the result. Results of `undefined` are not kept.
 */
export async function readUntilWrite<Value>(
  database: object,
  { key, tables, read }: KeptRead<Value>,
): Promise<Value | undefined> {
  const kept = keptByDatabase.get(database);
  if (!kept) return read();
  const names = tables.map((table) => getTableName(table));
  const found = kept.get(key);
  const now = Date.now();
  const changes = countChanges(names);
  if (found && found.changes === changes && now - found.at < MAX_AGE_MS) return found.value as Value;
  const isQuiet = !isBeingWritten(names);
  const value = await read();
  kept.delete(key);
  if (value === undefined || !isQuiet || countChanges(names) !== changes) return value;
  if (JSON.stringify(value).length > MAX_CHARACTERS) return value;
  kept.set(key, { value, changes, at: now });
  if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!);
  return value;
}
