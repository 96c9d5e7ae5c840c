import { getTableColumns, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { type TraceRow, type TraceSettings, traces } from '#src/db/schema/index.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import { count } from '#src/metrics/meter.ts';
import { findModelSettings } from '#src/services/models/settings.ts';
import { buildDetails, MAX_QUESTION_CHARACTERS } from './details.ts';
import type { TraceDraft } from './draft.ts';
import { exportTraceLater } from './otlp/export.ts';
import type { RecordedTrace } from './otlp/spans.ts';

const MINUTE_MS = 60_000;
/** Maximum number of traces of a project per minute. Further retrievals and answers are not recorded. */
export const MAX_PER_MINUTE = 60;
/** Maximum number of projects whose traces an isolate counts. */
const MAX_PROJECTS = 1_000;

/** Number of traces that this isolate began in a minute, by project. */
const begun = new Map<string, { minute: number; number: number }>();

/**
 * Decides whether a retrieval or answer of a project is recorded. The decision is taken before the work, so that its
 * result can name the trace.
 */
export function shouldRecord(settings: Pick<TraceSettings, 'projectId' | 'sampleRate'>): boolean {
  const { projectId, sampleRate } = settings;
  if (sampleRate === 0 || Math.random() >= sampleRate) return false;
  const minute = Math.floor(Date.now() / MINUTE_MS);
  const known = begun.get(projectId);
  const number = known?.minute === minute ? known.number + 1 : 1;
  if (number > MAX_PER_MINUTE) {
    count('sluice_traces_total', { outcome: 'over_limit' });
    return false;
  }
  if (!known && begun.size >= MAX_PROJECTS) begun.clear();
  begun.set(projectId, { minute, number });
  return true;
}

/** Stores a trace after the response. A failure is counted and logged, and never affects the answer. */
export function recordTraceLater(
  ctx: Context,
  settings: TraceSettings,
  draft: TraceDraft,
  modelName?: string | null,
): void {
  ctx.defer(recordTrace(ctx, settings, draft, modelName));
}

async function recordTrace(
  ctx: Context,
  settings: TraceSettings,
  draft: TraceDraft,
  modelName: string | null | undefined,
): Promise<void> {
  try {
    const isByModel = (draft.answer?.messages.length ?? 0) > 0;
    const chosen = isByModel ? await findChosenModel(ctx, draft.projectId, modelName) : undefined;
    const row = buildRow(draft, settings, computeCost(ctx, draft, chosen));
    const isStored = await insertTrace(ctx, row);
    count('sluice_traces_total', { outcome: isStored ? 'recorded' : 'over_limit' });
    if (isStored) {
      exportTraceLater(ctx, { ...row, modelProvider: ctx.models.languageProvider('chat', chosen) });
    }
  } catch (error) {
    count('sluice_traces_total', { outcome: 'failed' });
    ctx.log.warn('trace not stored', { trace: draft.id, error: getErrorMessage(error) });
  }
  ctx.metrics.flush();
}

/** Returns the name of the model that the request or the project chose. Otherwise the installation's default answers. */
async function findChosenModel(
  ctx: Context,
  projectId: string,
  modelName: string | null | undefined,
): Promise<string | null | undefined> {
  return modelName ?? (await findModelSettings(ctx, projectId))?.models.chat;
}

/** Returns the cost of the call that wrote the answer, or `undefined` if the operator configured no prices. */
function computeCost(
  ctx: Context,
  { answer }: TraceDraft,
  chosen: string | null | undefined,
): number | undefined {
  if (answer?.inputTokens === undefined && answer?.outputTokens === undefined) return undefined;
  const prices = ctx.models.languagePrices('chat', chosen);
  if (!prices) return undefined;
  const { inputTokens = 0, outputTokens = 0 } = answer;
  return (inputTokens * prices.input + outputTokens * prices.output) / 1_000_000;
}

function buildRow(draft: TraceDraft, settings: TraceSettings, cost: number | undefined): RecordedTrace {
  const { recordText } = settings;
  return {
    id: draft.id,
    projectId: draft.projectId,
    kind: draft.kind,
    pipelineId: draft.pipelineId,
    retrieverId: draft.retrieverId,
    sessionId: draft.sessionId,
    userId: draft.userId,
    keyId: draft.keyId,
    requestId: draft.requestId?.slice(0, 200) ?? null,
    question: recordText ? draft.question.slice(0, MAX_QUESTION_CHARACTERS) : null,
    durationMs: Math.round(draft.durationMs),
    isRefused: draft.answer?.isRefused ?? false,
    errorCode: draft.error?.code ?? null,
    details: buildDetails(draft, settings, cost),
    rating: null,
    comment: null,
    ratedAt: null,
    createdAt: new Date(draft.startedAt),
  };
}

/**
 * Inserts a trace, unless the project already has the maximum number of traces of this minute. Feedback that was given
 * before the trace was stored is kept. Returns whether the trace is stored.
 */
export async function insertTrace(ctx: Context, row: TraceRow): Promise<boolean> {
  const minute = row.createdAt.getTime() - (row.createdAt.getTime() % MINUTE_MS);
  const values = Object.entries(getTableColumns(traces)).map(([name, column]) => {
    const value = row[name as keyof TraceRow];
    return value === null ? sql`null` : sql`${sql.param(value, column)}`;
  });
  const recorded = sql`(select count(*) from (select 1 from traces where project_id = ${row.projectId}
    and created_at >= ${minute} and created_at < ${minute + MINUTE_MS} limit ${MAX_PER_MINUTE}))`;
  const { id: _, projectId: __, rating: ___, comment: ____, ratedAt: _____, ...changes } = row;
  const { meta } = await ctx.db
    .insert(traces)
    .select(sql`select ${sql.join(values, sql`, `)} where ${recorded} < ${MAX_PER_MINUTE}`)
    .onConflictDoUpdate({
      target: traces.id,
      set: changes,
      setWhere: sql`traces.details is null and traces.project_id = excluded.project_id`,
    });
  return meta.changes > 0;
}
