import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { TenantContext } from '#src/context.ts';
import { isOneOf } from '#src/db/is-one-of.ts';
import { DEFAULT_PAGE_SIZE, following, type Page, pageOf, readPageToken } from '#src/db/paging.ts';
import { type FileRow, files } from '#src/db/schema/index.ts';
import { Invalid } from '#src/errors.ts';
import { bareId } from '#src/ids.ts';
import type { CursorPart } from '#src/lib/cursor.ts';
import { withinScope } from '#src/services/tenancy/scope.ts';
import { uploadedByHand } from './files.ts';

export interface FileFilter {
  project_id?: string | null | undefined;
  file_ids?: string[] | null | undefined;
  file_name?: string | null | undefined;
  data_source_id?: string | null | undefined;
  external_file_id?: string | null | undefined;
  only_manually_uploaded?: boolean | null | undefined;
}

export interface FilePageQuery {
  filter?: FileFilter;
  /** `name`, `id` or `created_at`, each with an optional `asc` or `desc`. */
  orderBy?: string | null | undefined;
  pageSize?: number | null | undefined;
  pageToken?: string | null | undefined;
}

interface Order {
  columns: [SQLiteColumn, ...SQLiteColumn[]];
  shape: CursorPart[];
  keyOf(row: FileRow): (string | number)[];
}

/** Each is an index of the table; the id makes every key unique. */
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
} satisfies Record<string, Order> as Record<string, Order>;

/** A page of the project's files. A token goes on in the order it was given for; another order is Invalid. */
export async function pageOfFiles(
  ctx: TenantContext,
  query: FilePageQuery,
): Promise<Page<FileRow> & { total_size: number }> {
  const { order, direction } = readOrder(query.orderBy);
  const where = conditions(ctx, query.filter ?? {});
  const key = readPageToken(query.pageToken, order.shape) as (string | number)[] | undefined;
  const pageSize = query.pageSize ?? DEFAULT_PAGE_SIZE;
  const { file_ids, file_name, external_file_id } = query.filter ?? {};
  // With a filter that leaves few rows those are found by its index and sorted; `+` keeps SQLite from walking
  // the whole project in order instead.
  const plus = sql.raw(file_ids || file_name || external_file_id ? '+' : '');
  const sorted = (column: SQLiteColumn) => sql`${plus}${column} ${sql.raw(direction)}`;
  const [rows, total] = await Promise.all([
    ctx.db.query.files.findMany({
      where: and(where, following(order.columns, key, direction)),
      orderBy: order.columns.map(sorted),
      limit: pageSize + 1,
    }),
    ctx.db.$count(files, where),
  ]);
  return { ...pageOf(rows, pageSize, order.keyOf), total_size: total };
}

function conditions(ctx: TenantContext, filter: FileFilter): SQL | undefined {
  const scope = filter.project_id
    ? and(eq(files.projectId, filter.project_id), withinScope(ctx, files.projectId))
    : eq(files.projectId, ctx.projectId);
  const ids = filter.file_ids?.map((id) => bareId(id));
  return and(
    scope,
    ids && isOneOf(files.id, ids),
    filter.file_name ? eq(files.name, filter.file_name) : undefined,
    filter.data_source_id ? eq(files.dataSourceId, filter.data_source_id) : undefined,
    filter.external_file_id ? eq(files.externalFileId, filter.external_file_id) : undefined,
    filter.only_manually_uploaded ? uploadedByHand : undefined,
  );
}

function readOrder(text: string | null | undefined): { order: Order; direction: 'asc' | 'desc' } {
  // The id breaks ties anyway, so naming it last changes nothing.
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
