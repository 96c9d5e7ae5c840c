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

/** Of one call: the platform allows a thousand statements. */
export const MOST_ROWS = 200;

export interface Written {
  written: number;
  /** Rows of what was deleted while the backup was made: what they belong to is not in it, or what took their place is. */
  left_out: string[];
  unopened: Unopened[];
}

/** Writes rows of one table under their own ids. May be repeated: a row that is there stays as it is. */
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

/** A row of another release may lack columns that have a value of their own since, and have none that this one lacks. */
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

/** Whoever could name another project's bytes would read them. */
function requireOwnPlaces({ places }: BackupTable, row: Row, at: number, project: string | null): void {
  for (const column of places) {
    const place = row[column];
    if (place === null || place === undefined) continue;
    const own = project ?? String(row.project_id);
    if (isKeyOf(own, String(place)) && String(place).startsWith(keys.project(own))) continue;
    throw Invalid.field(['rows', at, column], `Value error, project ${own} keeps nothing at ${place}`);
  }
}

/** A project's backup says nothing of other projects: neither as theirs, nor under their ids, nor by naming them. */
async function refuseForeign(ctx: Context, table: BackupTable, rows: Row[], project: string): Promise<void> {
  const { shape } = table;
  rows.forEach((row, at) => {
    const own = shape.name === 'projects' ? row.id : row.project_id;
    if (own === undefined || own === project) return;
    throw Invalid.field(['rows', at, 'project_id'], `Value error, ${own} is another project`);
  });
  // Users belong to no project.
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

/** Ids in a list as JSON. One that is none names nothing. */
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
