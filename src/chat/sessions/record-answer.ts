import { chat } from '#src/chat/index.ts';
import { chatRequest, generationSettings, turnsOf } from '#src/chat/input.ts';
import { notFollowed } from '#src/chat/not-followed.ts';
import { Abandoned } from '#src/chat/stream/abandoned.ts';
import { type ProtocolName, protocols } from '#src/chat/stream/protocol.ts';
import { Recording as Chunks } from '#src/chat/stream/recording.ts';
import type { Context } from '#src/context/context.ts';
import { messageOf } from '#src/lib/errors.ts';
import { languageFor } from '#src/services/models/language.ts';
import type { ChatOrder } from '#src/work/chat-owner.ts';
import { annotationsOf } from './annotations.ts';
import { keepAnswer } from './messages.ts';
import { searchIn } from './search.ts';

/**
 * Interval of heartbeats in milliseconds. A disconnected reader is detected when it does not take the third
 * heartbeat.
 */
const HEARTBEAT_MS = 200;
/** Heartbeat interval of resumable answers, which a disconnect does not stop at once. */
const RESUMABLE_HEARTBEAT_MS = 1_000;

export interface Recording {
  readonly ended: Promise<void>;
  read(protocol: ProtocolName): ReadableStream<Uint8Array>;
  stop(reason: string): void;
}

/**
 * Starts an answer that any number of readers can follow. Access and the pipeline's state have been checked
 * before.
 */
export function recordAnswer(ctx: Context, order: ChatOrder): Recording {
  const options = order.isResumable
    ? { heartbeatMs: RESUMABLE_HEARTBEAT_MS, unreadMs: 1000 * ctx.settings.CHAT_RESUME_SECONDS }
    : { heartbeatMs: HEARTBEAT_MS, unreadMs: 0 };
  const recording = new Chunks((signal) => answerTo(ctx, order, signal), options);
  return {
    ended: recording.ended,
    read: (protocol) => recording.read(protocols[protocol]),
    stop: (reason) => recording.stop(new Abandoned(reason)),
  };
}

async function* answerTo(ctx: Context, order: ChatOrder, signal: AbortSignal) {
  const request = chatRequest.parse(order.request);
  const { retrieval_parameters: asked, llm_parameters: parameters } = request.data ?? {};
  // If the state changed after the question was accepted, for example a used-up budget, the error is reported
  // in the stream.
  let failure: unknown;
  const model = await languageFor(ctx, order.projectId, 'chat', parameters?.model_name).catch((error) => {
    failure = error;
    return undefined;
  });
  const search = searchIn(ctx, order.corpus, asked ?? {});
  const { kept } = order;
  yield* chat(
    {
      turns: turnsOf(request.messages),
      warnings: model ? [] : notFollowed(request),
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
      kept: kept ? { session_id: kept.sessionId, question_id: kept.questionId } : {},
      requestId: order.requestId,
      async onEnd(answer) {
        if (!kept) return;
        const question = { ...kept, messageId: order.messageId };
        await keepAnswer(ctx, question, { text: answer.text, annotations: annotationsOf(answer) });
      },
      onError: (error) => ctx.log.error('chat failed', { error: messageOf(error) }),
    },
    signal,
  );
}
