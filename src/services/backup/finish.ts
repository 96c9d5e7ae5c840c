import { and, asc, eq, gt, isNotNull, sql } from 'drizzle-orm';
import { keys } from '#src/bucket/keys.ts';
import type { TenantContext } from '#src/context/context.ts';
import { readPageToken } from '#src/db/paging.ts';
import { isOpenJob, pipelines, projects } from '#src/db/schema/index.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { encodeCursor } from '#src/lib/cursor.ts';
import { deletePrefix } from '#src/services/files/bucket.ts';
import { jobTable, KINDS } from '#src/services/jobs/kinds.ts';
import { countStorage } from '#src/services/limits/storage.ts';
import { type Order, requireOrder } from './orders.ts';

export interface FinishStep {
  /** Number of pipelines whose sync was started to build their index. */
  syncs: number;
  /** Number of jobs that were started again. */
  jobs: number;
  next_page_token: string | null;
}

const PIPELINES = 20;
const JOBS = 100;

/**
 * Resumes restored work, one page per call: starts the syncs that build the indexes, loads schedules,
 * continues deletions, and starts open jobs again. A call may be repeated. The restore ends with the last
 * page.
 */
export async function finishRestore(
  ctx: TenantContext,
  restoreId: string,
  { page_token }: { page_token?: string | null | undefined },
): Promise<FinishStep> {
  const order = await requireOrder(ctx, restoreId);
  const [stage, after] = readPageToken(page_token, ['number', 'string'], ['body', 'page_token']) ?? [0, ''];
  const kind = KINDS[stage - 1];
  const last = kind ? await beginJobs(ctx, order, kind, after) : await beginSyncs(ctx, order, after);
  const step = { syncs: kind ? 0 : last.count, jobs: kind ? last.count : 0 };
  if (last.id !== undefined) return { ...step, next_page_token: encodeCursor([stage, last.id]) };
  if (stage < KINDS.length) return { ...step, next_page_token: encodeCursor([stage + 1, '']) };
  await countLimited(ctx, order);
  // The restore order is deleted last. Without it nothing would clear what is left.
  await deletePrefix(ctx.bucket, keys.restorePieces(restoreId));
  await deletePrefix(ctx.bucket, keys.restore(restoreId));
  return { ...step, next_page_token: null };
}

interface Begun {
  count: number;
  /** Id of the last row, if there may be more. */
  id?: string;
}

async function beginSyncs(ctx: TenantContext, order: Order, after: string): Promise<Begun> {
  const { id, status, projectId } = pipelines;
  // The columns are qualified with their tables, because SQLite would resolve unqualified names to the inner
  // query.
  const generation = sql<number | null>`(select max(run.generation) from sync_runs run
    where run.pipeline_id = pipelines.id)`;
  const rows = await ctx.db
    .select({
      id,
      status,
      generation,
    })
    .from(pipelines)
    .where(and(gt(id, after), order.project === null ? undefined : eq(projectId, order.project)))
    .orderBy(asc(id))
    .limit(PIPELINES);
  await inParallel(rows, async (pipeline) => {
    const owner = ctx.objects.pipelineSync(pipeline.id);
    if (pipeline.status === 'DELETING') return owner.erase(pipeline.id, false);
    if (!order.hold) await owner.schedule(pipeline.id);
    // The sources are not read, because the index must match the backup.
    await owner.start(pipeline.id, { reason: 'change', follows: pipeline.generation ?? 0 });
  });
  return rows.length < PIPELINES ? { count: rows.length } : { count: rows.length, id: rows.at(-1)!.id };
}

async function beginJobs(
  ctx: TenantContext,
  order: Order,
  kind: (typeof KINDS)[number],
  after: string,
): Promise<Begun> {
  const table = jobTable(kind);
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
    .limit(JOBS);
  await inParallel(rows, ({ id, projectId }) => ctx.objects.jobIntake(projectId).announce(kind, id));
  return rows.length < JOBS ? { count: rows.length } : { count: rows.length, id: rows.at(-1)!.id };
}

/** Starts counting the files of projects that have limits of their own. */
async function countLimited(ctx: TenantContext, { project }: Order): Promise<void> {
  const limited = await ctx.db
    .select({ id: projects.id })
    .from(projects)
    .where(and(isNotNull(projects.limits), project === null ? undefined : eq(projects.id, project)));
  await inParallel(limited, ({ id }) => countStorage(ctx, id));
}
