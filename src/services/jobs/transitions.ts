import { and, eq, inArray, lt, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { type ConditionalRow, insertWhen } from '#src/db/conditional-insert.ts';
import type { JobStatus } from '#src/db/schema/jobs.ts';
import { count, observe } from '#src/metrics/meter.ts';
import { type Pages, pagesLeft, pagesLimit } from '#src/services/limits/pages.ts';
import type { JobKind } from '#src/work/job-owner.ts';
import { deliveryInserts } from './job-events.ts';
import { type Job, jobTable, TABLE_NAME } from './kinds.ts';

// A job's status moves from PENDING to RUNNING and then to COMPLETED, FAILED or CANCELLED. Each move is one
// conditional update, in a batch with its consequences (webhook deliveries and usage). The first final status
// stays, and its consequences are written with it or not at all.

export interface Ending {
  status: 'COMPLETED' | 'FAILED' | 'CANCELLED';
  errorMessage?: string | null;
  /** Number of the attempt; required for COMPLETED, because only the current attempt may complete the job. */
  attempt?: number;
  /** Further columns to write. */
  columns?: Record<string, unknown>;
  /** Result for webhooks. */
  result?: unknown;
  partial?: boolean;
  /** Rows to insert if this status is written. */
  along?: ConditionalRow[];
}

export const OPEN = ['PENDING', 'RUNNING'] as const;
export const isOpen = (status: JobStatus) => status === 'PENDING' || status === 'RUNNING';

export function findJob(ctx: Context, kind: JobKind, jobId: string): Promise<Job | undefined> {
  const table = jobTable(kind);
  return ctx.db
    .select()
    .from(table)
    .where(eq(table.id, jobId))
    .then((rows) => rows[0]);
}

/**
 * Marks a job as running. Returns undefined if it was deleted, has ended or belongs to a later attempt.
 * `pages` is the project's daily page limit with what is left of it today; undefined without a limit.
 */
export async function markRunning(
  ctx: Context,
  kind: JobKind,
  jobId: string,
  attempt: number,
): Promise<{ job: Job; events: boolean; pages: Pages | undefined } | undefined> {
  const table = jobTable(kind);
  const owner = sql.raw(`${TABLE_NAME[kind]}.project_id`);
  const [found] = await ctx.db
    .select({ job: table, limit: pagesLimit(ctx, owner), left: pagesLeft(ctx, owner) })
    .from(table)
    .where(eq(table.id, jobId));
  if (!found) return undefined;
  const { job, limit, left } = found;
  const pages = limit === null ? undefined : { limit, left: left ?? limit };
  const inserts = await deliveryInserts(ctx, kind, job, { status: 'RUNNING' });
  const isWanted = and(eq(table.id, jobId), inArray(table.status, OPEN), lt(table.attempt, attempt));
  const update = ctx.db
    .update(table)
    .set({ status: 'RUNNING', attempt, startedAt: new Date() })
    .where(isWanted)
    .returning({ id: table.id });
  const [updated] = await ctx.db.batch([update, ...inserts.map((row) => insertWhen(ctx, row))]);
  return updated.length > 0 ? { job, events: inserts.length > 0, pages } : undefined;
}

/**
 * Writes the final status. `settled` is false if the job had ended before, and `events` says that webhooks
 * may be due. `known` is any earlier version of the job.
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
  const table = jobTable(kind);
  const { status, attempt, errorMessage = null } = ending;
  const inserts = await deliveryInserts(ctx, kind, job, ending);
  const mayEnd = and(
    eq(table.id, jobId),
    inArray(table.status, OPEN),
    attempt === undefined ? undefined : eq(table.attempt, attempt),
  );
  const update = ctx.db
    .update(table)
    .set({ ...ending.columns, status, errorMessage, finishedAt: new Date() })
    .where(mayEnd)
    .returning({ id: table.id });
  const [updated] = await ctx.db.batch([
    update,
    ...[...(ending.along ?? []), ...inserts].map((row) => insertWhen(ctx, row)),
  ]);
  const settled = updated.length > 0;
  if (settled) {
    count('sluice_jobs_total', { kind, status });
    observe('sluice_job_seconds', { kind }, (Date.now() - job.createdAt.getTime()) / 1000);
    ctx.metrics.handOver();
  }
  // Another writer may have crashed before it sent the webhooks.
  return { settled, events: settled ? inserts.length > 0 : job.webhookConfigurations !== null };
}
