import { and, asc, eq, getTableColumns, gt, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Context, TenantContext } from '#src/context/context.ts';
import { OWNED_TABLES, type OwnedTable, sealedPlace, toColumn } from '#src/db/ownership/owned-tables.ts';
import { readPageToken } from '#src/db/paging.ts';
import { encodeCursor } from '#src/lib/cursor.ts';
import { Invalid, messageOf } from '#src/lib/errors.ts';
import { requireOperator } from '#src/services/tenancy/bootstrap.ts';
import { type KeyRing, keyRingOf, SecretError } from './key-ring.ts';
import { resealSecrets } from './secret-fields.ts';

export interface RotationStep {
  /**
   * Number of rows with sealed secrets that this step examined. `rotated` counts those that it re-encrypted.
   */
  examined: number;
  rotated: number;
  /** Rows that no configured key opens. They stay unchanged. */
  failed: { place: string; message: string }[];
  next_page_token: string | null;
}

/** A column with sealed secrets at any depth of its values. */
export interface SealedColumn {
  table: OwnedTable;
  /** SQL name of the column. */
  name: string;
  cell: SQLiteColumn;
  /** Returns the place that the secrets of a row are bound to. */
  place(id: string): string;
  /** Returns the value sealed with the current key; `undefined` if it already is. */
  reseal(value: unknown, ring: KeyRing, place: string): Promise<unknown>;
}

/** Re-encrypts the `component` of a value that has a `type`. Nothing else in the value is sealed. */
const resealComponent: SealedColumn['reseal'] = async (value, ring, place) => {
  const config = value as { component: unknown };
  const component = await resealSecrets(config.component, ring, place);
  return component === undefined ? undefined : { ...config, component };
};

/**
 * All sealed columns, from `src/db/ownership/table.ts`. `test/api/secrets.test.ts` fails if one is missing.
 */
export const SEALED_COLUMNS: readonly SealedColumn[] = OWNED_TABLES.flatMap((table) =>
  Object.entries(table.sealed ?? {}).map(([member, part]) => ({
    table,
    name: toColumn(member),
    cell: getTableColumns(table.table as SQLiteTable)[member]!,
    place: (id) => sealedPlace(table, member, id),
    reseal: part === 'component' ? resealComponent : resealSecrets,
  })),
);

type RotatedTable = SQLiteTable & { id: SQLiteColumn; updatedAt: SQLiteColumn };
const rotatedTable = ({ table }: SealedColumn) => table.table as SQLiteTable as RotatedTable;

/** Returns rows after `afterId` that hold sealed secrets, in the order of their ids. */
function readSealedRows(
  ctx: Context,
  column: SealedColumn,
  afterId: string,
  limit: number,
): Promise<{ id: string; value: unknown }[]> {
  const table = rotatedTable(column);
  return ctx.db
    .select({ id: table.id, value: column.cell })
    .from(table)
    .where(and(gt(table.id, afterId), sql`instr(${column.cell}, 'sealed:v1:') > 0`))
    .orderBy(asc(table.id))
    .limit(limit) as Promise<{ id: string; value: unknown }[]>;
}

/** Replaces a value unless a client has written the row since it was read. Returns whether it was replaced. */
async function replaceValue(
  ctx: Context,
  column: SealedColumn,
  id: string,
  before: unknown,
  after: unknown,
): Promise<boolean> {
  const table = rotatedTable(column);
  // `updatedAt` stays, because clients see no difference.
  const { meta } = await ctx.db
    .update(table)
    .set({ [column.cell.name]: after, updatedAt: sql`${table.updatedAt}` } as never)
    .where(and(eq(table.id, id), eq(column.cell, before)));
  return meta.changes > 0;
}

/**
 * Re-encrypts secrets of all tenants with the current ENCRYPTION_KEY, up to `page_size` rows per call. May be
 * repeated and interrupted, because values under the current key stay unchanged. Requires the bootstrap key.
 */
export async function rotateSecrets(
  ctx: TenantContext,
  input: { page_token?: string | null; page_size?: number | null },
): Promise<RotationStep> {
  await requireOperator(ctx);
  return goThroughSecrets(ctx, input, true);
}

/**
 * Examines one page of sealed rows and, if `isToWrite` is set, re-encrypts them. Otherwise nothing is
 * changed, and `rotated` counts the rows that would be re-encrypted.
 */
export async function goThroughSecrets(
  ctx: Context,
  input: { page_token?: string | null; page_size?: number | null },
  isToWrite: boolean,
): Promise<RotationStep> {
  const ring = keyRingOf(ctx.settings.ENCRYPTION_KEY, ctx.settings.ENCRYPTION_KEYS_PREVIOUS);
  const [index, afterId] = readPosition(input.page_token);
  const column = SEALED_COLUMNS[index]!;
  const step: RotationStep = { examined: 0, rotated: 0, failed: [], next_page_token: null };
  const size = input.page_size ?? 100;
  const rows = await readSealedRows(ctx, column, afterId, size);
  for (const row of rows) await rotateRow(ctx, column, ring, row, step, isToWrite);
  if (rows.length === size) step.next_page_token = encodeCursor([positionName(column), rows.at(-1)!.id]);
  else if (index + 1 < SEALED_COLUMNS.length) {
    step.next_page_token = encodeCursor([positionName(SEALED_COLUMNS[index + 1]!), '']);
  }
  return step;
}

const positionName = ({ table, name }: SealedColumn) => `${table.name}.${name}`;

/**
 * Returns the next column and row of a page token. The token names the column, so that new columns do not
 * shift it.
 */
function readPosition(token: string | null | undefined): [index: number, afterId: string] {
  const loc = ['body', 'page_token'];
  const position = readPageToken(token, ['string', 'string'], loc);
  if (!position) return [0, ''];
  const index = SEALED_COLUMNS.findIndex((column) => positionName(column) === position[0]);
  if (index < 0) throw Invalid.field(loc, `Value error, no column ${position[0]} holds sealed secrets`);
  return [index, position[1]];
}

async function rotateRow(
  ctx: Context,
  sealed: SealedColumn,
  ring: KeyRing,
  row: { id: string; value: unknown },
  step: RotationStep,
  isToWrite: boolean,
): Promise<void> {
  step.examined++;
  const place = sealed.place(row.id);
  try {
    const after = await sealed.reseal(row.value, ring, place);
    if (after === undefined) return;
    if (!isToWrite || (await replaceValue(ctx, sealed, row.id, row.value, after))) step.rotated++;
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    step.failed.push({ place, message: messageOf(error) });
  }
}
