import type { TenantContext } from '#src/context/context.ts';
import type { TraceSettings } from '#src/db/schema/index.ts';
import { DomainError, getErrorMessage } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import type { TraceDraft } from './draft.ts';
import { recordTraceLater, shouldRecord } from './record.ts';

/** What is known about a retrieval before it runs. */
export interface TracedRetrieval
  extends Pick<TraceDraft, 'projectId' | 'pipelineId' | 'retrieverId' | 'question' | 'requestId'> {
  /** Settings of the project. They may be read while the retrieval runs. */
  settings: Promise<TraceSettings | undefined> | TraceSettings | undefined;
  filters?: TraceDraft['filters'];
  parameters?: TraceDraft['parameters'];
}

type Outcome = Pick<TraceDraft, 'candidates' | 'notes' | 'latency'> &
  Partial<Pick<TraceDraft, 'filters' | 'inferredFilters' | 'parameters'>>;

/**
 * Runs a retrieval and records its trace after the response, if the project's settings and the sampling say so. Returns
 * the result with the id of the trace, which is undefined if none is recorded. Rethrows errors of the retrieval.
 */
export async function traceRetrieval<Result>(
  ctx: TenantContext,
  traced: TracedRetrieval,
  run: () => Promise<Result>,
  describe: (result: Result) => Outcome,
): Promise<{ result: Result; traceId: string | undefined }> {
  const startedAt = Date.now();
  const settings = Promise.resolve(traced.settings).catch(() => undefined);
  try {
    const result = await run();
    const traceId = record(ctx, traced, await settings, startedAt, () => describe(result));
    return { result, traceId };
  } catch (error) {
    record(ctx, traced, await settings, startedAt, () => ({
      candidates: [],
      notes: {},
      latency: {},
      error: describeError(error),
    }));
    throw error;
  }
}

function record(
  ctx: TenantContext,
  { settings: _, ...traced }: TracedRetrieval,
  settings: TraceSettings | undefined,
  startedAt: number,
  describe: () => Outcome & Pick<TraceDraft, 'error'>,
): string | undefined {
  if (!settings || !shouldRecord(settings)) return undefined;
  const { userId, keyId } = ctx.actor;
  const id = newId();
  const common = { id, kind: 'retrieval' as const, sessionId: null, userId, keyId, startedAt };
  const durationMs = Date.now() - startedAt;
  recordTraceLater(ctx, settings, { ...common, ...traced, durationMs, ...describe() });
  return id;
}

/** Describes an error for a trace. Messages of unexpected errors are for logs only. */
export const describeError = (error: unknown): NonNullable<TraceDraft['error']> =>
  error instanceof DomainError
    ? { code: error.code, message: getErrorMessage(error) }
    : { code: 'internal', message: 'Something went wrong on our side.' };
