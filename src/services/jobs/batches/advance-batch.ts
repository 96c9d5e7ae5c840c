import { and, asc, eq, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { buildConditionalInsert, createConditionalRow } from '#src/db/conditional-insert.ts';
import { isInList } from '#src/db/is-in-list.ts';
import { type Batch, type BatchItem, batches, batchItems, webhookDeliveries } from '#src/db/schema/index.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { DomainError } from '#src/lib/errors.ts';
import { canHaveJobs, createJobRejection } from '#src/services/limits/jobs.ts';
import { openJobWebhooks } from '#src/services/webhooks/secrets.ts';
import type { JobKind } from '#src/work/job-owner.ts';
import { buildJobRow, type JobCreator } from '../create.ts';
import { dropJob } from '../jobs.ts';
import { ATTEMPT_LIMITS, getJobTable, TABLE_NAME } from '../kinds.ts';
import { addSavedParsing, openAddedParsing, openJobParameters, sealJobParameters } from '../parameters.ts';
import { finishBatch } from './finish-batch.ts';

/** Maximum number of jobs that one step creates, cancels or deletes. */
const JOBS_PER_STEP = 50;
/** Maximum number of rows that one step inserts for jobs and their webhook deliveries. */
const ROWS_PER_STEP = 400;
/** Maximum number of characters that one step inserts. Each job has a copy of the configuration. */
const CHARACTERS_PER_STEP = 4_000_000;

export interface BatchCallbacks {
  /** Announces a job to the project's job intake before its row is inserted. */
  announce(kind: JobKind, jobId: string): void;
  /** Whether the intake accepts further jobs now. Otherwise the creation of jobs has to wait. */
  canCreate: boolean;
}

/**
 * `absent` means that the database has no such batch. `wait` means that the intake accepts no jobs now. `running`
 * means that all jobs were created and some have not ended.
 */
export type BatchStep = 'absent' | 'wait' | 'more' | 'running' | 'done';

/**
 * Performs one step of a batch: creates some jobs, cancels some after a cancel request, deletes some after a
 * delete request, or reports that all jobs have ended. A step may be interrupted and repeated at any point.
 */
export async function advanceBatch(
  ctx: Context,
  batchId: string,
  callbacks: BatchCallbacks,
): Promise<BatchStep> {
  const { id, jobType, deletedAt, cancelledAt } = batches;
  const hasWaiting = sql<number>`exists (select 1 from batch_items where batch_id = ${batchId} and state = 'waiting')`;
  const [found] = await ctx.db
    .select({ id, jobType, deletedAt, cancelledAt, hasWaiting })
    .from(batches)
    .where(eq(id, batchId));
  if (!found) return 'absent';
  if (found.deletedAt) return deleteJobs(ctx, found);
  if (found.cancelledAt) {
    const step = await cancelJobs(ctx, found);
    if (step !== 'done') return step;
  }
  const isCreating = !found.cancelledAt && found.hasWaiting;
  // The configuration may be large, so it is read only if jobs can be created.
  if (isCreating && !callbacks.canCreate) return 'wait';
  const batch = await ctx.db.query.batches.findFirst({ where: eq(id, batchId) });
  if (!batch) return 'absent';
  const step = isCreating ? await createJobs(ctx, batch, callbacks) : 'done';
  if (step !== 'done') return step;
  return (await finishBatch(ctx, batch)) ? 'done' : 'running';
}

/**
 * Marks the waiting files of a batch as failed after its steps have failed for a long time. Files of a
 * cancelled or deleted batch stay as they are.
 */
export async function failWaitingItems(ctx: Context, batchId: string, cause: unknown): Promise<void> {
  const reason = cause instanceof DomainError ? cause.message : 'Something went wrong on our side.';
  await ctx.db
    .update(batchItems)
    .set({ state: 'refused', errorMessage: `The job could not be created: ${reason}` })
    .where(isWaiting(batchId));
}

/** SQL condition that an item waits for its job, and that the batch was neither cancelled nor deleted. */
const isWaiting = (batchId: string) =>
  and(
    eq(batchItems.batchId, batchId),
    eq(batchItems.state, 'waiting'),
    sql`exists (select 1 from batches where id = ${batchId} and cancelled_at is null and deleted_at is null)`,
  );

/** Returns the number of jobs that one step creates, from the rows and characters that each job needs. */
function limitJobs(batch: Batch, endpoints: unknown[]): number {
  const characters = JSON.stringify([batch.configuration, batch.webhookConfigurations, endpoints]).length;
  return Math.max(
    1,
    Math.min(
      JOBS_PER_STEP,
      Math.floor(ROWS_PER_STEP / (1 + endpoints.length)),
      Math.floor(CHARACTERS_PER_STEP / characters),
    ),
  );
}

async function createJobs(ctx: Context, batch: Batch, callbacks: BatchCallbacks): Promise<BatchStep> {
  const { id: batchId, jobType: kind } = batch;
  const creator = { ...ctx, projectId: batch.projectId, actor: { userId: batch.userId } };
  const endpoints = await openJobWebhooks(ctx, batchId, batch.webhookConfigurations);
  const limit = limitJobs(batch, endpoints);
  const items = await ctx.db
    .select()
    .from(batchItems)
    .where(and(eq(batchItems.batchId, batchId), eq(batchItems.state, 'waiting')))
    .orderBy(asc(batchItems.position))
    .limit(limit);
  if (items.length === 0) return 'done';
  for (const { jobId } of items) callbacks.announce(kind, jobId);
  const parameters = await openBatchParameters(creator, batch);
  const rows = await Promise.all(
    items.map(async (item) => {
      const columns = await buildColumns(creator, batch, item, parameters);
      return buildJobRow(creator, kind, item.jobId, endpoints, columns);
    }),
  );
  const inserts = rows.flatMap(({ values, events }) => [
    createConditionalRow(getJobTable(kind), values, isStillWanted(ctx, batch, values.id)),
    ...events,
  ]);
  const ids = items.map(({ jobId }) => jobId);
  const isChosen = and(
    eq(batchItems.batchId, batchId),
    eq(batchItems.state, 'waiting'),
    isInList(batchItems.jobId, ids),
  );
  const exists = sql`exists (select 1 from ${sql.raw(TABLE_NAME[kind])} job where job.id = batch_items.job_id)`;
  const markCreated = ctx.db.update(batchItems).set({ state: 'created' }).where(and(isChosen, exists));
  const [first, ...rest] = inserts.map((row) => buildConditionalInsert(ctx, row));
  await ctx.db.batch([first!, ...rest, markCreated]);
  await refuseRemaining(ctx, batch, ids);
  return items.length < limit ? 'done' : 'more';
}

/** SQL condition that the project may run the job, and that its batch still waits for it. */
const isStillWanted = (ctx: Context, batch: Batch, jobId: string) => sql`${canHaveJobs(ctx, batch.projectId)}
  and exists (select 1 from batch_items item join batches batch on batch.id = item.batch_id
    where item.batch_id = ${batch.id} and item.job_id = ${jobId} and item.state = 'waiting'
    and batch.cancelled_at is null and batch.deleted_at is null)`;

/** Decrypts what the jobs of a batch share. Each job stores it again under a key of its own. */
async function openBatchParameters(ctx: JobCreator, batch: Batch) {
  if (batch.jobType === 'parse') return openJobParameters(ctx, batch);
  return batch.configuration.parse_parameters ? openAddedParsing(ctx, batch) : undefined;
}

async function buildColumns(
  ctx: JobCreator,
  batch: Batch,
  { fileId, jobId }: BatchItem,
  parameters: Awaited<ReturnType<typeof openBatchParameters>>,
) {
  const common = {
    fileInput: fileId,
    documentInputType: 'file_id',
    fileId,
    configurationId: batch.configurationId,
    batchId: batch.id,
  };
  if (batch.jobType === 'parse') {
    return { ...common, configuration: await sealJobParameters(ctx, jobId, parameters!) };
  }
  const { parse_parameters: _, ...configuration } = batch.configuration;
  return { ...common, configuration: await addSavedParsing(ctx, jobId, configuration, parameters) };
}

/** Marks items whose jobs a limit of the project did not allow. A retry of the batch tries them again. */
async function refuseRemaining(ctx: Context, batch: Batch, jobIds: string[]): Promise<void> {
  const isLeft = and(isWaiting(batch.id), isInList(batchItems.jobId, jobIds));
  const left = await ctx.db.$count(batchItems, isLeft);
  if (left === 0) return;
  const { message: errorMessage } = await createJobRejection(ctx, batch.projectId);
  await ctx.db.update(batchItems).set({ state: 'refused', errorMessage }).where(isLeft);
}

type StoppedBatch = Pick<Batch, 'id' | 'jobType'>;

async function cancelJobs(ctx: Context, batch: StoppedBatch): Promise<BatchStep> {
  const { jobType: kind } = batch;
  const table = getJobTable(kind);
  const open = await ctx.db
    .select({ id: table.id })
    .from(table)
    .where(and(eq(table.batchId, batch.id), sql`${table.status} in ('PENDING', 'RUNNING')`))
    .limit(JOBS_PER_STEP);
  await inParallel(open, ({ id }) =>
    ctx.objects.jobState(id).cancel({ kind, jobId: id, ...ATTEMPT_LIMITS[kind] }),
  );
  return open.length < JOBS_PER_STEP ? 'done' : 'more';
}

/** Deletes some jobs of a batch, unfinished ones first, so that running work stops soon. */
async function deleteJobs(ctx: Context, batch: StoppedBatch): Promise<BatchStep> {
  const table = getJobTable(batch.jobType);
  const found = await ctx.db
    .select({ id: table.id, projectId: table.projectId })
    .from(table)
    .where(eq(table.batchId, batch.id))
    .orderBy(sql`${table.status} not in ('PENDING', 'RUNNING')`)
    .limit(JOBS_PER_STEP);
  await inParallel(found, (job) => dropJob(ctx, batch.jobType, job));
  if (found.length === JOBS_PER_STEP) return 'more';
  await ctx.objects.jobState(batch.id).drop();
  await ctx.db.batch([
    ctx.db.delete(batches).where(eq(batches.id, batch.id)),
    ctx.db.delete(webhookDeliveries).where(eq(webhookDeliveries.jobId, batch.id)),
  ]);
  return 'done';
}
