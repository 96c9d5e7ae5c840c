import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Context, TenantContext } from '#src/context/context.ts';
import { containsRegardlessOfCase } from '#src/db/contains.ts';
import { isInList } from '#src/db/is-in-list.ts';
import { afterKey, buildPage, DEFAULT_PAGE_SIZE, type Page, parsePageToken } from '#src/db/paging.ts';
import { type FileRow, files, sizeOrNone } from '#src/db/schema/index.ts';
import type { CursorPart } from '#src/lib/cursor.ts';
import { Invalid } from '#src/lib/errors.ts';
import { bareId } from '#src/lib/ids.ts';
import { withinScope } from '#src/services/tenancy/scope.ts';
import { isManuallyUploaded } from './files.ts';
import { isWithinFolder } from './folder-path.ts';
import { hasTags } from './tags.ts';

export interface FileFilter {
  project_id?: string | null | undefined;
  file_ids?: string[] | null | undefined;
  file_name?: string | null | undefined;
  /** Text that the file name must contain. Case is ignored. */
  name_contains?: string | null | undefined;
  /** File name extensions to include, with or without the dot. */
  file_types?: string[] | null | undefined;
  data_source_id?: string | null | undefined;
  external_file_id?: string | null | undefined;
  only_manually_uploaded?: boolean | null | undefined;
  /** Folder of the files. An empty string is the root. */
  folder?: string | null | undefined;
  include_subfolders?: boolean | null | undefined;
  /** Tags that a file must have, all of them. */
  tags?: string[] | null | undefined;
}

export interface FilePageQuery {
  filter?: FileFilter;
  /** Sort order: `name`, `id`, `created_at` or `file_size`, each with an optional `asc` or `desc`. */
  orderBy?: string | null | undefined;
  pageSize?: number | null | undefined;
  pageToken?: string | null | undefined;
}

type Column = SQLiteColumn | SQL;

interface Order {
  columns: [Column, ...Column[]];
  shape: CursorPart[];
  getKey(row: FileRow): (string | number)[];
}

interface Sorting {
  order: Order;
  direction: 'asc' | 'desc';
}

/**
 * Sort orders of a list of files. Each order uses a database index, and the id makes every key unique. An
 * extra part of the key prevents a page token from being used with another order.
 */
const orders = {
  name: {
    columns: [files.name, files.id],
    shape: ['string', 'string'],
    getKey: (row) => [row.name, row.id],
  },
  id: { columns: [files.id], shape: ['string'], getKey: (row) => [row.id] },
  created_at: {
    columns: [files.createdAt, files.id],
    shape: ['number', 'string'],
    getKey: (row) => [row.createdAt.getTime(), row.id],
  },
  file_size: {
    columns: [sizeOrNone, files.id],
    shape: ['number', 'string', 'string'],
    getKey: (row) => [row.fileSize ?? -1, row.id, 'file_size'],
  },
} satisfies Record<string, Order> as Record<string, Order>;

/** Returns a page of the project's files. Throws Invalid for a page token of another order. */
export async function getFilePage(
  ctx: TenantContext,
  query: FilePageQuery,
): Promise<Page<FileRow> & { total_size: number }> {
  const sorting = parseOrder(query.orderBy);
  const { order, direction } = sorting;
  const filter = query.filter ?? {};
  const where = buildFileConditions(ctx, filter);
  const token = parsePageToken(query.pageToken, order.shape) as (string | number)[] | undefined;
  const key = token?.slice(0, order.columns.length);
  const pageSize = query.pageSize ?? DEFAULT_PAGE_SIZE;
  const after = afterKey(order.columns, key, direction);
  const counted = Promise.resolve(ctx.db.$count(files, where));
  const read = needsCount(filter, order)
    ? counted.then((total) => selectLabelled(ctx, filter, sorting, key, total).limit(pageSize + 1))
    : selectFileRows(ctx, and(where, after), sorting, isSelective(filter)).limit(pageSize + 1);
  const [rows, total] = await Promise.all([read, counted]);
  return { ...buildPage(rows, pageSize, order.getKey), total_size: total };
}

const isSelective = ({ file_ids, file_name, external_file_id }: FileFilter) =>
  Boolean(file_ids || file_name || external_file_id);

