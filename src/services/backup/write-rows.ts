import { sql } from 'drizzle-orm';
import { z } from 'zod';
import { keys } from '#src/bucket/keys.ts';
import type { Context, TenantContext } from '#src/context/context.ts';
import type { Reference } from '#src/db/ownership/shape.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { Invalid } from '#src/lib/errors.ts';
import { insertRows } from './insert-rows.ts';
import { isProjectKey } from './objects.ts';
import { type RestoreOrder, requireOrder } from './orders.ts';
import type { Row } from './restore-rules.ts';
import { createRestoreRing, resealRow, type UnopenedSecret } from './secrets.ts';
import { type BackupTable, findBackupTable } from './tables.ts';

/** Maximum number of rows per call. D1 allows one thousand statements. */
export const MAX_ROWS = 200;

export interface WrittenRows {
  written: number;
  /**
   * Ids of rows that were not written, because their parent row was deleted or replaced while the backup was
   * made.
   */
  left_out: string[];
  unopened: UnopenedSecret[];
}

/**
 * Writes rows of one table with their original ids. Existing rows are not changed, so the call may be
 * repeated.
 */
export async function writeRows(
  ctx: TenantContext,
  restoreId: string,
  input: { table: string; backup_key: string; rows: Row[] },
): Promise<WrittenRows> {
  const order = await requireOrder(ctx, restoreId);
  const table = findBackupTable(input.table, order.project);
  if (!table) throw Invalid.field(['table'], `Value error, the backup has no table ${input.table}`);
  const ring = createRestoreRing(ctx, input.backup_key);
  const rows = input.rows.map((row, at) => fitColumns(table, row, at));
  rows.forEach((row, at) => {
    requireOwnKeys(table, row, at, order.project);
  });
  if (order.project !== null) await rejectForeignRows(ctx, table, rows, order.project);
  const sealed = await inParallel(rows, (row) => resealRow(table.shape.name, row, ring));
  const made = sealed.map(({ row }) => applyRestoreRule(table, row, order));
  const { written, leftOut } = await insertRows(ctx, table, made, order);
  return {
    written,
    left_out: leftOut,
    unopened: sealed.flatMap(({ unopened }) => unopened),
  };
}

/**
 * Checks that a row of another release fits the columns of this release. Missing columns get their defaults,
 * and unknown columns are rejected.
 */
function fitColumns({ shape }: BackupTable, row: Row, at: number): Row {
  const unknown = Object.keys(row).find((name) => !shape.columns.includes(name));
  if (unknown !== undefined) {
    throw Invalid.field(['rows', at, unknown], `Value error, the table ${shape.name} has no such column`);
  }
  const missing = shape.required.find((name) => row[name] === undefined || row[name] === null);
  if (missing !== undefined) {
    throw Invalid.field(['rows', at, missing], `Value error, the table ${shape.name} requires a value`);
  }
  return row;
}

/**
 * Rejects rows that refer to bucket objects of another project, because the caller could read the objects
 * through them.
 */
function requireOwnKeys(
  { keyColumns: places }: BackupTable,
  row: Row,
  at: number,
  project: string | null,
): void {
  for (const column of places) {
    const place = row[column];
    if (place === null || place === undefined) continue;
    const own = project ?? String(row.project_id);
    if (isProjectKey(own, String(place)) && String(place).startsWith(keys.project(own))) continue;
    throw Invalid.field(['rows', at, column], `Value error, ${place} is not an object key of project ${own}`);
  }
}

/** Rejects rows that belong to another project, use ids of its rows or refer to them. */
async function rejectForeignRows(
  ctx: Context,
  table: BackupTable,
  rows: Row[],
  project: string,
): Promise<void> {
  const { shape } = table;
  rows.forEach((row, at) => {
    const own = shape.name === 'projects' ? row.id : row.project_id;
    if (own === undefined || own === project) return;
    throw Invalid.field(
      ['rows', at, 'project_id'],
      `Value error, the row belongs to another project, ${own}`,
    );
  });
  // Users do not belong to a project, so their rows need no check.
  if (shape.name === 'users') return;
  const named = [...shape.references, ...table.mentions].filter((each) => each.table !== 'users');
  const asked = [...(shape.columns.includes('id') ? [{ column: 'id', table: shape.name }] : []), ...named];
  await inParallel(asked, async (reference) => {
    const { column, table: name } = reference;
    const target = findBackupTable(name, project);
    const ids = [...new Set(rows.flatMap((row) => listIds(row, reference)))];
    if (!target || ids.length === 0) return;
    const [foreign] = await ctx.db.all<{ id: string }>(
      sql`select id from ${sql.identifier(name)} where id in (select value from json_each(${JSON.stringify(ids)}))
        and (${target.within!(project)}) is not true limit 1`,
    );
    if (!foreign) return;
    const at = rows.findIndex((row) => listIds(row, reference).includes(foreign.id));
    const msg = `Value error, ${name}/${foreign.id} belongs to another project`;
    throw Invalid.field(['rows', at, column], msg);
  });
}

function listIds(row: Row, { column, member }: Reference): string[] {
  const value = row[column];
  if (typeof value !== 'string') return [];
  return member === undefined ? [value] : listIdsInJson(value, member);
}

/**
 * Returns the ids in the property `member` of each object in a JSON array. Returns an empty list for any
 * other text.
 */
function listIdsInJson(json: string, member: string): string[] {
  const list = z.array(z.record(z.string(), z.unknown())).safeParse(parseJson(json));
  return (list.data ?? []).map((item) => item[member]).filter((id) => typeof id === 'string');
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function applyRestoreRule({ shape, restoreRow: restored }: BackupTable, row: Row, order: RestoreOrder): Row {
  const made = restored ? restored(row, order.hold) : row;
  if (shape.name !== 'projects' || order.organization === null) return made;
  return { ...made, organization_id: order.organization, is_default: 0 };
}
