import type { AnswerTrace } from '#src/chat/job.ts';
import type { Context } from '#src/context/context.ts';
import { splitParameters } from '#src/retrieval/traced-retrieval.ts';
import type { PresetRetrievalParameters } from '#src/retrieval-contract/parameters.ts';
import type { TraceDraft } from '#src/services/traces/draft.ts';
import { recordTraceLater, shouldRecord } from '#src/services/traces/record.ts';
import { findTraceSettings } from '#src/services/traces/settings.ts';

/** What is known about an answer before it begins. */
export interface TracedAnswer
  extends Pick<TraceDraft, 'projectId' | 'pipelineId' | 'retrieverId' | 'userId' | 'keyId' | 'requestId'> {
  messageId: string;
  sessionId?: string | undefined;
  modelName?: string | null | undefined;
  parameters: PresetRetrievalParameters;
}

interface Tracing {
  /** Members of the answer's metadata that name the trace. Empty if no trace is recorded. */
  metadata: Record<string, string>;
  onTrace?(trace: AnswerTrace): void;
}

/**
 * Decides whether a chat answer is recorded, and returns the function that records it. A trace has the id of the
 * answer's message, so that feedback on a message finds its trace.
 */
export async function beginTrace(ctx: Context, traced: TracedAnswer): Promise<Tracing> {
  const { messageId: id, sessionId = null, modelName, parameters, ...asked } = traced;
  // A failure to read the settings must not affect the answer.
  const settings = await findTraceSettings(ctx, asked.projectId).catch(() => undefined);
  if (!settings || !shouldRecord(settings)) return { metadata: {} };
  return {
    metadata: { trace_id: id },
    onTrace: (trace) =>
      recordTraceLater(
        ctx,
        settings,
        { id, kind: 'chat', sessionId, ...asked, ...splitParameters(parameters), ...trace },
        modelName,
      ),
  };
}