/** Maximum number of files that are sorted after the index of a folder or tag has found them. */
const MAX_SORTED_FILES = 10_000;

/**
 * Returns whether the best index depends on the number of files that match. An index contains the files of one
 * folder by creation time, so this list needs no count.
 */
const needsCount = (filter: FileFilter, order: Order) =>
  !isSelective(filter) &&
  (Boolean(filter.tags?.length) ||
    (filter.folder != null && (Boolean(filter.include_subfolders) || order !== orders.created_at)));

/**
 * Selects the files of a folder or with tags. Few files are found by the index of the folder or tag and then
 * sorted. Many files are found in the index of the sort order, which contains one of them at short intervals.
 */
export function selectLabelled(
  ctx: TenantContext,
  filter: FileFilter,
  sorting: Sorting,
  key: (string | number)[] | undefined,
  total: number,
) {
  const isFew = total <= MAX_SORTED_FILES;
  const { order, direction } = sorting;
  // The unary plus also keeps the condition of the page from choosing the index of the sort order.
  const columns = isFew ? order.columns.map((column) => sql`+${column}`) : order.columns;
  const after = afterKey(columns as [Column, ...Column[]], key, direction);
  return selectFileRows(ctx, and(buildFileConditions(ctx, filter, isFew), after), sorting, isFew);
}

/**
 * Selects files in a sort order. With `isSelective`, the rows are found by the database index of the filter
 * and then sorted. Otherwise the database index of the order is used.
 */
export function selectFileRows(
  ctx: Context,
  where: SQL | undefined,
  { order, direction }: Sorting,
  isSelective = false,
) {
  // The unary plus prevents SQLite from using the database index of the sort order.
  const plus = sql.raw(isSelective ? '+' : '');
  const sorted = (column: Column) => sql`${plus}${column} ${sql.raw(direction)}`;
  return ctx.db
    .select()
    .from(files)
    .where(where)
    .orderBy(...order.columns.map(sorted))
    .$dynamic();
}

/**
 * Returns the SQL condition of a filter. If `isFoundByLabel` is false, SQLite does not use the indexes of folders
 * and tags.
 */
export function buildFileConditions(
  ctx: TenantContext,
  filter: FileFilter,
  isFoundByLabel = true,
): SQL | undefined {
  const scope = filter.project_id
    ? and(eq(files.projectId, filter.project_id), withinScope(ctx, files.projectId))
    : eq(files.projectId, ctx.projectId);
  const ids = filter.file_ids?.map((id) => bareId(id));
  return and(
    scope,
    ids && isInList(files.id, ids),
    filter.file_name ? eq(files.name, filter.file_name) : undefined,
    filter.name_contains ? isNamedLike(filter.name_contains) : undefined,
    // The unary plus keeps SQLite from using an index of the file type instead of the index of the sort
    // order.
    filter.file_types
      ? isInList(sql`+${files.fileType}`, filter.file_types.map(normalizeExtension))
      : undefined,
    filter.data_source_id ? eq(files.dataSourceId, filter.data_source_id) : undefined,
    filter.external_file_id ? eq(files.externalFileId, filter.external_file_id) : undefined,
    filter.only_manually_uploaded ? isManuallyUploaded : undefined,
    filter.folder == null ? undefined : isInFolder(filter.folder, filter, isFoundByLabel),
    filter.tags ? hasTags(filter.project_id ?? ctx.projectId, filter.tags, isFoundByLabel) : undefined,
  );
}

function isInFolder(folder: string, filter: FileFilter, isFoundByLabel: boolean): SQL | undefined {
  const column = isFoundByLabel ? sql`${files.folder}` : sql`+${files.folder}`;
  return filter.include_subfolders ? isWithinFolder(column, folder) : sql`${column} = ${folder}`;
}

const isNamedLike = (part: string) => containsRegardlessOfCase(files.name, part, ['query', 'name_contains']);

const normalizeExtension = (extension: string) => extension.replace(/^\./, '').toLowerCase();

export function parseOrder(text: string | null | undefined): Sorting {
  // `id` is accepted as a second sort key, because ids break ties anyway.
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
