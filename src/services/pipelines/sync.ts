import { desc, eq } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import { whereFile, whereMembers } from '#src/db/pipeline-members.ts';
import {
  files,
  type IngestionError,
  type IngestionStatus,
  type Pipeline,
  type pipelineMembers,
  type SyncRun,
  syncRuns,
} from '#src/db/schema/index.ts';
import { DomainError, getErrorMessage } from '#src/lib/errors.ts';
import { adoptPresignedUpload } from '#src/services/files/pending-uploads.ts';
import { compareIndex, describeLoss } from '#src/services/indexes/compare-store.ts';
import {
  type ConfigurationProblem,
  findConfigurationProblems,
} from '#src/services/indexes/configuration-problems.ts';
import { selectLiveIndex, selectOpenIndexes } from '#src/services/indexes/indexes.ts';
import type { RunView, StartRequest } from '#src/work/sync-owner.ts';
import { countByStatus } from './member-statuses.ts';
import { getPipeline, getPipelineForInserts, getWritablePipeline } from './pipelines.ts';

export async function startSync(
  ctx: TenantContext,
  pipelineId: string,
  request: StartRequest = { reason: 'request' },
): Promise<Pipeline> {
  const get = request.reason === 'request' ? getPipelineForInserts : getWritablePipeline;
  const pipeline = await get(ctx, pipelineId);
  await ctx.objects.pipelineSync(pipeline.id).start(pipeline.id, request);
  return pipeline;
}

export async function cancelSync(ctx: TenantContext, pipelineId: string): Promise<Pipeline> {
  const pipeline = await getPipeline(ctx, pipelineId);
  await ctx.objects.pipelineSync(pipeline.id).cancel();
  return pipeline;
}

export interface IngestionState {
  status: IngestionStatus;
  jobId: string | null;
  startedAt: Date | null;
  effectiveAt: Date | null;
  errors: IngestionError[] | null;
  /** Problems in the pipeline's configuration. Absent in the status of files and data sources. */
  problems?: ConfigurationProblem[];
  details?: {
    counts: Partial<Record<IngestionStatus, number>>;
    progress: Record<string, unknown>;
  };
}

/**
 * Returns the ingestion status of a pipeline. With `fullDetails`, includes the progress and speed of the
 * newest run and the remaining work.
 */
export async function getPipelineStatus(
  ctx: TenantContext,
  pipelineId: string,
  fullDetails: boolean,
): Promise<IngestionState> {
  const pipeline = await getPipeline(ctx, pipelineId);
  const [run, problems] = await Promise.all([
    getNewestRun(ctx, pipeline.id),
    findConfigurationProblems(ctx, pipeline),
  ]);
  const recorded: IngestionState = {
    status: run?.status ?? 'NOT_STARTED',
    jobId: run?.id ?? null,
    startedAt: run?.startedAt ?? null,
    effectiveAt: run?.finishedAt ?? run?.startedAt ?? null,
    errors: run?.error ?? null,
    problems,
  };
  const base = await addStoreState(ctx, pipeline, recorded);
  if (!fullDetails) return base;
  const counts = await countByStatus(ctx, whereMembers(pipeline.id));
  const view = await ctx.objects.pipelineSync(pipeline.id).view();
  const open = await selectOpenIndexes(ctx, pipeline.id);
  const builds_index = open.some(({ state }) => state === 'building');
  return { ...base, details: { counts, progress: { ...describeProgress(view), builds_index } } };
}

/**
 * Time limit in seconds for comparing the index with the data sink. It is short because a client waits for
 * the status meanwhile.
 */
const STORE_SECONDS = 5;

/**
 * Compares the live index with the data sink, so that a run is not reported as SUCCESS while vectors are
 * missing. If the data sink does not answer, this is reported as a problem with the field `data_sink_id`.
 */
