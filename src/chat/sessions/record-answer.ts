import { listBuiltinWarnings } from '#src/chat/builtin-warnings.ts';
import { chat } from '#src/chat/index.ts';
import { chatRequest, generationSettings, toTurns } from '#src/chat/input.ts';
import { modelRequest } from '#src/chat/model-request.ts';
import { Abandoned } from '#src/chat/stream/abandoned.ts';
import { type ProtocolName, protocols } from '#src/chat/stream/protocol.ts';
import { Recording as AnswerRecording } from '#src/chat/stream/recording.ts';
import type { Context } from '#src/context/context.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import { getLanguageModel } from '#src/services/models/language.ts';
import type { ChatOrder } from '#src/work/chat-owner.ts';
import { buildAnnotations } from './annotations.ts';
import { storeAnswer } from './messages.ts';
import { createSearch } from './search.ts';
import { beginTrace } from './trace-answer.ts';

/**
 * Interval of heartbeats in milliseconds during an answer. A disconnected reader is detected at the third
 * heartbeat.
 */
const HEARTBEAT_MS = 200;
/**
 * Interval of heartbeats in milliseconds for resumable answers. Disconnects need not be detected quickly
 * there, because they do not stop the answer at once.
 */
const RESUMABLE_HEARTBEAT_MS = 1_000;

export interface Recording {
  readonly ended: Promise<void>;
  read(protocol: ProtocolName): ReadableStream<Uint8Array>;
  stop(reason: string): void;
}

/**
 * Starts an answer that any number of readers can follow. The caller must already have checked access and the
 * state of the pipeline.
 */
export function recordAnswer(ctx: Context, order: ChatOrder): Recording {
  const options = order.isResumable
    ? { heartbeatMs: RESUMABLE_HEARTBEAT_MS, unreadMs: 1000 * ctx.settings.CHAT_RESUME_SECONDS }
    : { heartbeatMs: HEARTBEAT_MS, unreadMs: 0 };
  const recording = new AnswerRecording((signal) => generateChunks(ctx, order, signal), options);
  return {
    ended: recording.ended,
    read: (protocol) => recording.read(protocols[protocol]),
    stop: (reason) => recording.stop(new Abandoned(reason)),
  };
}

async function* generateChunks(ctx: Context, order: ChatOrder, signal: AbortSignal) {
  const request = chatRequest.parse(order.request);
  const { retrieval_parameters: retrievalParameters, llm_parameters: parameters } = request.data ?? {};
  const { kept, corpus } = order;
  const asked = order.modelRequest && modelRequest.parse(order.modelRequest);
  // The settings are read while the model is looked up, so that the answer does not wait for them.
  const tracingBegun = beginTrace(ctx, {
    messageId: order.messageId,
    sessionId: kept?.sessionId,
    projectId: order.projectId,
    pipelineId: 'pipelineId' in corpus ? corpus.pipelineId : null,
    retrieverId: 'retrieverId' in corpus ? corpus.retrieverId : null,
    userId: order.asker?.userId ?? null,
    keyId: order.asker?.keyId ?? null,
    requestId: order.requestId,
    modelName: parameters?.model_name,
    parameters: retrievalParameters ?? {},
  });
  // The state may have changed since the question was accepted, for example if the token budget is used up.
  // Such errors are reported in the stream.
  let failure: unknown;
  const model = await getLanguageModel(ctx, order.projectId, 'chat', parameters?.model_name).catch(
    (error) => {
      failure = error;
      return undefined;
    },
  );
  const search = createSearch(ctx, order.corpus, retrievalParameters ?? {});
  const tracing = await tracingBegun;
  yield* chat(
    {
      turns: asked?.turns ?? toTurns(request.messages),
      ...(asked && { request: asked }),
      warnings: model ? [] : listBuiltinWarnings(request),
      ...search,
      async retrieve(question) {
        if (failure) throw failure;
        return search.retrieve(question);
      },
      model,
      parameters: parameters ?? {},
      ...(order.generation && { generation: generationSettings.parse(order.generation) }),
      excludedKeys: order.excludedKeys,
      messageId: order.messageId,
      sessionMetadata: {
        ...(kept && { session_id: kept.sessionId, question_id: kept.questionId }),
        ...tracing.metadata,
      },
      // A title for a conversation is no answer that anybody rates or evaluates.
      ...(tracing.onTrace && !asked?.task && { onTrace: tracing.onTrace }),
      requestId: order.requestId,
      async onEnd(answer) {
        if (!kept) return;
        const question = { ...kept, messageId: order.messageId };
        await storeAnswer(ctx, question, { text: answer.text, annotations: buildAnnotations(answer) });
      },
      onError: (error) => ctx.log.error('chat failed', { error: getErrorMessage(error) }),
    },
    signal,
  );
}
