import { and, asc, eq, getTableColumns, gt, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { Context, TenantContext } from '#src/context/context.ts';
import {
  getSealedPlace,
  OWNED_TABLES,
  type OwnedTable,
  toColumnName,
} from '#src/db/ownership/owned-tables.ts';
import { parsePageToken } from '#src/db/paging.ts';
import { encodeCursor } from '#src/lib/cursor.ts';
import { getErrorMessage, Invalid } from '#src/lib/errors.ts';
import { requireOperator } from '#src/services/tenancy/bootstrap.ts';
import { type KeyRing, parseKeyRing, SecretError } from './key-ring.ts';
import { resealSecrets } from './secret-fields.ts';

export interface RotationStep {
  /**
   * Number of rows with encrypted secrets that this step examined. `rotated` is the number of rows that it
   * encrypted again.
   */
  examined: number;
  rotated: number;
  /** Rows that none of the configured keys can decrypt. They are not changed. */
  failed: { place: string; message: string }[];
  next_page_token: string | null;
}

/** Database column whose values contain encrypted secrets. */
export interface SealedColumn {
  table: OwnedTable;
  name: string;
  cell: SQLiteColumn;
  /** Returns the name of the column and row to which encrypted secrets are bound. */
  place(id: string): string;
  /**
   * Returns the value with its secrets encrypted with the current key. Returns `undefined` if they already
   * are.
   */
  reseal(value: unknown, ring: KeyRing, place: string): Promise<unknown>;
}

/** Encrypts the secrets in the `component` of a value again. Its other properties contain no secrets. */
const resealComponent: SealedColumn['reseal'] = async (value, ring, place) => {
  const config = value as { component: unknown };
  const component = await resealSecrets(config.component, ring, place);
  return component === undefined ? undefined : { ...config, component };
};

/**
 * All sealed columns, as listed in `src/db/ownership/table.ts`. The test `test/api/secrets.test.ts` fails if
 * a column is missing there.
 */
export const SEALED_COLUMNS: readonly SealedColumn[] = OWNED_TABLES.flatMap((table) =>
  Object.entries(table.sealed ?? {}).map(([member, part]) => ({
    table,
    name: toColumnName(member),
    cell: getTableColumns(table.table as SQLiteTable)[member]!,
    place: (id) => getSealedPlace(table, member, id),
    reseal: part === 'component' ? resealComponent : resealSecrets,
  })),
);

type RotatedTable = SQLiteTable & { id: SQLiteColumn; updatedAt: SQLiteColumn };
const getRotatedTable = ({ table }: SealedColumn) => table.table as SQLiteTable as RotatedTable;

/** Returns rows with encrypted secrets whose id is greater than `afterId`, ordered by id. */
function readSealedRows(
  ctx: Context,
  column: SealedColumn,
  afterId: string,
  limit: number,
): Promise<{ id: string; value: unknown }[]> {
  const table = getRotatedTable(column);
  return ctx.db
    .select({ id: table.id, value: column.cell })
    .from(table)
    .where(and(gt(table.id, afterId), sql`instr(${column.cell}, 'sealed:v1:') > 0`))
    .orderBy(asc(table.id))
    .limit(limit) as Promise<{ id: string; value: unknown }[]>;
}

/** Replaces a value unless the row was changed since it was read. Returns whether the value was replaced. */
async function replaceValue(
  ctx: Context,
  column: SealedColumn,
  id: string,
  before: unknown,
  after: unknown,
): Promise<boolean> {
  const table = getRotatedTable(column);
  // `updatedAt` keeps its value, because the change is not visible to clients.
  const { meta } = await ctx.db
    .update(table)
    .set({ [column.cell.name]: after, updatedAt: sql`${table.updatedAt}` } as never)
    .where(and(eq(table.id, id), eq(column.cell, before)));
  return meta.changes > 0;
}

/**
 * Encrypts the secrets of all tenants with the current ENCRYPTION_KEY, up to `page_size` rows per call. Rows
 * that already use this key stay unchanged, so calls may be repeated. Requires the bootstrap key.
 */
export async function rotateSecrets(
  ctx: TenantContext,
  input: { page_token?: string | null; page_size?: number | null },
): Promise<RotationStep> {
  await requireOperator(ctx);
  return rotatePage(ctx, input, true);
}

/**
 * Examines one page of rows with encrypted secrets. With `isToWrite`, encrypts them again. Otherwise only
 * counts in `rotated` how many rows need a new encryption.
 */
export async function rotatePage(
  ctx: Context,
  input: { page_token?: string | null; page_size?: number | null },
  isToWrite: boolean,
): Promise<RotationStep> {
  const ring = parseKeyRing(ctx.settings.ENCRYPTION_KEY, ctx.settings.ENCRYPTION_KEYS_PREVIOUS);
  const [index, afterId] = parsePosition(input.page_token);
  const column = SEALED_COLUMNS[index]!;
  const step: RotationStep = { examined: 0, rotated: 0, failed: [], next_page_token: null };
  const size = input.page_size ?? 100;
  const rows = await readSealedRows(ctx, column, afterId, size);
  for (const row of rows) await rotateRow(ctx, column, ring, row, step, isToWrite);
  if (rows.length === size) step.next_page_token = encodeCursor([getPositionName(column), rows.at(-1)!.id]);
  else if (index + 1 < SEALED_COLUMNS.length) {
    step.next_page_token = encodeCursor([getPositionName(SEALED_COLUMNS[index + 1]!), '']);
  }
  return step;
}

const getPositionName = ({ table, name }: SealedColumn) => `${table.name}.${name}`;

/**
 * Returns the column and row at which a page token continues. The token contains the name of the column, so
 * that it stays valid when columns are added.
 */
function parsePosition(token: string | null | undefined): [index: number, afterId: string] {
  const loc = ['body', 'page_token'];
  const position = parsePageToken(token, ['string', 'string'], loc);
  if (!position) return [0, ''];
  const index = SEALED_COLUMNS.findIndex((column) => getPositionName(column) === position[0]);
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
    step.failed.push({ place, message: getErrorMessage(error) });
  }
}
