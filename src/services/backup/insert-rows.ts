import { type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import type { Unique } from '#src/db/ownership/shape.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { Conflict, messageOf } from '#src/lib/errors.ts';
import type { Order } from './orders.ts';
import type { Row } from './restored-as.ts';
import type { BackupTable } from './tables.ts';

export interface Inserted {
  written: number;
  /** Ids of rows that were not inserted, including those left out by earlier calls. */
  leftOut: string[];
}

/**
 * Inserts the rows whose parents exist. A missing parent was deleted while the backup was made. Two rows can
 * also conflict, such as files with the same external id; the newer one stays.
 */
export async function insertRows(
  ctx: Context,
  table: BackupTable,
  rows: Row[],
  order: Order,
): Promise<Inserted> {
  if (rows.length === 0) return { written: 0, leftOut: [] };
  const insert = (some: Row[]) =>
    ctx.db.$client.batch(some.map((row) => insertion(ctx, table, row, order))).catch(asConflict);
  await insert(rows);
  let found = await present(ctx, table, rows);
  const missing = rows.filter((row) => !found.has(nameOf(table, row)));
  const replaced: string[] = [];
  if (missing.length > 0 && table.shape.unique.length > 0) {
    const removed = await inParallel(missing, (row) => removeOlder(ctx, table, row, order.project));
    replaced.push(...removed.flat());
    // Rows are ordered by id, so they are inserted in reverse and the last of several conflicting rows stays.
    await insert(missing.toReversed());
    found = await present(ctx, table, rows);
  }
  const absent = rows.map((row) => nameOf(table, row)).filter((name) => !found.has(name));
  return { written: rows.length - absent.length, leftOut: [...new Set([...replaced, ...absent])] };
}

const nameOf = ({ shape }: BackupTable, row: Row) => shape.key.map((name) => row[name]).join('/');

/**
 * Passes the values one by one, because a row as JSON may exceed SQLite's size limit of a value. All names
 * come from the schema.
 */
function insertion(ctx: Context, table: BackupTable, row: Row, order: Order): D1PreparedStatement {
  const { shape } = table;
  const columns = shape.columns.filter((name) => row[name] !== undefined);
  const optional = new Map(
    shape.references.filter(({ onDelete }) => onDelete === 'set null').map((to) => [to.column, to]),
  );
  const values = columns.map((name) => {
    const parent = optional.get(name);
    return parent ? `(select id from "${parent.table}" where id = ?)` : '?';
  });
  const parents = parentsOf(table, row);
  const isThere = parents.map((parent) => `exists (select 1 from "${parent.table}" where id = ?)`);
  return ctx.db.$client
    .prepare(
      `insert into "${shape.name}" (${quoted(columns)}) select ${values.join()}
        where ${['true', ...isThere].join(' and ')} ${onConflict(table, columns, order)}`,
    )
    .bind(...columns.map((name) => row[name]), ...parents.map(({ column }) => row[column]));
}

/** Returns the rows that a row requires. */
const parentsOf = ({ shape }: BackupTable, row: Row) =>
  shape.references.filter(
    ({ column, onDelete }) => onDelete !== 'set null' && (row[column] ?? null) !== null,
  );

function onConflict(
  { shape, existsInNewInstallation }: BackupTable,
  columns: string[],
  { project }: Order,
): string {
  const others = columns.filter((name) => !shape.key.includes(name));
  const update = (names: string[]) => {
    const changes = names.map((name) => `"${name}" = excluded."${name}"`);
    return `on conflict (${quoted(shape.key)}) do ${changes.length > 0 ? `update set ${changes.join()}` : 'nothing'}`;
  };
  if (!existsInNewInstallation) return 'on conflict do nothing';
  if (project === null) return `${update(others)} on conflict do nothing`;
  // An existing project keeps its name, and existing users stay. A name that another project uses causes an
  // error that states it.
  return update(others.filter((name) => KEPT_BY_A_PROJECT.includes(name)));
}

/** Columns that an empty project takes from the backup. */
const KEPT_BY_A_PROJECT = ['limits', 'retention'];

const quoted = (names: string[]) => names.map((name) => `"${name}"`).join();

/**
 * Removes an older row that conflicts with this one. It comes from the same restore, because nothing existed
 * before.
 */
async function removeOlder(
  ctx: Context,
  table: BackupTable,
  row: Row,
  project: string | null,
): Promise<string[]> {
  const { shape, within } = table;
  const key = keyOf(table);
  const own = list(shape.key.map((name) => sql`${row[name]}`));
  const isThere = parentsOf(table, row).map(
    ({ column, table: name }) =>
      sql`exists (select 1 from ${sql.identifier(name)} where id = ${row[column]})`,
  );
  const conditions = [
    sql`(${key}) < (${own})`,
    project === null ? sql`true` : sql`(${within!(project)})`,
    ...isThere,
    sql`(${sql.join(
      shape.unique.map((each) => isAlike(each, row)),
      sql` or `,
    )})`,
  ];
  const removed = await ctx.db.all<Row>(
    sql`delete from ${sql.identifier(shape.name)} where ${sql.join(conditions, sql` and `)} returning ${key}`,
  );
  return removed.map((each) => nameOf(table, each));
}

function isAlike({ columns, where }: Unique, row: Row): SQL {
  // A column that the backup's release did not have gets its default in every row.
  const alike = columns.map((name) =>
    row[name] === undefined
      ? sql`${sql.identifier(name)} is not null`
      : sql`${sql.identifier(name)} = ${row[name]}`,
  );
  return sql`(${sql.join([...alike, ...(where ? [where] : [])], sql` and `)})`;
}

async function present(ctx: Context, table: BackupTable, rows: Row[]): Promise<Set<string>> {
  const { shape } = table;
  const key = keyOf(table);
  const given = JSON.stringify(rows.map((row) => shape.key.map((name) => row[name])));
  const parts = list(shape.key.map((_, at) => sql.raw(`value ->> ${at}`)));
  const found = await ctx.db.all<Row>(
    sql`select ${key} from ${sql.identifier(shape.name)} where (${key}) in (select ${parts} from json_each(${given}))`,
  );
  return new Set(found.map((row) => nameOf(table, row)));
}

const keyOf = ({ shape }: BackupTable) => list(shape.key.map((name) => sql`${sql.identifier(name)}`));

/** Turns a violated unique name into a Conflict that states the name. */
function asConflict(error: unknown): never {
  const failed = /UNIQUE constraint failed: ([\w., ]+)/.exec(
    `${messageOf(error)} ${messageOf((error as Error).cause)}`,
  );
  if (failed) throw new Conflict(`Something else has the same ${failed[1]!.trim()}.`);
  throw error;
}

const list = (parts: SQL[]) => sql.join(parts, sql`, `);
