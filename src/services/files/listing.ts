import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Context, TenantContext } from '#src/context/context.ts';
import { containsRegardlessOfCase } from '#src/db/contains.ts';
import { isOneOf } from '#src/db/is-one-of.ts';
import { DEFAULT_PAGE_SIZE, following, type Page, pageOf, readPageToken } from '#src/db/paging.ts';
import { type FileRow, files, sizeOrNone } from '#src/db/schema/index.ts';
import type { CursorPart } from '#src/lib/cursor.ts';
import { Invalid } from '#src/lib/errors.ts';
import { bareId } from '#src/lib/ids.ts';
import { withinScope } from '#src/services/tenancy/scope.ts';
import { uploadedByHand } from './files.ts';

export interface FileFilter {
  project_id?: string | null | undefined;
  file_ids?: string[] | null | undefined;
  file_name?: string | null | undefined;
  /** Part of the name, case-insensitive. */
  name_contains?: string | null | undefined;
  /** File name extensions without the dot. */
  file_types?: string[] | null | undefined;
  data_source_id?: string | null | undefined;
  external_file_id?: string | null | undefined;
  only_manually_uploaded?: boolean | null | undefined;
}

export interface FilePageQuery {
  filter?: FileFilter;
  /** `name`, `id`, `created_at` or `file_size`, each with an optional `asc` or `desc`. */
  orderBy?: string | null | undefined;
  pageSize?: number | null | undefined;
  pageToken?: string | null | undefined;
}

type Column = SQLiteColumn | SQL;

interface Order {
  columns: [Column, ...Column[]];
  shape: CursorPart[];
  keyOf(row: FileRow): (string | number)[];
}

interface Sorting {
  order: Order;
  direction: 'asc' | 'desc';
}

/**
 * Orders of the list. Each one uses an index of the table, and the id makes every key unique. A key part
 * beyond the columns only keeps its page token from being used with another order.
 */
const orders = {
  name: {
    columns: [files.name, files.id],
    shape: ['string', 'string'],
    keyOf: (row) => [row.name, row.id],
  },
  id: { columns: [files.id], shape: ['string'], keyOf: (row) => [row.id] },
  created_at: {
    columns: [files.createdAt, files.id],
    shape: ['number', 'string'],
    keyOf: (row) => [row.createdAt.getTime(), row.id],
  },
  file_size: {
    columns: [sizeOrNone, files.id],
    shape: ['number', 'string', 'string'],
    keyOf: (row) => [row.fileSize ?? -1, row.id, 'file_size'],
  },
} satisfies Record<string, Order> as Record<string, Order>;

/**
 * Returns a page of the project's files. A page token is only valid for its own order; otherwise Invalid is
 * thrown.
 */
export async function pageOfFiles(
  ctx: TenantContext,
  query: FilePageQuery,
): Promise<Page<FileRow> & { total_size: number }> {
  const sorting = readOrder(query.orderBy);
  const { order, direction } = sorting;
  const where = fileConditions(ctx, query.filter ?? {});
  const token = readPageToken(query.pageToken, order.shape) as (string | number)[] | undefined;
  const key = token?.slice(0, order.columns.length);
  const pageSize = query.pageSize ?? DEFAULT_PAGE_SIZE;
  const { file_ids, file_name, external_file_id } = query.filter ?? {};
  const leavesFew = Boolean(file_ids || file_name || external_file_id);
  const after = following(order.columns, key, direction);
  const [rows, total] = await Promise.all([
    fileRows(ctx, and(where, after), sorting, leavesFew).limit(pageSize + 1),
    ctx.db.$count(files, where),
  ]);
  return { ...pageOf(rows, pageSize, order.keyOf), total_size: total };
}

/**
 * If a filter leaves few rows, they are found by its index and sorted. Otherwise the project is read in
 * order.
 */
export function fileRows(
  ctx: Context,
  where: SQL | undefined,
  { order, direction }: Sorting,
  leavesFew = false,
) {
  // A unary plus keeps SQLite from using the index of the order.
  const plus = sql.raw(leavesFew ? '+' : '');
  const sorted = (column: Column) => sql`${plus}${column} ${sql.raw(direction)}`;
  return ctx.db
    .select()
    .from(files)
    .where(where)
    .orderBy(...order.columns.map(sorted))
    .$dynamic();
}

export function fileConditions(ctx: TenantContext, filter: FileFilter): SQL | undefined {
  const scope = filter.project_id
    ? and(eq(files.projectId, filter.project_id), withinScope(ctx, files.projectId))
    : eq(files.projectId, ctx.projectId);
  const ids = filter.file_ids?.map((id) => bareId(id));
  return and(
    scope,
    ids && isOneOf(files.id, ids),
    filter.file_name ? eq(files.name, filter.file_name) : undefined,
    filter.name_contains ? isNamedLike(filter.name_contains) : undefined,
    // A unary plus keeps SQLite on the index of the list's order.
    filter.file_types ? isOneOf(sql`+${files.fileType}`, filter.file_types.map(typeOf)) : undefined,
    filter.data_source_id ? eq(files.dataSourceId, filter.data_source_id) : undefined,
    filter.external_file_id ? eq(files.externalFileId, filter.external_file_id) : undefined,
    filter.only_manually_uploaded ? uploadedByHand : undefined,
  );
}

const isNamedLike = (part: string) => containsRegardlessOfCase(files.name, part, ['query', 'name_contains']);

const typeOf = (extension: string) => extension.replace(/^\./, '').toLowerCase();

export function readOrder(text: string | null | undefined): Sorting {
  // The id breaks ties anyway, so an order may end with it.
  const [first, ...rest] = (text || 'created_at desc').split(',').map((part) => part.trim());
  const [, name, word] = /^(\w+)(?: +(asc|desc))?$/i.exec(first!) ?? [];
  const direction = word?.toLowerCase() === 'desc' ? 'desc' : 'asc';
  const order = name && Object.hasOwn(orders, name) ? orders[name] : undefined;
  const restFits =
    rest.length === 0 || (rest.length === 1 && new RegExp(`^id( +${direction})?$`).test(rest[0]!));
  if (order && restFits) return { order, direction };
  const msg = `order_by must be one of: ${Object.keys(orders).join(', ')}, with an optional asc or desc`;
  throw new Invalid([{ loc: ['query', 'order_by'], msg, type: 'value_error', input: text }]);
}
