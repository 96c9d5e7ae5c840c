import { and, asc, count, desc, eq, getTableColumns, inArray, isNull, type SQL, sql } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import { containsRegardlessOfCase } from '#src/db/contains.ts';
import {
  afterKey,
  buildPage,
  DEFAULT_PAGE_SIZE,
  iteratePages,
  type Page,
  parsePageToken,
} from '#src/db/paging.ts';
import { fileMemberColumns, whereFiles } from '#src/db/pipeline-members.ts';
import { files, type IngestionStatus, pipelineMembers, sizeOrNone } from '#src/db/schema/index.ts';
import { Invalid } from '#src/lib/errors.ts';
import { countByStatus } from './member-statuses.ts';
import type { PipelineFile } from './pipeline-files.ts';
import { getPipeline } from './pipelines.ts';

export interface PipelineFileFilter {
  data_source_id?: string | null | undefined;
  only_manually_uploaded?: boolean | null | undefined;
  /** Exact name of the file. */
  file_name?: string | null | undefined;
  file_name_contains?: string | null | undefined;
  statuses?: IngestionStatus[] | null | undefined;
  /** Error message that the listed files must have exactly. */
  reason?: string | null | undefined;
}

const ORDERS = ['created_at', 'name', 'status', 'file_size'] as const;

interface Order {
  by: (typeof ORDERS)[number];
  sorted: typeof asc;
}

const columns = { member: fileMemberColumns, file: getTableColumns(files) };

/**
 * Selects files of pipelines in the requested order, without sorting. Orders by name or size use an index of
 * the table `files`, and other orders an index of pipeline members.
 */
export function selectPipelineFiles(ctx: Context, where: SQL | undefined, { by, sorted }: Order) {
  const joined = eq(files.id, pipelineMembers.fileId);
  if (by === 'created_at' || by === 'status') {
    const state = by === 'status' ? [sorted(pipelineMembers.status)] : [];
    return ctx.db
      .select(columns)
      .from(pipelineMembers)
      .innerJoin(files, joined)
      .where(where)
      .orderBy(...state, sorted(pipelineMembers.createdAt), sorted(pipelineMembers.id))
      .$dynamic();
  }
  // SQLite reads the tables of a cross join in the written order, so the rows need no sorting.
  return ctx.db
    .select(columns)
    .from(files)
    .crossJoin(pipelineMembers)
    .where(and(joined, where))
    .orderBy(sorted(by === 'name' ? files.name : sizeOrNone), sorted(files.id))
    .$dynamic();
}

/** SQL expression for the error message of a file in a pipeline. Null if the file has not failed. */
export const errorMessageColumn = sql<string>`${pipelineMembers.error} ->> '$.message'`;

export function countPipelineFiles(ctx: Context, where: SQL | undefined, filter: PipelineFileFilter) {
  const counting = ctx.db.select({ n: count() }).from(pipelineMembers).$dynamic();
  const isNamed = filter.file_name_contains || filter.file_name;
  const named = isNamed ? counting.innerJoin(files, eq(files.id, pipelineMembers.fileId)) : counting;
  return named.where(where);
}

export function buildPipelineFileConditions(pipelineId: string, filter: PipelineFileFilter): SQL | undefined {
  const { data_source_id: source, file_name_contains: part, reason } = filter;
  const statuses = reason ? (['ERROR'] as const) : filter.statuses;
  // Duplicate statuses are removed, because D1 allows at most one hundred parameters per statement.
  const [only, ...others] = new Set(statuses);
  return and(
    whereFiles(pipelineId),
    source ? eq(pipelineMembers.dataSourceId, source) : undefined,
    filter.only_manually_uploaded ? isNull(pipelineMembers.dataSourceId) : undefined,
    // The unary plus keeps SQLite from using the index on statuses. With several statuses it would then have
    // to sort all rows.
    only && others.length > 0 ? sql`+${inArray(pipelineMembers.status, [only, ...others])}` : undefined,
    only && others.length === 0 ? eq(pipelineMembers.status, only) : undefined,
    reason ? eq(errorMessageColumn, reason) : undefined,
    filter.file_name ? eq(files.name, filter.file_name) : undefined,
    part ? containsRegardlessOfCase(files.name, part, ['query', 'file_name_contains']) : undefined,
  );
}

