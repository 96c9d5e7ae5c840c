import { and, asc, eq, gt, isNull, lt } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { afterKey, buildPage, parsePageToken } from '#src/db/paging.ts';
import { isOpenRun, pipelines, type SyncRun, syncRuns } from '#src/db/schema/index.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import {
  type Check,
  type CheckInput,
  type Finding,
  STUCK_MS,
  TOKEN_LOCATION,
  tryRepair,
} from '#src/services/operating/check.ts';

const LOST_MESSAGE = 'The sync was lost and cannot be continued.';

/** Finds sync runs that make no progress, or that their Durable Object does not know. */
export const checkRuns: Check = async (ctx, input) => {
  const key = parsePageToken(input.page_token, ['number', 'string'], TOKEN_LOCATION);
  const rows = await ctx.db
    .select()
    .from(syncRuns)
    .where(
      and(
        isOpenRun,
        lt(syncRuns.startedAt, new Date(Date.now() - STUCK_MS)),
        afterKey([syncRuns.startedAt, syncRuns.id], key, 'asc'),
      ),
    )
    .orderBy(asc(syncRuns.startedAt), asc(syncRuns.id))
    .limit(input.page_size + 1);
  const { items, next_page_token } = buildPage(rows, input.page_size, (row) => [
    row.startedAt.getTime(),
    row.id,
  ]);
  const found = await inParallel(items, (run) => examineRun(ctx, run, input));
  return { examined: items.length, findings: found.flat(), next_page_token };
};

async function examineRun(ctx: Context, run: SyncRun, input: CheckInput): Promise<Finding[]> {
  const { id, pipelineId } = run;
  const place = `sync ${id} of pipeline ${pipelineId}`;
  const owner = ctx.objects.pipelineSync(pipelineId);
  const view = await owner.summary();
  if (view?.jobId !== id || view.state === 'done') {
    const isRepaired = await tryRepair(ctx, input, () => endLostRun(ctx, run));
    return [{ level: 'fail', place, message: LOST_MESSAGE, mended: isRepaired }];
  }
  if (Date.now() - view.progressAt < STUCK_MS) return [];
  // Loading the schedules also sets the alarm of the Durable Object, which then continues or ends the run.
  const isRepaired = await tryRepair(ctx, input, () => owner.schedule(pipelineId));
  return [{ level: 'fail', place, message: 'The sync makes no progress.', mended: isRepaired }];
}

/** Marks a lost run as ended, and starts another run for the remaining work. */
async function endLostRun(ctx: Context, { id, pipelineId }: SyncRun): Promise<void> {
  const error = [{ job_id: id, message: LOST_MESSAGE, step: 'INGESTION' as const }];
  await ctx.db
    .update(syncRuns)
    .set({ status: 'ERROR', error, finishedAt: new Date() })
    .where(and(eq(syncRuns.id, id), isNull(syncRuns.finishedAt)));
  const pipeline = await ctx.db.query.pipelines.findFirst({ where: eq(pipelines.id, pipelineId) });
  if (!pipeline || pipeline.status === 'DELETING') return;
  await ctx.objects.pipelineSync(pipelineId).start(pipelineId, { reason: 'change' });
}

/** Finds unfinished deletions of pipelines. With `fix`, the deletion is continued. */
export const checkDeletions: Check = async (ctx, input) => {
  const [after = ''] = parsePageToken(input.page_token, ['string'], TOKEN_LOCATION) ?? [];
  const rows = await ctx.db
    .select({ id: pipelines.id, updatedAt: pipelines.updatedAt })
    .from(pipelines)
    .where(and(eq(pipelines.status, 'DELETING'), gt(pipelines.id, after)))
    .orderBy(asc(pipelines.id))
    .limit(input.page_size + 1);
  const { items, next_page_token } = buildPage(rows, input.page_size, ({ id }) => [id]);
  const stuck = items.filter(({ updatedAt }) => Date.now() - updatedAt.getTime() > STUCK_MS);
  const findings = await inParallel(stuck, async ({ id }): Promise<Finding> => {
    const isRepaired = await tryRepair(ctx, input, () => ctx.objects.pipelineSync(id).erase(id, false));
    const message = 'The deletion has not finished. A vector store may be unavailable.';
    return { level: 'warn', place: `pipeline ${id}`, message, mended: isRepaired };
  });
  return { examined: items.length, findings, next_page_token };
};
