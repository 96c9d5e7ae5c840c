import { and, eq, inArray, lt, notInArray, sql } from 'drizzle-orm';
import { keys } from '#src/bucket/keys.ts';
import type { Context } from '#src/context/context.ts';
import { isInList } from '#src/db/is-in-list.ts';
import { batches, webhookDeliveries } from '#src/db/schema/index.ts';
import { deleteKeys } from '#src/services/files/bucket.ts';
import { getJobTable, JOB_KINDS, TABLE_NAME } from '#src/services/jobs/kinds.ts';
import { OPEN_STATUSES } from '#src/services/jobs/transitions.ts';
import type { JobKind } from '#src/work/job-owner.ts';
import { createStep, type ExpiredData, type Expiry } from './expiry.ts';

const JOBS_PER_STEP = 200;
/** Maximum number of batches per step. Each has up to 1,000 files, whose rows are deleted with the batch. */
const BATCHES_PER_STEP = 20;

/** Deletes jobs of every kind that ended before the given time, with their results and webhook deliveries. */
export const expireJobs: Expiry = async (ctx, expired) => {
  let removed = 0;
  let isFull = false;
  for (const kind of JOB_KINDS) {
    const gone = await expireKind(ctx, kind, expired);
    removed += gone;
    isFull ||= gone === JOBS_PER_STEP;
  }
  const batchesGone = await expireBatches(ctx, expired);
  removed += batchesGone;
  isFull ||= batchesGone === BATCHES_PER_STEP;
  return { removed, next: isFull ? 'again' : undefined };
};

/**
 * Deletes batches that are older than the given time, have no job left and will create none. A cancelled batch
 * creates no jobs for its waiting files.
 */
async function expireBatches(ctx: Context, { projectId, before }: ExpiredData): Promise<number> {
  const hasJobs = sql.join(
    JOB_KINDS.map(
      (kind) => sql`exists (select 1 from ${sql.raw(TABLE_NAME[kind])} job where job.batch_id = batches.id)`,
    ),
    sql` or `,
  );
  const isOver = and(
    eq(batches.projectId, projectId),
    lt(batches.createdAt, before),
    sql`not (${hasJobs})`,
    sql`(batches.cancelled_at is not null or not exists (
      select 1 from batch_items item where item.batch_id = batches.id and item.state = 'waiting'))`,
  );
  const found = ctx.db
    .select({ id: batches.id })
    .from(batches)
    .where(isOver)
    .orderBy(batches.createdAt)
    .limit(BATCHES_PER_STEP);
  const gone = await ctx.db.delete(batches).where(inArray(batches.id, found)).returning({ id: batches.id });
  return gone.length;
}

async function expireKind(ctx: Context, kind: JobKind, { projectId, before }: ExpiredData): Promise<number> {
  const table = getJobTable(kind);
  const name = sql.raw(TABLE_NAME[kind]);
  const isOver = and(
    eq(table.projectId, projectId),
    lt(table.createdAt, before),
    notInArray(table.status, [...OPEN_STATUSES]),
    sql`coalesce(${table.finishedAt}, ${table.updatedAt}) < ${before.getTime()}`,
    sql`not exists (select 1 from webhook_deliveries where job_id = ${name}.id and status = 'pending')`,
    kind === 'parse' ? sql`not ${isReadByJob}` : undefined,
  );
  const found = await ctx.db
    .select({ id: table.id })
    .from(table)
    .where(isOver)
    .orderBy(table.createdAt)
    .limit(JOBS_PER_STEP);
  if (found.length === 0) return 0;
  const ids = found.map(({ id }) => id);
  const gone = await ctx.db
    .delete(table)
    .where(and(isInList(table.id, ids), isOver))
    .returning({ id: table.id });
  const goneIds = gone.map(({ id }) => id);
  await deleteKeys(
    ctx.bucket,
    goneIds.map((id) => keys.jobResult(projectId, id)),
  );
  await ctx.db.delete(webhookDeliveries).where(isInList(webhookDeliveries.jobId, goneIds));
  return gone.length;
}

/** SQL condition that a job of another kind still refers to the parse job. */
const isReadByJob = sql`(
  exists (select 1 from extract_jobs reader
    where reader.parse_job_id = parse_jobs.id and reader.project_id = parse_jobs.project_id)
  or exists (select 1 from classify_jobs reader
    where reader.parse_job_id = parse_jobs.id and reader.project_id = parse_jobs.project_id)
  or exists (select 1 from split_jobs reader
    where reader.parse_job_id = parse_jobs.id and reader.project_id = parse_jobs.project_id)
  or exists (select 1 from sheets_jobs reader
    where reader.parse_job_id = parse_jobs.id and reader.project_id = parse_jobs.project_id))`;

const DELIVERIES_PER_STEP = 1_000;

export const expireDeliveries: Expiry = async (ctx, { projectId, before }) => {
  const { createdAt, updatedAt, status, id } = webhookDeliveries;
  const isOver = and(
    eq(webhookDeliveries.projectId, projectId),
    lt(createdAt, before),
    lt(updatedAt, before),
    sql`${status} <> 'pending'`,
  );
  const found = ctx.db
    .select({ id })
    .from(webhookDeliveries)
    .where(isOver)
    .orderBy(createdAt)
    .limit(DELIVERIES_PER_STEP);
  const { meta } = await ctx.db
    .delete(webhookDeliveries)
    .where(sql`${id} in ${found} and status <> 'pending'`);
  return createStep(meta.changes, DELIVERIES_PER_STEP);
};