export async function* listPipelineFiles(
  ctx: TenantContext,
  pipelineId: string,
): AsyncGenerator<PipelineFile[]> {
  const pipeline = await getPipeline(ctx, pipelineId);
  yield* iteratePages((key, limit) => {
    const after = afterKey([pipelineMembers.createdAt, pipelineMembers.id], key, 'asc');
    return selectPipelineFiles(ctx, and(whereFiles(pipeline.id), after), {
      by: 'created_at',
      sorted: asc,
    }).limit(limit);
  }, getSortKey);
}

const getSortKey = ({ member }: PipelineFile) => [member.createdAt.getTime(), member.id];

export interface OffsetPage {
  files: PipelineFile[];
  limit: number;
  offset: number;
  total_count: number;
}

export async function getPipelineFileOffsetPage(
  ctx: TenantContext,
  pipelineId: string,
  query: PipelineFileFilter & {
    limit?: number | null | undefined;
    offset?: number | null | undefined;
    order_by?: string | null | undefined;
  },
): Promise<OffsetPage> {
  const pipeline = await getPipeline(ctx, pipelineId);
  const where = buildPipelineFileConditions(pipeline.id, query);
  const order = parseOrder(query.order_by);
  // Orders by name and size use an index that begins with the project, so the condition names the project.
  const within =
    order.by === 'name' || order.by === 'file_size'
      ? and(eq(files.projectId, pipeline.projectId), where)
      : where;
  const [limit, offset] = [query.limit ?? DEFAULT_PAGE_SIZE, query.offset ?? 0];
  const [found, [total]] = await Promise.all([
    selectPipelineFiles(ctx, within, order).limit(limit).offset(offset),
    countPipelineFiles(ctx, where, query),
  ]);
  return { files: found, limit, offset, total_count: total?.n ?? 0 };
}

export async function getPipelineFilePage(
  ctx: TenantContext,
  pipelineId: string,
  query: PipelineFileFilter & {
    page_size?: number | null | undefined;
    page_token?: string | null | undefined;
  },
): Promise<Page<PipelineFile> & { total_size: number }> {
  const pipeline = await getPipeline(ctx, pipelineId);
  const where = buildPipelineFileConditions(pipeline.id, query);
  const key = parsePageToken(query.page_token, ['number', 'string']);
  const pageSize = query.page_size ?? DEFAULT_PAGE_SIZE;
  const after = afterKey([pipelineMembers.createdAt, pipelineMembers.id], key, 'asc');
  const [rows, [total]] = await Promise.all([
    selectPipelineFiles(ctx, and(where, after), { by: 'created_at', sorted: asc }).limit(pageSize + 1),
    countPipelineFiles(ctx, where, query),
  ]);
  const page = buildPage(rows, pageSize, getSortKey);
  return { ...page, total_size: total?.n ?? 0 };
}

export async function countFilesByStatus(
  ctx: TenantContext,
  pipelineId: string,
  filter: PipelineFileFilter,
): Promise<Partial<Record<IngestionStatus, number>>> {
  const pipeline = await getPipeline(ctx, pipelineId);
  const where = buildPipelineFileConditions(pipeline.id, filter);
  if (!filter.file_name_contains) return countByStatus(ctx, where);
  const { status } = pipelineMembers;
  const rows = await ctx.db
    .select({ status, n: count() })
    .from(pipelineMembers)
    .innerJoin(files, eq(files.id, pipelineMembers.fileId))
    .where(where)
    .groupBy(status);
  return Object.fromEntries(rows.map((row) => [row.status, row.n]));
}

function parseOrder(text: string | null | undefined): Order {
  const [, word, direction] = /^(\w+)(?: +(asc|desc))?$/i.exec(text?.trim() || 'created_at') ?? [];
  const by = ORDERS.find((each) => each === word?.toLowerCase());
  if (by) return { by, sorted: direction?.toLowerCase() === 'desc' ? desc : asc };
  const msg = `Value error, order_by must be one of ${ORDERS.join(', ')}, with an optional asc or desc`;
  throw new Invalid([{ loc: ['query', 'order_by'], msg, type: 'value_error', input: text }]);
}
