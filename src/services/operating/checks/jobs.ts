import { and, asc, lt, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { afterKey, parsePageToken } from '#src/db/paging.ts';
import { isOpenDelivery, isOpenJob, webhookDeliveries } from '#src/db/schema/index.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { encodeCursor } from '#src/lib/cursor.ts';
import { getJobTable, JOB_KINDS } from '#src/services/jobs/kinds.ts';
import {
  type Check,
  type CheckInput,
  type Finding,
  STUCK_MS,
  TOKEN_LOCATION,
  tryRepair,
} from '#src/services/operating/check.ts';
import type { JobKind } from '#src/work/job-owner.ts';

/** Finds unfinished jobs that no Durable Object processes. */
export const checkJobs: Check = async (ctx, input) => {
  const key = parsePageToken(input.page_token, ['number', 'number', 'string'], TOKEN_LOCATION);
  const [at = 0, ...after] = key ?? [];
  const kind = JOB_KINDS[at];
  if (!kind) return { examined: 0, findings: [], next_page_token: null };
  const table = getJobTable(kind);
  const rows = await ctx.db
    .select({ id: table.id, projectId: table.projectId, createdAt: table.createdAt })
    .from(table)
    .where(
      and(
        isOpenJob,
        lt(table.createdAt, new Date(Date.now() - STUCK_MS)),
        afterKey([table.createdAt, table.id], after.length > 0 ? after : undefined, 'asc'),
      ),
    )
    .orderBy(asc(table.createdAt), asc(table.id))
    .limit(input.page_size);
  const found = await inParallel(rows, (job) => examineJob(ctx, kind, job, input));
  const last = rows.length === input.page_size ? rows.at(-1) : undefined;
  const next = last ? [at, last.createdAt.getTime(), last.id] : [at + 1, 0, ''];
  const isOver = !last && at + 1 >= JOB_KINDS.length;
  return {
    examined: rows.length,
    findings: found.flat(),
    next_page_token: isOver ? null : encodeCursor(next),
  };
};

async function examineJob(
  ctx: Context,
  kind: JobKind,
  { id, projectId }: { id: string; projectId: string },
  input: CheckInput,
): Promise<Finding[]> {
  const view = await ctx.objects.jobState(id).view();
  if (view && (view.phase === 'waiting' || view.phase === 'claimed')) return [];
  if (await ctx.objects.jobIntake(projectId).waits(id)) return [];
  const isRepaired = await tryRepair(ctx, input, () => ctx.objects.jobIntake(projectId).announce(kind, id));
  return [
    {
      level: 'fail',
      place: `job ${id}`,
      message: 'The job is unfinished, but no Durable Object processes it.',
      mended: isRepaired,
    },
  ];
}

export const checkWebhooks: Check = async (ctx, input) => {
  const key = parsePageToken(input.page_token, ['number', 'string'], TOKEN_LOCATION);
  const { id, jobId, createdAt, nextAttemptAt } = webhookDeliveries;
  const due = sql<number>`ifnull(${nextAttemptAt}, ${createdAt})`;
  const rows = await ctx.db
    .select({ id, jobId, createdAt, due })
    .from(webhookDeliveries)
    .where(
      and(
        isOpenDelivery,
        lt(createdAt, new Date(Date.now() - STUCK_MS)),
        afterKey([createdAt, id], key, 'asc'),
      ),
    )
    .orderBy(asc(createdAt), asc(id))
    .limit(input.page_size);
  // The Durable Object is called once per job, because one call delivers all webhook events of the job.
  const late = new Set(rows.filter((row) => row.due < Date.now() - STUCK_MS).map((row) => row.jobId));
  const findings = await inParallel([...late], async (job): Promise<Finding> => {
    const isRepaired = await tryRepair(ctx, input, () => ctx.objects.jobState(job).notify(job));
    const message = 'Webhook deliveries of the job are overdue.';
    return { level: 'fail', place: `job ${job}`, message, mended: isRepaired };
  });
  const last = rows.length === input.page_size ? rows.at(-1) : undefined;
  const next_page_token = last ? encodeCursor([last.createdAt.getTime(), last.id]) : null;
  return { examined: rows.length, findings, next_page_token };
};
