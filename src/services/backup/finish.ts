import { and, asc, eq, gt, isNotNull, sql } from 'drizzle-orm';
import { keys } from '#src/bucket/keys.ts';
import type { TenantContext } from '#src/context/context.ts';
import { parsePageToken } from '#src/db/paging.ts';
import { batches, evaluationSchedules, isOpenJob, pipelines, projects } from '#src/db/schema/index.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { encodeCursor } from '#src/lib/cursor.ts';
import { deletePrefix } from '#src/services/files/bucket.ts';
import { getJobTable, JOB_KINDS } from '#src/services/jobs/kinds.ts';
import { buildStorageCount } from '#src/services/limits/storage.ts';
import { type RestoreOrder, requireOrder } from './orders.ts';

export interface FinishStep {
  /** Number of pipelines whose sync was started to build their indexes. */
  syncs: number;
  /** Number of jobs that were started again. */
  jobs: number;
  next_page_token: string | null;
}

const PIPELINES_PER_PAGE = 20;
const JOBS_PER_PAGE = 100;

/**
 * Resumes restored work, one page per call. Starts the syncs that build the indexes, loads schedules,
 * continues deletions and starts unfinished jobs again. A call may be repeated. The restore ends with the
 * last page.
 */
export async function finishRestore(
  ctx: TenantContext,
  restoreId: string,
  { page_token }: { page_token?: string | null | undefined },
): Promise<FinishStep> {
  const order = await requireOrder(ctx, restoreId);
  const [stage, after] = parsePageToken(page_token, ['number', 'string'], ['body', 'page_token']) ?? [0, ''];
  const kind = JOB_KINDS[stage - 1];
  const last = kind ? await startJobs(ctx, order, kind, after) : await startSyncs(ctx, order, after);
  const step = { syncs: kind ? 0 : last.count, jobs: kind ? last.count : 0 };
  if (last.id !== undefined) return { ...step, next_page_token: encodeCursor([stage, last.id]) };
  if (stage < JOB_KINDS.length) return { ...step, next_page_token: encodeCursor([stage + 1, '']) };
  await countLimitedProjects(ctx, order);
  if (!order.hold) await continueBatches(ctx, order);
  if (!order.hold) await continueSchedules(ctx, order);
  // The stored restore parameters are deleted last. Without them, a repeated call could not delete what is
  // left.
  await deletePrefix(ctx.bucket, keys.restorePieces(restoreId));
  await deletePrefix(ctx.bucket, keys.restore(restoreId));
  return { ...step, next_page_token: null };
}

interface StartedPage {
  count: number;
  /** Id of the last row of this page. Absent if this is the last page. */
  id?: string;
}

async function startSyncs(ctx: TenantContext, order: RestoreOrder, after: string): Promise<StartedPage> {
  const { id, status, sweepId, projectId } = pipelines;
  // Column names are qualified with their table. Otherwise SQLite would resolve them within the subquery.
  const generation = sql<number | null>`(select max(run.generation) from sync_runs run
    where run.pipeline_id = pipelines.id)`;
  const rows = await ctx.db
    .select({
      id,
      status,
      sweepId,
      generation,
    })
    .from(pipelines)
    .where(and(gt(id, after), order.project === null ? undefined : eq(projectId, order.project)))
    .orderBy(asc(id))
    .limit(PIPELINES_PER_PAGE);
  await inParallel(rows, async (pipeline) => {
    const owner = ctx.objects.pipelineSync(pipeline.id);
    // The restore cancels sweeps, so nothing uses their copies any more.
    const isUnwanted = pipeline.status === 'DELETING' || pipeline.sweepId !== null;
    if (isUnwanted) return owner.erase(pipeline.id, false);
    if (!order.hold) await owner.schedule(pipeline.id);
    // The sync does not read data sources, because the index must contain the state of the backup.
    await owner.start(pipeline.id, { reason: 'change', follows: pipeline.generation ?? 0 });
  });
  return rows.length < PIPELINES_PER_PAGE
    ? { count: rows.length }
    : { count: rows.length, id: rows.at(-1)!.id };
}

async function startJobs(
  ctx: TenantContext,
  order: RestoreOrder,
  kind: (typeof JOB_KINDS)[number],
  after: string,
): Promise<StartedPage> {
  const table = getJobTable(kind);
  const rows = await ctx.db
    .select({ id: table.id, projectId: table.projectId })
    .from(table)
    .where(
      and(
        isOpenJob,
        gt(table.id, after),
        order.project === null ? undefined : eq(table.projectId, order.project),
      ),
    )
    .orderBy(asc(table.id))
    .limit(JOBS_PER_PAGE);
  await inParallel(rows, ({ id, projectId }) => ctx.objects.jobIntake(projectId).announce(kind, id));
  return rows.length < JOBS_PER_PAGE ? { count: rows.length } : { count: rows.length, id: rows.at(-1)!.id };
}

/** Tells the intakes about evaluation schedules, because their storage is not part of a backup. */
async function continueSchedules(ctx: TenantContext, { project }: RestoreOrder): Promise<void> {
  const rows = await ctx.db
    .select({ id: evaluationSchedules.questionSetId, projectId: evaluationSchedules.projectId })
    .from(evaluationSchedules)
    .where(project === null ? undefined : eq(evaluationSchedules.projectId, project));
  await inParallel(rows, ({ id, projectId }) => ctx.objects.jobIntake(projectId).scheduleEvaluations(id));
}

/** Continues batches whose jobs had not all ended, or were not all deleted, when the backup was made. */
async function continueBatches(ctx: TenantContext, { project }: RestoreOrder): Promise<void> {
  const isUnfinished = sql`(${batches.deletedAt} is not null or ${batches.finishedAt} is null)`;
  const unfinished = await ctx.db
    .select({ id: batches.id, projectId: batches.projectId })
    .from(batches)
    .where(and(isUnfinished, project === null ? undefined : eq(batches.projectId, project)));
  await inParallel(unfinished, ({ id, projectId }) => ctx.objects.jobIntake(projectId).advanceBatch(id));
}

/** Counts the stored files of projects that have limits. */
async function countLimitedProjects(ctx: TenantContext, { project }: RestoreOrder): Promise<void> {
  const limited = await ctx.db
    .select({ id: projects.id })
    .from(projects)
    .where(and(isNotNull(projects.limits), project === null ? undefined : eq(projects.id, project)));
  await inParallel(limited, ({ id }) => buildStorageCount(ctx, id));
}
