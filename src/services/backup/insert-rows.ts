import { type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import type { UniqueIndex } from '#src/db/ownership/shape.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { Conflict, getErrorMessage } from '#src/lib/errors.ts';
import type { RestoreOrder } from './orders.ts';
import type { Row } from './restore-rules.ts';
import type { BackupTable } from './tables.ts';

export interface InsertResult {
  written: number;
  /** Ids of rows that were skipped or replaced, in this call or in earlier calls. */
  leftOut: string[];
}

/**
 * Inserts the rows whose parent rows exist. A missing parent was deleted while the backup was made. If two
 * rows conflict, such as files with the same external id, the newer row is kept.
 */
export async function insertRows(
  ctx: Context,
  table: BackupTable,
  rows: Row[],
  order: RestoreOrder,
): Promise<InsertResult> {
  if (rows.length === 0) return { written: 0, leftOut: [] };
  const insert = (some: Row[]) =>
    ctx.db.$client.batch(some.map((row) => prepareInsert(ctx, table, row, order))).catch(toConflict);
  await insert(rows);
  let found = await findExisting(ctx, table, rows);
  const missing = rows.filter((row) => !found.has(getRowName(table, row)));
  const replaced: string[] = [];
  if (missing.length > 0 && table.shape.unique.length > 0) {
    const removed = await inParallel(missing, (row) => removeOlder(ctx, table, row, order.project));
    replaced.push(...removed.flat());
    // Rows are ordered by id. Inserting them in reverse order keeps the newest of several conflicting rows.
    await insert(missing.toReversed());
    found = await findExisting(ctx, table, rows);
  }
  const absent = rows.map((row) => getRowName(table, row)).filter((name) => !found.has(name));
  return { written: rows.length - absent.length, leftOut: [...new Set([...replaced, ...absent])] };
}

const getRowName = ({ shape }: BackupTable, row: Row) => shape.key.map((name) => row[name]).join('/');

/**
 * Prepares the statement that inserts a row. Values are passed one by one, because a row as JSON may exceed
 * SQLite's limit for a value. All names in the statement come from the schema.
 */
function prepareInsert(ctx: Context, table: BackupTable, row: Row, order: RestoreOrder): D1PreparedStatement {
  const { shape } = table;
  const columns = shape.columns.filter((name) => row[name] !== undefined);
  const optional = new Map(
    shape.references.filter(({ onDelete }) => onDelete === 'set null').map((to) => [to.column, to]),
  );
  const values = columns.map((name) => {
    const parent = optional.get(name);
    return parent ? `(select id from "${parent.table}" where id = ?)` : '?';
  });
  const parents = listParents(table, row);
  const isThere = parents.map((parent) => `exists (select 1 from "${parent.table}" where id = ?)`);
  return ctx.db.$client
    .prepare(
      `insert into "${shape.name}" (${quoteNames(columns)}) select ${values.join()}
        where ${['true', ...isThere].join(' and ')} ${buildConflictClause(table, columns, order)}`,
    )
    .bind(...columns.map((name) => row[name]), ...parents.map(({ column }) => row[column]));
}

/**
 * Returns the set foreign keys of a row whose parent row must exist. Foreign keys that a deleted parent sets
 * to null are omitted.
 */
const listParents = ({ shape }: BackupTable, row: Row) =>
  shape.references.filter(
    ({ column, onDelete }) => onDelete !== 'set null' && (row[column] ?? null) !== null,
  );

function buildConflictClause(
  { shape, existsInNewInstallation }: BackupTable,
  columns: string[],
  { project }: RestoreOrder,
): string {
  const others = columns.filter((name) => !shape.key.includes(name));
  const update = (names: string[]) => {
    const changes = names.map((name) => `"${name}" = excluded."${name}"`);
    return `on conflict (${quoteNames(shape.key)}) do ${changes.length > 0 ? `update set ${changes.join()}` : 'nothing'}`;
  };
  if (!existsInNewInstallation) return 'on conflict do nothing';
  if (project === null) return `${update(others)} on conflict do nothing`;
  // An existing project keeps its name, and existing users are not changed. If another project has the same
  // name, the insert fails and the error says so.
  return update(others.filter((name) => RESTORED_PROJECT_COLUMNS.includes(name)));
}

/** Columns that the backup overwrites in an existing, empty project. */
const RESTORED_PROJECT_COLUMNS = ['limits', 'retention'];

const quoteNames = (names: string[]) => names.map((name) => `"${name}"`).join();

/**
 * Deletes older rows that conflict with this row. They were written by the same restore, because the tables
 * were empty before.
 */
async function removeOlder(
  ctx: Context,
  table: BackupTable,
  row: Row,
  project: string | null,
): Promise<string[]> {
  const { shape, within } = table;
  const key = buildKey(table);
  const own = joinSql(shape.key.map((name) => sql`${row[name]}`));
  const isThere = listParents(table, row).map(
    ({ column, table: name }) =>
      sql`exists (select 1 from ${sql.identifier(name)} where id = ${row[column]})`,
  );
  const conditions = [
    sql`(${key}) < (${own})`,
    project === null ? sql`true` : sql`(${within!(project)})`,
    ...isThere,
    sql`(${sql.join(
      shape.unique.map((each) => whereConflicting(each, row)),
      sql` or `,
    )})`,
  ];
  const removed = await ctx.db.all<Row>(
    sql`delete from ${sql.identifier(shape.name)} where ${sql.join(conditions, sql` and `)} returning ${key}`,
  );
  return removed.map((each) => getRowName(table, each));
}

function whereConflicting({ columns, where }: UniqueIndex, row: Row): SQL {
  // If the release that made the backup lacked a column, the column has its default value in all rows.
  const alike = columns.map((name) =>
    row[name] === undefined
      ? sql`${sql.identifier(name)} is not null`
      : sql`${sql.identifier(name)} = ${row[name]}`,
  );
  return sql`(${sql.join([...alike, ...(where ? [where] : [])], sql` and `)})`;
}

async function findExisting(ctx: Context, table: BackupTable, rows: Row[]): Promise<Set<string>> {
  const { shape } = table;
  const key = buildKey(table);
  const given = JSON.stringify(rows.map((row) => shape.key.map((name) => row[name])));
  const parts = joinSql(shape.key.map((_, at) => sql.raw(`value ->> ${at}`)));
  const found = await ctx.db.all<Row>(
    sql`select ${key} from ${sql.identifier(shape.name)} where (${key}) in (select ${parts} from json_each(${given}))`,
  );
  return new Set(found.map((row) => getRowName(table, row)));
}

const buildKey = ({ shape }: BackupTable) => joinSql(shape.key.map((name) => sql`${sql.identifier(name)}`));

/** Throws a violated unique constraint as a Conflict that names the columns. */
function toConflict(error: unknown): never {
  const failed = /UNIQUE constraint failed: ([\w., ]+)/.exec(
    `${getErrorMessage(error)} ${getErrorMessage((error as Error).cause)}`,
  );
  if (failed) throw new Conflict(`A row of this installation already has the same ${failed[1]!.trim()}.`);
  throw error;
}

const joinSql = (parts: SQL[]) => sql.join(parts, sql`, `);