async function addStoreState(
  ctx: Context,
  pipeline: Pipeline,
  state: IngestionState,
): Promise<IngestionState> {
  const isGood = state.status === 'SUCCESS' || state.status === 'PARTIAL_SUCCESS';
  if (!pipeline.dataSinkId || !isGood || !state.jobId) return state;
  const [live] = await selectLiveIndex(ctx, pipeline.id);
  if (!live) return state;
  try {
    const seconds = Math.min(STORE_SECONDS, ctx.settings.SILENCE_SECONDS);
    const compared = await compareIndex(ctx, live, seconds);
    const message = compared && describeLoss(compared);
    if (!message) return state;
    const error = { job_id: state.jobId, message, step: 'INGESTION' as const };
    const status = compared.missing === compared.expected ? 'ERROR' : 'PARTIAL_SUCCESS';
    return { ...state, status, errors: [error, ...(state.errors ?? [])] };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const problem = { field: 'data_sink_id', message: getErrorMessage(error) };
    const isKnown = state.problems?.some(({ field }) => field === problem.field);
    return isKnown ? state : { ...state, problems: [...(state.problems ?? []), problem] };
  }
}

/** Returns the newest sync run. A finished run counts as in progress while another run is about to follow. */
export async function getNewestRun(ctx: Context, pipelineId: string): Promise<SyncRun | undefined> {
  const reading = () =>
    ctx.db.query.syncRuns.findFirst({
      where: eq(syncRuns.pipelineId, pipelineId),
      orderBy: desc(syncRuns.generation),
    });
  let run = await reading();
  const summary = await ctx.objects.pipelineSync(pipelineId).summary();
  if (!run || !summary || run.finishedAt === null) return run;
  // The ids differ if another run started between the two reads.
  if (summary.jobId !== run.id) run = (await reading()) ?? run;
  const isOver = summary.jobId === run.id && !summary.isFollowed;
  return isOver ? run : { ...run, status: 'IN_PROGRESS', finishedAt: null };
}

export function countItems(view: RunView) {
  const { done = 0, failed = 0 } = view.items;
  // After a run has stopped, no item is waiting or running any more.
  const { waiting = 0, sent = 0, claimed = 0 } = view.finishedAt === null ? view.items : {};
  return { done, failed, waiting: waiting + sent, running: claimed };
}

function describeProgress(view: RunView | null): Record<string, unknown> {
  if (!view) return {};
  const { done, failed, waiting, running } = countItems(view);
  const seconds = ((view.finishedAt ?? Date.now()) - view.startedAt) / 1000;
  const finished = done + failed;
  const remaining = waiting + running;
  const rate = seconds > 0 ? finished / seconds : 0;
  return {
    started_at: new Date(view.startedAt).toISOString(),
    finished_at: view.finishedAt && new Date(view.finishedAt).toISOString(),
    items: { done, failed, waiting, running },
    counters: view.counters,
    items_per_second: Number(rate.toFixed(3)),
    estimated_seconds_remaining: remaining > 0 && rate > 0 ? Math.ceil(remaining / rate) : null,
  };
}

/**
 * Returns the ingestion status of one file in a pipeline. Returns `undefined` if the pipeline does not
 * contain the file.
 */
export async function getPipelineFileStatus(
  ctx: Context,
  pipelineId: string,
  fileId: string,
): Promise<IngestionState | undefined> {
  const read = () => ctx.db.query.pipelineMembers.findFirst({ where: whereFile(pipelineId, fileId) });
  const row = await read();
  if (!row) return undefined;
  const file = await ctx.db.query.files.findFirst({ where: eq(files.id, fileId) });
  // Completing a presigned upload starts a sync, so the status is read again afterwards.
  if (!file?.pendingKey) return getIngestionState(ctx, row);
  await adoptPresignedUpload(ctx, file);
  return getIngestionState(ctx, (await read()) ?? row);
}

/** Returns the ingestion status of a file, document or data source, with the run that last processed it. */
export async function getIngestionState(
  ctx: Context,
  row: Pick<typeof pipelineMembers.$inferSelect, 'status' | 'jobId' | 'statusUpdatedAt' | 'error'>,
): Promise<IngestionState> {
  const { status, statusUpdatedAt, error } = row;
  const jobId = status === 'NOT_STARTED' ? null : (error?.job_id ?? row.jobId);
  const run = jobId ? await ctx.db.query.syncRuns.findFirst({ where: eq(syncRuns.id, jobId) }) : undefined;
  const startedAt = run?.startedAt ?? null;
  return { status, jobId, startedAt, effectiveAt: statusUpdatedAt, errors: error ? [error] : null };
}
