import { chat } from '#src/chat/index.ts';
import { type ChatRequest, turnsOf } from '#src/chat/input.ts';
import type { ChatJob } from '#src/chat/job.ts';
import { notFollowed } from '#src/chat/not-followed.ts';
import { type ProtocolName, protocols } from '#src/chat/stream/protocol.ts';
import { Recording } from '#src/chat/stream/recording.ts';
import type { TenantContext } from '#src/context.ts';
import type { Pipeline } from '#src/db/schema/index.ts';
import { Invalid, messageOf } from '#src/errors.ts';
import { newId } from '#src/ids.ts';
import type { RankedChunk, Retrieval } from '#src/retrieval/index.ts';
import { LONGEST_QUERY } from '#src/retrieval/parameters.ts';
import type { Metadata } from '#src/search/types.ts';
import { getWritablePipeline } from '#src/services/pipelines/pipelines.ts';
import { openIndex } from '#src/services/retrieval/open-index.ts';
import { excludedKeys, getTarget, retrieveFrom } from '#src/services/retrieval/retrieval.ts';
import { appendMessage, openPlaygroundSession, rememberParameters } from './playground-sessions.ts';

/** A reader that has left is noticed by what it does not take any more. */
const HEARTBEAT_MS = 400;

/**
 * Answers the last message from the pipeline's documents, as a stream. Question and answer are added to the
 * caller's playground session, which also keeps the parameters that were sent.
 */
export async function chatWithPipeline(
  ctx: TenantContext,
  pipelineId: string,
  request: ChatRequest,
  requestId: string,
  protocol: ProtocolName,
): Promise<Response> {
  const pipeline = await getWritablePipeline(ctx, pipelineId);
  const turns = turnsOf(request.messages);
  // Instructions and data may follow the question; an answer may not.
  const question = turns.findLast(({ role }) => role === 'user' || role === 'assistant');
  if (question?.role !== 'user') {
    throw Invalid.field(['messages'], 'the last message must be a question: role user, with text');
  }
  if (question.text.length > LONGEST_QUERY) {
    throw Invalid.field(['messages'], `a question may have at most ${LONGEST_QUERY} characters`);
  }
  const { retrieval_parameters: asked, llm_parameters: parameters } = request.data ?? {};
  // A stream that has begun cannot say any more that the pipeline is in no state to be asked.
  await openIndex(ctx, pipeline, (await getTarget(ctx, pipeline.id)).index);
  const session = await openPlaygroundSession(ctx, pipeline.id);
  await rememberParameters(ctx, session, { llm: parameters ?? null, retrieval: asked ?? null });
  await appendMessage(ctx, session.id, { role: question.role, content: question.text });
  const model = ctx.models.language('chat');
  const job: ChatJob = {
    turns,
    messageId: newId(),
    warnings: model ? [] : notFollowed(request),
    retrieve: (text) => retrieveForModel(ctx, pipeline, text, asked ?? {}),
    model,
    parameters: parameters ?? {},
    excludedKeys: pipeline.metadataConfig?.excluded_llm_metadata_keys ?? [],
    requestId,
    onEnd: async ({ status, text, retrieval }) => {
      if (status !== 'complete') return;
      await appendMessage(ctx, session.id, {
        role: 'assistant',
        content: text,
        annotations: [{ type: 'sources', data: JSON.stringify({ nodes: retrieval!.chunks.map(sourceOf) }) }],
      });
    },
    onError: (error) => ctx.log.error('chat failed', { error: messageOf(error) }),
  };
  const recording = new Recording((signal) => chat(job, signal), { heartbeatMs: HEARTBEAT_MS, unreadMs: 0 });
  const { headers } = protocols[protocol];
  return new Response(recording.read(protocols[protocol]), { headers });
}

/** What the model may see: documents keep some of their own metadata from it. */
async function retrieveForModel(
  ctx: TenantContext,
  pipeline: Pipeline,
  question: string,
  asked: Parameters<typeof retrieveFrom>[3],
): Promise<Retrieval> {
  const target = await getTarget(ctx, pipeline.id);
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

function sourceOf({ chunk, score }: RankedChunk) {
  return { id: chunk.id, document_id: chunk.documentId, title: chunk.title, score };
}
