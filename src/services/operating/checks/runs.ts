import { and, asc, eq, gt, isNull, lt } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { following, pageOf, readPageToken } from '#src/db/paging.ts';
import { isOpenRun, pipelines, type SyncRun, syncRuns } from '#src/db/schema/index.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import {
  type Check,
  type CheckInput,
  type Finding,
  mended,
  STUCK_MS,
  TOKEN_PLACE,
} from '#src/services/operating/check.ts';

const LOST = 'Its owner has lost it.';

/** Finds sync runs whose owner does not know them or makes no progress. */
export const checkRuns: Check = async (ctx, input) => {
  const key = readPageToken(input.page_token, ['number', 'string'], TOKEN_PLACE);
  const rows = await ctx.db
    .select()
    .from(syncRuns)
    .where(
      and(
        isOpenRun,
        lt(syncRuns.startedAt, new Date(Date.now() - STUCK_MS)),
        following([syncRuns.startedAt, syncRuns.id], key, 'asc'),
      ),
    )
    .orderBy(asc(syncRuns.startedAt), asc(syncRuns.id))
    .limit(input.page_size + 1);
  const { items, next_page_token } = pageOf(rows, input.page_size, (row) => [
    row.startedAt.getTime(),
    row.id,
  ]);
  const found = await inParallel(items, (run) => examine(ctx, run, input));
  return { examined: items.length, findings: found.flat(), next_page_token };
};

async function examine(ctx: Context, run: SyncRun, input: CheckInput): Promise<Finding[]> {
  const { id, pipelineId } = run;
  const place = `sync ${id} of pipeline ${pipelineId}`;
  const owner = ctx.objects.pipelineSync(pipelineId);
  const view = await owner.view();
  if (view?.jobId !== id || view.state === 'done') {
    const isMended = await mended(ctx, input, () => endLost(ctx, run));
    return [{ level: 'fail', place, message: LOST, mended: isMended }];
  }
  if (Date.now() - view.progressAt < STUCK_MS) return [];
  // Loading schedules also sets the owner's alarm, which continues or ends the run.
  const isMended = await mended(ctx, input, () => owner.schedule(pipelineId));
  return [{ level: 'fail', place, message: 'It gets nowhere, and its owner sleeps.', mended: isMended }];
}

/** Marks a run as ended and starts another one for the rest. */
async function endLost(ctx: Context, { id, pipelineId }: SyncRun): Promise<void> {
  const error = [{ job_id: id, message: LOST, step: 'INGESTION' as const }];
  await ctx.db
    .update(syncRuns)
    .set({ status: 'ERROR', error, finishedAt: new Date() })
    .where(and(eq(syncRuns.id, id), isNull(syncRuns.finishedAt)));
  const pipeline = await ctx.db.query.pipelines.findFirst({ where: eq(pipelines.id, pipelineId) });
  if (!pipeline || pipeline.status === 'DELETING') return;
  await ctx.objects.pipelineSync(pipelineId).start(pipelineId, { reason: 'change' });
}

/** Finds unfinished deletions of pipelines. With `fix`, wakes their owner. */
export const checkDeletions: Check = async (ctx, input) => {
  const [after = ''] = readPageToken(input.page_token, ['string'], TOKEN_PLACE) ?? [];
  const rows = await ctx.db
    .select({ id: pipelines.id, updatedAt: pipelines.updatedAt })
    .from(pipelines)
    .where(and(eq(pipelines.status, 'DELETING'), gt(pipelines.id, after)))
    .orderBy(asc(pipelines.id))
    .limit(input.page_size + 1);
  const { items, next_page_token } = pageOf(rows, input.page_size, ({ id }) => [id]);
  const stuck = items.filter(({ updatedAt }) => Date.now() - updatedAt.getTime() > STUCK_MS);
  const findings = await inParallel(stuck, async ({ id }): Promise<Finding> => {
    const isMended = await mended(ctx, input, () => ctx.objects.pipelineSync(id).erase(id, false));
    const message = 'It was deleted, and is not gone yet; a vector store may be away.';
    return { level: 'warn', place: `pipeline ${id}`, message, mended: isMended };
  });
  return { examined: items.length, findings, next_page_token };
};
