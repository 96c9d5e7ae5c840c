import { chat } from '#src/chat/index.ts';
import { chatRequest, turnsOf } from '#src/chat/input.ts';
import type { ChatAnswer } from '#src/chat/job.ts';
import { notFollowed } from '#src/chat/not-followed.ts';
import { Abandoned } from '#src/chat/stream/abandoned.ts';
import { type ProtocolName, protocols } from '#src/chat/stream/protocol.ts';
import { Recording as Chunks } from '#src/chat/stream/recording.ts';
import type { Context } from '#src/context.ts';
import { messageOf, NotFound } from '#src/errors.ts';
import type { RankedChunk, Retrieval } from '#src/retrieval/index.ts';
import type { PresetRetrievalParameters } from '#src/retrieval/parameters.ts';
import type { Metadata } from '#src/search/types.ts';
import { languageFor } from '#src/services/models/language.ts';
import { flatBoxes, printedPlaces } from '#src/services/pipelines/printed-places.ts';
import { excludedKeys, findTarget, retrieveFrom, type Target } from '#src/services/retrieval/retrieval.ts';
import type { ChatOrder } from '#src/work/chat-owner.ts';
import { keepAnswer } from './messages.ts';

/** A reader that has left is noticed when it does not take what it is sent: at the third sign of life. */
const HEARTBEAT_MS = 200;
/** Where nothing is stopped at once by that. */
const RESUMABLE_HEARTBEAT_MS = 1_000;

export interface Recording {
  readonly ended: Promise<void>;
  read(protocol: ProtocolName): ReadableStream<Uint8Array>;
  stop(reason: string): void;
}

/** Begins to answer, whoever reads it. It was decided before who may ask, and whether the pipeline can be asked. */
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
  // What changed since the question was taken, a budget that is used up, is told as what a search fails with is.
  let failure: unknown;
  const model = await languageFor(ctx, order.projectId, 'chat', parameters?.model_name).catch((error) => {
    failure = error;
    return undefined;
  });
  yield* chat(
    {
      turns: turnsOf(request.messages),
      warnings: model ? [] : notFollowed(request),
      async retrieve(question) {
        if (failure) throw failure;
        return retrieveForModel(ctx, await targetOf(ctx, order.pipelineId), question, asked ?? {});
      },
      placesOf: async (chunks) =>
        (await printedPlaces(ctx, (await targetOf(ctx, order.pipelineId)).pipeline, chunks)).map(flatBoxes),
      model,
      parameters: parameters ?? {},
      excludedKeys: order.excludedKeys,
      messageId: order.messageId,
      requestId: order.requestId,
      onEnd: (answer) => keepAnswer(ctx, order, { ...answer, annotations: annotationsOf(answer) }),
      onError: (error) => ctx.log.error('chat failed', { error: messageOf(error) }),
    },
    signal,
  );
}

async function targetOf(ctx: Context, pipelineId: string): Promise<Target> {
  const target = await findTarget(ctx, pipelineId);
  if (!target) throw new NotFound('Pipeline', pipelineId);
  return target;
}

/** What the model may see: documents keep some of their own metadata from it. */
async function retrieveForModel(
  ctx: Context,
  target: Target,
  question: string,
  asked: PresetRetrievalParameters,
): Promise<Retrieval> {
  const { retrieval } = await retrieveFrom(ctx, target, question, asked);
  const own = await excludedKeys(
    ctx,
    target,
    retrieval.chunks.map(({ chunk }) => chunk),
  );
  const chunks = retrieval.chunks.map((ranked) => {
    const { chunk } = ranked;
    const metadata = without(chunk.metadata, own.get(chunk.documentId)?.llm ?? []);
    return { ...ranked, chunk: { ...chunk, metadata } };
  });
  return { ...retrieval, chunks };
}

function without(metadata: Metadata, keys: readonly string[]): Metadata {
  if (keys.length === 0) return metadata;
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !keys.includes(key)));
}

/** What a session keeps with an answer: its sources, and that it was not said to its end. */
function annotationsOf({ status, retrieval }: ChatAnswer) {
  const nodes = (retrieval?.chunks ?? []).map(nodeOf);
  return [
    { type: 'sources', data: JSON.stringify({ nodes }) },
    ...(status === 'complete' ? [] : [{ type: 'status', data: JSON.stringify({ status }) }]),
  ];
}

function nodeOf({ chunk, score }: RankedChunk, index: number) {
  const { id, documentId: document_id, title, startPage } = chunk;
  const page_label = startPage === undefined ? null : String(startPage + 1);
  return { id, document_id, title, score, citation: index + 1, page_label };
}
