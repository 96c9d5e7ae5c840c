import { eq, type SQL, sql } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import { parsePageToken } from '#src/db/paging.ts';
import { isOpenRun, projects } from '#src/db/schema/index.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { encodeCursor } from '#src/lib/cursor.ts';
import { Invalid, NotFound } from '#src/lib/errors.ts';
import { requireOperator } from '#src/services/tenancy/bootstrap.ts';
import type { Row } from './restore-rules.ts';
import { createBackupRing, resealRow, type UnopenedSecret } from './secrets.ts';
import { type BackupTable, findBackupTable, listBackupTables } from './tables.ts';

/** Maximum size in bytes of the rows in a response. A single row may have two million bytes. */
const MAX_BYTES = 2_000_000;
const DEFAULT_ROWS = 200;
/** Tables of users and projects, whose rows own rows of other tables. */
const OWNER_TABLES = new Set(['users', 'projects']);
/** Maximum number of references to other projects that are reported. */
const MAX_OUTSIDE = 20;

export interface Outline {
  tables: { name: string; columns: string[]; required: string[]; rows: number | null }[];
  /** References from the project to rows of other projects. Empty if the caller did not ask to count rows. */
  outside: { place: string; reference: string }[];
  /** Number of unfinished sync runs. */
  open_syncs: number;
}

/**
 * Describes the backup of the installation or of one project. Rows are counted only with `isCounted`. A
 * caller that repeatedly waits for syncs to end should not scan every table.
 */
export async function describeBackup(
  ctx: TenantContext,
  project: string | null,
  isCounted: boolean,
): Promise<Outline> {
  await requireOperator(ctx);
  if (project !== null && (await ctx.db.$count(projects, eq(projects.id, project))) === 0) {
    throw new NotFound('Project', project);
  }
  const tables = listBackupTables(project);
  const described = await inParallel(tables, async (each) => {
    const { name, columns, required } = each.shape;
    return { name, columns, required, rows: isCounted ? await countRows(ctx, each, project) : null };
  });
  const outside = project === null || !isCounted ? [] : await findOutsideReferences(ctx, tables, project);
  return { tables: described, outside, open_syncs: await countOpenSyncs(ctx, project) };
}

export async function countRows(ctx: Context, { shape, within }: BackupTable, project: string | null) {
  const where = project === null ? sql`true` : within!(project);
  const [row] = await ctx.db.all<{ n: number }>(
    sql`select count(*) as n from ${sql.identifier(shape.name)} where ${where}`,
  );
  return row!.n;
}

async function countOpenSyncs(ctx: Context, project: string | null): Promise<number> {
  const where = project === null ? sql`true` : findBackupTable('sync_runs', project)!.within!(project);
  const [row] = await ctx.db.all<{ n: number }>(
    sql`select count(*) as n from sync_runs where ${isOpenRun} and ${where}`,
  );
  return row!.n;
}

/**
 * Finds rows of other projects that the project refers to, such as files and connections. The backup of the
 * project would not contain them.
 */
async function findOutsideReferences(
  ctx: Context,
  tables: readonly BackupTable[],
  project: string,
): Promise<Outline['outside']> {
  const asked = tables.flatMap((each) =>
    [...each.shape.references, ...each.mentions].flatMap((reference) => {
      const target = findBackupTable(reference.table, project);
      return target && !OWNER_TABLES.has(reference.table) ? [{ each, reference, target }] : [];
    }),
  );
  const found = await inParallel(asked, async ({ each: { shape, within }, reference, target }) => {
    const column = sql`holder.${sql.identifier(reference.column)}`;
    const named =
      reference.member === undefined
        ? sql`(${column})`
        : sql`(select value ->> ${reference.member} from json_each(${column}))`;
    const foreign = sql`(select id from ${sql.identifier(target.shape.name)}
      where id in ${named} and (${target.within!(project)}) is not true limit 1)`;
    const key = shape.key.map((name) => sql`holder.${sql.identifier(name)}`);
    // The referring row has an alias, because a pipeline may refer to another pipeline.
    const rows = await ctx.db.all<{ id: string; other: string }>(
      sql`select ${sql.join(key, sql` || '/' || `)} as id, ${foreign} as other from ${sql.identifier(shape.name)} holder
        where ${within!(project)} and other is not null limit ${MAX_OUTSIDE}`,
    );
    return rows.map(({ id, other }) => ({
      place: `${shape.name}/${id}`,
      reference: `${target.shape.name}/${other}`,
    }));
  });
  return found.flat().slice(0, MAX_OUTSIDE);
}

export interface RowsInput {
  table: string;
  project?: string | null | undefined;
  backup_key: string;
  page_size?: number | null | undefined;
  page_token?: string | null | undefined;
}

export interface RowsPage {
  rows: Row[];
  unopened: UnopenedSecret[];
  next_page_token: string | null;
}

/**
 * Returns a page of a table's rows, ordered by their primary key. Secrets are encrypted with the key of the
 * backup.
 */
export async function readRows(ctx: TenantContext, input: RowsInput): Promise<RowsPage> {
  await requireOperator(ctx);
  const project = input.project ?? null;
  const table = findBackupTable(input.table, project);
  if (!table)
    throw Invalid.field(['table'], 'Value error, the backup of a project does not contain this table');
  const ring = createBackupRing(ctx, input.backup_key);
  const { rows, isLast } = await readRowPage(ctx, table, project, input);
  const sealed = await inParallel(rows, (row) => resealRow(table.shape.name, row, ring));
  const last = rows.at(-1);
  return {
    rows: sealed.map(({ row }) => row),
    unopened: sealed.flatMap(({ unopened }) => unopened),
    next_page_token: isLast || !last ? null : encodeCursor(table.shape.key.map((name) => String(last[name]))),
  };
}

/** Reads the sizes of the next rows first, and then as many rows as fit into a response. */
async function readRowPage(
  ctx: Context,
  { shape, within }: BackupTable,
  project: string | null,
  input: RowsInput,
): Promise<{ rows: Row[]; isLast: boolean }> {
  const after = parsePageToken(
    input.page_token,
    shape.key.map(() => 'string' as const),
    ['body', 'page_token'],
  );
  const key = joinSql(shape.key.map((name) => sql`${sql.identifier(name)}`));
  const follows = after ? sql`(${key}) > (${joinSql(after.map((value) => sql`${value}`))})` : sql`true`;
  const where = sql`${follows} and ${project === null ? sql`true` : within!(project)}`;
  const from = sql`from ${sql.identifier(shape.name)} where ${where} order by ${key}`;
  const size = sql.join(
    shape.columns.map((name) => sql`ifnull(length(cast(${sql.identifier(name)} as blob)), 0)`),
    sql` + `,
  );
  const limit = input.page_size ?? DEFAULT_ROWS;
  const sizes = await ctx.db.all<{ size: number }>(sql`select ${size} as size ${from} limit ${limit}`);
  let bytes = 0;
  const beyond = sizes.findIndex((row) => {
    bytes += row.size;
    return bytes > MAX_BYTES;
  });
  const fitting = beyond < 0 ? sizes.length : Math.max(1, beyond);
  if (fitting === 0) return { rows: [], isLast: true };
  const columns = joinSql(shape.columns.map((name) => sql`${sql.identifier(name)}`));
  const rows = await ctx.db.all<Row>(sql`select ${columns} ${from} limit ${fitting}`);
  return { rows, isLast: beyond < 0 && sizes.length < limit };
}

const joinSql = (parts: SQL[]) => sql.join(parts, sql`, `);
