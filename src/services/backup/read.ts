import { eq, type SQL, sql } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import { readPageToken } from '#src/db/paging.ts';
import { isOpenRun, projects } from '#src/db/schema/index.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { encodeCursor } from '#src/lib/cursor.ts';
import { Invalid, NotFound } from '#src/lib/errors.ts';
import { requireOperator } from '#src/services/tenancy/bootstrap.ts';
import type { Row } from './restored-as.ts';
import { resealRow, ringToBackup, type Unopened } from './secrets.ts';
import { type BackupTable, findBackupTable, listBackupTables } from './tables.ts';

/** Maximum bytes of rows in one response. A single row may have two million. */
const MOST_BYTES = 2_000_000;
const USUAL_ROWS = 200;
/** Tables whose rows own other rows. */
const OWNERS = new Set(['users', 'projects']);
/** Maximum number of names reported that prevent a project from being backed up alone. */
const MOST_TOLD = 20;

export interface Outline {
  tables: { name: string; columns: string[]; required: string[]; rows: number | null }[];
  /** References from the project to other projects. Only set if rows are counted. */
  outside: { place: string; reference: string }[];
  /** Number of sync runs that have not ended. */
  open_syncs: number;
}

/**
 * Describes the backup of the installation or of one project. Counts reflect the present and are read only
 * with `isCounted`, because a caller that waits for syncs should not scan every table.
 */
export async function outlineOf(
  ctx: TenantContext,
  project: string | null,
  isCounted: boolean,
): Promise<Outline> {
  await requireOperator(ctx);
  if (project !== null && (await ctx.db.$count(projects, eq(projects.id, project))) === 0) {
    throw new NotFound('Project', project);
  }
  const tables = listBackupTables(project);
  const told = await inParallel(tables, async (each) => {
    const { name, columns, required } = each.shape;
    return { name, columns, required, rows: isCounted ? await countOf(ctx, each, project) : null };
  });
  const outside = project === null || !isCounted ? [] : await referencesOutside(ctx, tables, project);
  return { tables: told, outside, open_syncs: await openSyncs(ctx, project) };
}

export async function countOf(ctx: Context, { shape, within }: BackupTable, project: string | null) {
  const where = project === null ? sql`true` : within!(project);
  const [row] = await ctx.db.all<{ n: number }>(
    sql`select count(*) as n from ${sql.identifier(shape.name)} where ${where}`,
  );
  return row!.n;
}

async function openSyncs(ctx: Context, project: string | null): Promise<number> {
  const where = project === null ? sql`true` : findBackupTable('sync_runs', project)!.within!(project);
  const [row] = await ctx.db.all<{ n: number }>(
    sql`select count(*) as n from sync_runs where ${isOpenRun} and ${where}`,
  );
  return row!.n;
}

/**
 * Finds files and connections of other projects that a pipeline uses, because a project's own backup lacks
 * them.
 */
async function referencesOutside(
  ctx: Context,
  tables: readonly BackupTable[],
  project: string,
): Promise<Outline['outside']> {
  const asked = tables.flatMap((each) =>
    [...each.shape.references, ...each.mentions].flatMap((reference) => {
      const target = findBackupTable(reference.table, project);
      return target && !OWNERS.has(reference.table) ? [{ each, reference, target }] : [];
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
    // The referring row has an alias, because a pipeline may refer to another pipeline.
    const rows = await ctx.db.all<{ id: string; other: string }>(
      sql`select holder.id as id, ${foreign} as other from ${sql.identifier(shape.name)} holder
        where ${within!(project)} and other is not null limit ${MOST_TOLD}`,
    );
    return rows.map(({ id, other }) => ({
      place: `${shape.name}/${id}`,
      reference: `${target.shape.name}/${other}`,
    }));
  });
  return found.flat().slice(0, MOST_TOLD);
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
  unopened: Unopened[];
  next_page_token: string | null;
}

/** Returns a page of a table's rows ordered by key, with secrets sealed by the backup's key. */
export async function readRows(ctx: TenantContext, input: RowsInput): Promise<RowsPage> {
  await requireOperator(ctx);
  const project = input.project ?? null;
  const table = findBackupTable(input.table, project);
  if (!table) throw Invalid.field(['table'], 'Value error, a project has no rows there');
  const ring = ringToBackup(ctx, input.backup_key);
  const { rows, isLast } = await pageOfRows(ctx, table, project, input);
  const sealed = await inParallel(rows, (row) => resealRow(table.shape.name, row, ring));
  const last = rows.at(-1);
  return {
    rows: sealed.map(({ row }) => row),
    unopened: sealed.flatMap(({ unopened }) => unopened),
    next_page_token: isLast || !last ? null : encodeCursor(table.shape.key.map((name) => String(last[name]))),
  };
}

/** First reads the size of the next rows, then as many of them as fit into a response. */
async function pageOfRows(
  ctx: Context,
  { shape, within }: BackupTable,
  project: string | null,
  input: RowsInput,
): Promise<{ rows: Row[]; isLast: boolean }> {
  const after = readPageToken(
    input.page_token,
    shape.key.map(() => 'string' as const),
    ['body', 'page_token'],
  );
  const key = list(shape.key.map((name) => sql`${sql.identifier(name)}`));
  const follows = after ? sql`(${key}) > (${list(after.map((value) => sql`${value}`))})` : sql`true`;
  const where = sql`${follows} and ${project === null ? sql`true` : within!(project)}`;
  const from = sql`from ${sql.identifier(shape.name)} where ${where} order by ${key}`;
  const size = sql.join(
    shape.columns.map((name) => sql`ifnull(length(cast(${sql.identifier(name)} as blob)), 0)`),
    sql` + `,
  );
  const limit = input.page_size ?? USUAL_ROWS;
  const sizes = await ctx.db.all<{ size: number }>(sql`select ${size} as size ${from} limit ${limit}`);
  let bytes = 0;
  const beyond = sizes.findIndex((row) => {
    bytes += row.size;
    return bytes > MOST_BYTES;
  });
  const fitting = beyond < 0 ? sizes.length : Math.max(1, beyond);
  if (fitting === 0) return { rows: [], isLast: true };
  const columns = list(shape.columns.map((name) => sql`${sql.identifier(name)}`));
  const rows = await ctx.db.all<Row>(sql`select ${columns} ${from} limit ${fitting}`);
  return { rows, isLast: beyond < 0 && sizes.length < limit };
}

const list = (parts: SQL[]) => sql.join(parts, sql`, `);
