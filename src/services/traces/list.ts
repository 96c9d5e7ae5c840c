import { and, desc, eq, gte, inArray, isNotNull, isNull, lt, type SQL } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { containsRegardlessOfCase } from '#src/db/contains.ts';
import { afterKey, buildPage, DEFAULT_PAGE_SIZE, type Page, parsePageToken } from '#src/db/paging.ts';
import { type TraceRow, traces } from '#src/db/schema/index.ts';
import { whereVisible } from './visible.ts';

export interface TraceFilter {
  kind?: 'retrieval' | 'chat' | null | undefined;
  pipeline_id?: string | null | undefined;
  retriever_id?: string | null | undefined;
  /** Earliest time, inclusive. */
  from?: string | null | undefined;
  /** Latest time, exclusive. */
  to?: string | null | undefined;
  has_feedback?: boolean | null | undefined;
  feedback?: 'up' | 'down' | null | undefined;
  min_duration_ms?: number | null | undefined;
  refused?: boolean | null | undefined;
  error?: boolean | null | undefined;
  /** Part of the question, regardless of case. Questions are searched only if they were recorded. */
  q?: string | null | undefined;
}

const COLUMNS = {
  id: traces.id,
  kind: traces.kind,
  pipelineId: traces.pipelineId,
  retrieverId: traces.retrieverId,
  sessionId: traces.sessionId,
  userId: traces.userId,
  keyId: traces.keyId,
  requestId: traces.requestId,
  question: traces.question,
  durationMs: traces.durationMs,
  isRefused: traces.isRefused,
  errorCode: traces.errorCode,
  rating: traces.rating,
  comment: traces.comment,
  ratedAt: traces.ratedAt,
  createdAt: traces.createdAt,
};

/** Trace without its details. */
export type TraceSummary = Omit<TraceRow, 'details' | 'projectId'>;

/** Maximum number of traces that one statement deletes. D1 aborts a statement after 30 seconds. */
const ROWS_PER_DELETE = 1_000;

/**
 * Returns a page of the traces of the request's project, newest first. Admins see all of them. Others see the traces of
 * what they asked themselves.
 */
export async function getTracePage(
  ctx: TenantContext,
  filter: TraceFilter & { page_size?: number | null | undefined; page_token?: string | null | undefined },
): Promise<Page<TraceSummary>> {
  const size = filter.page_size ?? DEFAULT_PAGE_SIZE;
  const after = parsePageToken(filter.page_token, ['number', 'string']);
  const rows = await ctx.db
    .select(COLUMNS)
    .from(traces)
    .where(
      and(
        eq(traces.projectId, ctx.projectId),
        await whereVisible(ctx, ctx.organizationId),
        ...listConditions(filter),
        afterKey([traces.createdAt, traces.id], after, 'desc'),
      ),
    )
    .orderBy(desc(traces.createdAt), desc(traces.id))
    .limit(size + 1);
  return buildPage(rows, size, ({ createdAt, id }) => [createdAt.getTime(), id]);
}

/**
 * Deletes the traces of the request's project that match the filter and that the caller may see. Returns their number.
 * An interrupted call can be repeated.
 */
export async function deleteTraces(ctx: TenantContext, filter: TraceFilter): Promise<number> {
  const condition = and(
    eq(traces.projectId, ctx.projectId),
    await whereVisible(ctx, ctx.organizationId),
    ...listConditions(filter),
  );
  for (let deleted = 0; ; ) {
    const some = ctx.db.select({ id: traces.id }).from(traces).where(condition).limit(ROWS_PER_DELETE);
    const { meta } = await ctx.db.delete(traces).where(inArray(traces.id, some));
    deleted += meta.changes;
    if (meta.changes < ROWS_PER_DELETE) return deleted;
  }
}

function listConditions(filter: TraceFilter): (SQL | undefined)[] {
  const { has_feedback, error, refused } = filter;
  return [
    filter.kind ? eq(traces.kind, filter.kind) : undefined,
    filter.pipeline_id ? eq(traces.pipelineId, filter.pipeline_id) : undefined,
    filter.retriever_id ? eq(traces.retrieverId, filter.retriever_id) : undefined,
    filter.from ? gte(traces.createdAt, new Date(filter.from)) : undefined,
    filter.to ? lt(traces.createdAt, new Date(filter.to)) : undefined,
    toNullCondition(traces.rating, has_feedback),
    filter.feedback ? eq(traces.rating, filter.feedback) : undefined,
    filter.min_duration_ms ? gte(traces.durationMs, filter.min_duration_ms) : undefined,
    refused === null || refused === undefined ? undefined : eq(traces.isRefused, refused),
    toNullCondition(traces.errorCode, error),
    filter.q ? containsRegardlessOfCase(traces.question, filter.q, ['query', 'q']) : undefined,
  ];
}

function toNullCondition(
  column: typeof traces.rating | typeof traces.errorCode,
  isSet: boolean | null | undefined,
): SQL | undefined {
  if (isSet === null || isSet === undefined) return undefined;
  return isSet ? isNotNull(column) : isNull(column);
}
