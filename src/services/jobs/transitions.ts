import { and, eq, inArray, lt, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { buildConditionalInsert, type ConditionalRow } from '#src/db/conditional-insert.ts';
import { isInNoDeletedBatch } from '#src/db/deleted-batch.ts';
import type { JobStatus } from '#src/db/schema/jobs.ts';
import { count, observe } from '#src/metrics/meter.ts';
import { type PageAllowance, selectPageLimit, selectPagesLeft } from '#src/services/limits/pages.ts';
import type { JobKind } from '#src/work/job-owner.ts';
import { buildDeliveryRows } from './job-events.ts';
import { getJobTable, type Job, TABLE_NAME } from './kinds.ts';

// A job's status changes from PENDING to RUNNING and then to COMPLETED, FAILED or CANCELLED. Each change is
// one conditional update, in a batch with its webhook deliveries and usage record. The first final status is
// permanent.

export interface Ending {
  status: 'COMPLETED' | 'FAILED' | 'CANCELLED';
  errorMessage?: string | null;
  /**
   * Number of the attempt that ended. Required for COMPLETED, because only the current attempt may complete
   * the job.
   */
  attempt?: number;
  columns?: Record<string, unknown>;
  /** Result of the job that its webhook events contain. */
  result?: unknown;
  partial?: boolean;
  /** Rows to insert in the same batch that writes the status. */
  rowsToInsert?: ConditionalRow[];
}

export const OPEN_STATUSES = ['PENDING', 'RUNNING'] as const;
export const isOpen = (status: JobStatus) => status === 'PENDING' || status === 'RUNNING';

/** Returns a job by its complete id. Returns `undefined` if the job or its batch was deleted. */
export function findJob(ctx: Context, kind: JobKind, jobId: string): Promise<Job | undefined> {
  const table = getJobTable(kind);
  return ctx.db
    .select()
    .from(table)
    .where(and(eq(table.id, jobId), isInNoDeletedBatch(table.batchId)))
    .then((rows) => rows[0]);
}

/**
 * Marks a job as running. Returns `undefined` if the job or its batch was deleted, or if the job has ended or
 * belongs to a later attempt. `pages` is the project's daily page limit with the pages left today, or `undefined` without a
 * limit.
 */
export async function markRunning(
  ctx: Context,
  kind: JobKind,
  jobId: string,
  attempt: number,
): Promise<{ job: Job; events: boolean; pages: PageAllowance | undefined } | undefined> {
  const table = getJobTable(kind);
  const owner = sql.raw(`${TABLE_NAME[kind]}.project_id`);
  const [found] = await ctx.db
    .select({ job: table, limit: selectPageLimit(ctx, owner), left: selectPagesLeft(ctx, owner) })
    .from(table)
    .where(and(eq(table.id, jobId), isInNoDeletedBatch(table.batchId)));
  if (!found) return undefined;
  const { job, limit, left } = found;
  const pages = limit === null ? undefined : { limit, left: left ?? limit };
  const inserts = await buildDeliveryRows(ctx, kind, job, { status: 'RUNNING' });
  const isWanted = and(
    eq(table.id, jobId),
    inArray(table.status, OPEN_STATUSES),
    lt(table.attempt, attempt),
    isInNoDeletedBatch(table.batchId),
  );
  const update = ctx.db
    .update(table)
    .set({ status: 'RUNNING', attempt, startedAt: new Date() })
    .where(isWanted)
    .returning({ id: table.id });
  const [updated] = await ctx.db.batch([update, ...inserts.map((row) => buildConditionalInsert(ctx, row))]);
  return updated.length > 0 ? { job, events: inserts.length > 0, pages } : undefined;
}

/**
 * Writes the final status of a job. `settled` is false if the job had already ended. `events` is true if
 * webhook deliveries may have to be sent. `known` is the job's row as the caller has read it.
 */
export async function settleJob(
  ctx: Context,
  kind: JobKind,
  jobId: string,
  ending: Ending,
  known?: Job,
): Promise<{ settled: boolean; events: boolean }> {
  const job = known ?? (await findJob(ctx, kind, jobId));
  if (!job) return { settled: false, events: false };
  const table = getJobTable(kind);
  const { status, attempt, errorMessage = null } = ending;
  const inserts = await buildDeliveryRows(ctx, kind, job, ending);
  const mayEnd = and(
    eq(table.id, jobId),
    inArray(table.status, OPEN_STATUSES),
    isInNoDeletedBatch(table.batchId),
    attempt === undefined ? undefined : eq(table.attempt, attempt),
  );
  const update = ctx.db
    .update(table)
    .set({ ...ending.columns, status, errorMessage, finishedAt: new Date() })
    .where(mayEnd)
    .returning({ id: table.id });
  const [updated] = await ctx.db.batch([
    update,
    ...[...(ending.rowsToInsert ?? []), ...inserts].map((row) => buildConditionalInsert(ctx, row)),
  ]);
  const settled = updated.length > 0;
  if (settled) {
    count('sluice_jobs_total', { kind, status });
    observe('sluice_job_seconds', { kind }, (Date.now() - job.createdAt.getTime()) / 1000);
    ctx.metrics.flush();
  }
  // If the job had already ended, its writer may have crashed before the webhook deliveries were started.
  return { settled, events: settled ? inserts.length > 0 : job.webhookConfigurations !== null };
}
