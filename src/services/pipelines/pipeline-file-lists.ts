import { and, asc, count, desc, eq, getTableColumns, inArray, isNull, type SQL, sql } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context.ts';
import { DEFAULT_PAGE_SIZE, everyPage, following, type Page, pageOf, readPageToken } from '#src/db/paging.ts';
import { fileMember, filesOf } from '#src/db/pipeline-members.ts';
import { files, type IngestionStatus, pipelineMembers } from '#src/db/schema/index.ts';
import { Invalid } from '#src/errors.ts';
import type { PipelineFile } from './pipeline-files.ts';
import { getPipeline } from './pipelines.ts';
import { statusCounts } from './statuses.ts';

export interface PipelineFileFilter {
  data_source_id?: string | null | undefined;
  only_manually_uploaded?: boolean | null | undefined;
  file_name_contains?: string | null | undefined;
  statuses?: IngestionStatus[] | null | undefined;
}

interface Order {
  by: 'created_at' | 'name';
  sorted: typeof asc;
}

const columns = { member: fileMember, file: getTableColumns(files) };

/** By an index: of the memberships, or, sorted by name, of the project's files. */
export function pipelineFileRows(ctx: Context, where: SQL | undefined, { by, sorted }: Order) {
  const joined = eq(files.id, pipelineMembers.fileId);
  if (by === 'created_at') {
    return ctx.db
      .select(columns)
      .from(pipelineMembers)
      .innerJoin(files, joined)
      .where(where)
      .orderBy(sorted(pipelineMembers.createdAt), sorted(pipelineMembers.id))
      .$dynamic();
  }
  // A cross join is read in the order it is written in; else the planner may sort all names.
  return ctx.db
    .select(columns)
    .from(files)
    .crossJoin(pipelineMembers)
    .where(and(joined, where))
    .orderBy(sorted(files.name), sorted(files.id))
    .$dynamic();
}

export function pipelineFileTotal(ctx: Context, where: SQL | undefined, filter: PipelineFileFilter) {
  const counting = ctx.db.select({ n: count() }).from(pipelineMembers).$dynamic();
  const named = filter.file_name_contains
    ? counting.innerJoin(files, eq(files.id, pipelineMembers.fileId))
    : counting;
  return named.where(where);
}

export function pipelineFileConditions(pipelineId: string, filter: PipelineFileFilter): SQL | undefined {
  const { data_source_id: source, file_name_contains: part, statuses } = filter;
  // Each once: a query may repeat them, and a statement takes a hundred parameters.
  const [only, ...others] = new Set(statuses);
  return and(
    filesOf(pipelineId),
    source ? eq(pipelineMembers.dataSourceId, source) : undefined,
    filter.only_manually_uploaded ? isNull(pipelineMembers.dataSourceId) : undefined,
    // The plus keeps the index of the list's own order in use: several states would have to be sorted.
    only && others.length > 0 ? sql`+${inArray(pipelineMembers.status, [only, ...others])}` : undefined,
    only && others.length === 0 ? eq(pipelineMembers.status, only) : undefined,
    part ? sql`instr(lower(${files.name}), ${part.toLowerCase()}) > 0` : undefined,
  );
}

/** All files of the pipeline, in the order they came in. */
export async function* listPipelineFiles(
  ctx: TenantContext,
  pipelineId: string,
): AsyncGenerator<PipelineFile[]> {
  const pipeline = await getPipeline(ctx, pipelineId);
  yield* everyPage((key, limit) => {
    const after = following([pipelineMembers.createdAt, pipelineMembers.id], key, 'asc');
    return pipelineFileRows(ctx, and(filesOf(pipeline.id), after), { by: 'created_at', sorted: asc }).limit(
      limit,
    );
  }, keyOf);
}

const keyOf = ({ member }: PipelineFile) => [member.createdAt.getTime(), member.id];

export interface OffsetPage {
  files: PipelineFile[];
  limit: number;
  offset: number;
  total_count: number;
}

export async function offsetPageOfPipelineFiles(
  ctx: TenantContext,
  pipelineId: string,
  query: PipelineFileFilter & {
    limit?: number | null | undefined;
    offset?: number | null | undefined;
    order_by?: string | null | undefined;
  },
): Promise<OffsetPage> {
  const pipeline = await getPipeline(ctx, pipelineId);
  const where = pipelineFileConditions(pipeline.id, query);
  const order = readOrder(query.order_by);
  // Names are read from the project's files, so those of other projects are out of the way at once.
  const within = order.by === 'name' ? and(eq(files.projectId, pipeline.projectId), where) : where;
  const [limit, offset] = [query.limit ?? DEFAULT_PAGE_SIZE, query.offset ?? 0];
  const [found, [total]] = await Promise.all([
    pipelineFileRows(ctx, within, order).limit(limit).offset(offset),
    pipelineFileTotal(ctx, where, query),
  ]);
  return { files: found, limit, offset, total_count: total?.n ?? 0 };
}

export async function cursorPageOfPipelineFiles(
  ctx: TenantContext,
  pipelineId: string,
  query: PipelineFileFilter & {
    page_size?: number | null | undefined;
    page_token?: string | null | undefined;
  },
): Promise<Page<PipelineFile> & { total_size: number }> {
  const pipeline = await getPipeline(ctx, pipelineId);
  const where = pipelineFileConditions(pipeline.id, query);
  const key = readPageToken(query.page_token, ['number', 'string']);
  const pageSize = query.page_size ?? DEFAULT_PAGE_SIZE;
  const after = following([pipelineMembers.createdAt, pipelineMembers.id], key, 'asc');
  const [rows, [total]] = await Promise.all([
    pipelineFileRows(ctx, and(where, after), { by: 'created_at', sorted: asc }).limit(pageSize + 1),
    pipelineFileTotal(ctx, where, query),
  ]);
  const page = pageOf(rows, pageSize, keyOf);
  return { ...page, total_size: total?.n ?? 0 };
}

export async function fileStatusCounts(
  ctx: TenantContext,
  pipelineId: string,
  filter: PipelineFileFilter,
): Promise<Partial<Record<IngestionStatus, number>>> {
  const pipeline = await getPipeline(ctx, pipelineId);
  return statusCounts(ctx, pipelineFileConditions(pipeline.id, filter));
}

function readOrder(text: string | null | undefined): Order {
  const [, by, word] = /^(created_at|name)(?: +(asc|desc))?$/i.exec(text?.trim() || 'created_at') ?? [];
  if (by) return { by: by.toLowerCase() as Order['by'], sorted: word?.toLowerCase() === 'desc' ? desc : asc };
  const msg = 'Value error, order_by must be created_at or name, with an optional asc or desc';
  throw new Invalid([{ loc: ['query', 'order_by'], msg, type: 'value_error', input: text }]);
}
