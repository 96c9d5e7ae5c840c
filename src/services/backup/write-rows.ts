import { sql } from 'drizzle-orm';
import { z } from 'zod';
import { keys } from '#src/bucket/keys.ts';
import type { Context, TenantContext } from '#src/context/context.ts';
import type { Reference } from '#src/db/ownership/shape.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { Invalid } from '#src/lib/errors.ts';
import { insertRows } from './insert-rows.ts';
import { isKeyOf } from './objects.ts';
import { type Order, requireOrder } from './orders.ts';
import type { Row } from './restored-as.ts';
import { resealRow, ringFromBackup, type Unopened } from './secrets.ts';
import { type BackupTable, findBackupTable } from './tables.ts';

/** Maximum rows per call. D1 allows a thousand statements. */
export const MOST_ROWS = 200;

export interface Written {
  written: number;
  /** Rows of data that was deleted while the backup was made: their parent is missing or was replaced. */
  left_out: string[];
  unopened: Unopened[];
}

/** Writes rows of one table with their original ids. A call may be repeated; existing rows stay unchanged. */
export async function writeRows(
  ctx: TenantContext,
  restoreId: string,
  input: { table: string; backup_key: string; rows: Row[] },
): Promise<Written> {
  const order = await requireOrder(ctx, restoreId);
  const table = findBackupTable(input.table, order.project);
  if (!table) throw Invalid.field(['table'], `Value error, the backup has no table ${input.table}`);
  const ring = ringFromBackup(ctx, input.backup_key);
  const rows = input.rows.map((row, at) => columnsOf(table, row, at));
  rows.forEach((row, at) => {
    requireOwnPlaces(table, row, at, order.project);
  });
  if (order.project !== null) await refuseForeign(ctx, table, rows, order.project);
  const sealed = await inParallel(rows, (row) => resealRow(table.shape.name, row, ring));
  const made = sealed.map(({ row }) => asRestored(table, row, order));
  const { written, leftOut } = await insertRows(ctx, table, made, order);
  return {
    written,
    left_out: leftOut,
    unopened: sealed.flatMap(({ unopened }) => unopened),
  };
}

/**
 * Fits a row of another release to today's columns: missing columns get their default, and unknown columns
 * must be empty.
 */
function columnsOf({ shape }: BackupTable, row: Row, at: number): Row {
  const unknown = Object.keys(row).find((name) => !shape.columns.includes(name));
  if (unknown !== undefined) {
    throw Invalid.field(['rows', at, unknown], `Value error, ${shape.name} has no such column`);
  }
  const missing = shape.required.find((name) => row[name] === undefined || row[name] === null);
  if (missing !== undefined) {
    throw Invalid.field(['rows', at, missing], `Value error, ${shape.name} needs it`);
  }
  return row;
}

/** A caller that could refer to another project's objects could read them. */
function requireOwnPlaces({ places }: BackupTable, row: Row, at: number, project: string | null): void {
  for (const column of places) {
    const place = row[column];
    if (place === null || place === undefined) continue;
    const own = project ?? String(row.project_id);
    if (isKeyOf(own, String(place)) && String(place).startsWith(keys.project(own))) continue;
    throw Invalid.field(['rows', at, column], `Value error, project ${own} keeps nothing at ${place}`);
  }
}

/** Rejects rows that belong to another project, use its ids or refer to its rows. */
async function refuseForeign(ctx: Context, table: BackupTable, rows: Row[], project: string): Promise<void> {
  const { shape } = table;
  rows.forEach((row, at) => {
    const own = shape.name === 'projects' ? row.id : row.project_id;
    if (own === undefined || own === project) return;
    throw Invalid.field(['rows', at, 'project_id'], `Value error, ${own} is another project`);
  });
  // Users do not belong to a project.
  if (shape.name === 'users') return;
  const named = [...shape.references, ...table.mentions].filter((each) => each.table !== 'users');
  const asked = [...(shape.columns.includes('id') ? [{ column: 'id', table: shape.name }] : []), ...named];
  await inParallel(asked, async (reference) => {
    const { column, table: name } = reference;
    const target = findBackupTable(name, project);
    const ids = [...new Set(rows.flatMap((row) => idsIn(row, reference)))];
    if (!target || ids.length === 0) return;
    const [foreign] = await ctx.db.all<{ id: string }>(
      sql`select id from ${sql.identifier(name)} where id in (select value from json_each(${JSON.stringify(ids)}))
        and (${target.within!(project)}) is not true limit 1`,
    );
    if (!foreign) return;
    const at = rows.findIndex((row) => idsIn(row, reference).includes(foreign.id));
    const msg = `Value error, ${name}/${foreign.id} belongs to another project`;
    throw Invalid.field(['rows', at, column], msg);
  });
}

function idsIn(row: Row, { column, member }: Reference): string[] {
  const value = row[column];
  if (typeof value !== 'string') return [];
  return member === undefined ? [value] : namedIn(value, member);
}

/** Returns the ids in a JSON list. Text that is not such a list contains none. */
function namedIn(json: string, member: string): string[] {
  const list = z.array(z.record(z.string(), z.unknown())).safeParse(parsed(json));
  return (list.data ?? []).map((item) => item[member]).filter((id) => typeof id === 'string');
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function asRestored({ shape, restored }: BackupTable, row: Row, order: Order): Row {
  const made = restored ? restored(row, order.hold) : row;
  if (shape.name !== 'projects' || order.organization === null) return made;
  return { ...made, organization_id: order.organization, is_default: 0 };
}
