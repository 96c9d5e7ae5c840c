import { chat } from '#src/chat/index.ts';
import type { ChatAnswer, Found } from '#src/chat/job.ts';
import type { TenantContext } from '#src/context/context.ts';
import { getErrorMessage, Unavailable } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { splitParameters } from '#src/retrieval/traced-retrieval.ts';
import type { PresetRetrievalParameters } from '#src/retrieval-contract/parameters.ts';
import { getLanguageModel } from '#src/services/models/language.ts';
import { findTraceSettings } from '#src/services/traces/settings.ts';
import { traceRetrieval } from '#src/services/traces/trace-retrieval.ts';
import { countActivity } from '#src/services/usage/activity.ts';
import { toChatCorpus } from './chat.ts';
import {
  type CorpusParams,
  getWritableCorpus,
  openCorpus,
  type SearchableCorpus,
  toCorpusColumns,
} from './corpus.ts';
import { createSearch } from './search.ts';
import { beginTrace } from './trace-answer.ts';

// Search and chat answers without a session. Nothing is stored.

/** Returns the retrieved chunks, best first, without metadata that must not be sent to a model. */
export async function searchOnce(
  ctx: TenantContext,
  params: CorpusParams,
  query: string,
  parameters: PresetRetrievalParameters,
  requestId: string,
): Promise<Found> {
  const corpus = await getReadyCorpus(ctx, params);
  const { result: found, traceId } = await traceRetrieval(
    ctx,
    {
      projectId: corpus.projectId,
      ...toCorpusColumns(corpus),
      question: query,
      requestId,
      settings: findTraceSettings(ctx, corpus.projectId),
      ...splitParameters(parameters),
    },
    () => createSearch(ctx, toChatCorpus(ctx, corpus), parameters).retrieve(query),
    ({ considered = [], notes, latency, inferredFilters }) => ({
      candidates: considered,
      notes,
      latency,
      inferredFilters,
    }),
  );
  countActivity(ctx, corpus.projectId, 'retrievals');
  return {
    ...found,
    ...(traceId && { notes: { ...found.notes, trace_id: traceId } }),
    chunks: found.chunks.map((each) => ({ ...each, chunk: removeExcludedKeys(each.chunk, corpus) })),
  };
}

/**
 * Answers one question and returns the complete answer. Rethrows errors of the search and the model. If the
 * signal aborts, throws its reason.
 */
export async function answerOnce(
  ctx: TenantContext,
  params: CorpusParams,
  question: string,
  parameters: PresetRetrievalParameters,
  { requestId, signal }: { requestId: string; signal: AbortSignal },
): Promise<ChatAnswer> {
  const corpus = await getReadyCorpus(ctx, params);
  const model = await getLanguageModel(ctx, corpus.projectId, 'chat');
  const messageId = newId();
  const tracing = await beginTrace(ctx, {
    ...toCorpusColumns(corpus),
    messageId,
    projectId: corpus.projectId,
    userId: ctx.actor.userId,
    keyId: ctx.actor.keyId,
    requestId,
    parameters,
  });
  let answer: ChatAnswer | undefined;
  let failure: unknown;
  const job = {
    turns: [{ role: 'user' as const, text: question }],
    ...createSearch(ctx, toChatCorpus(ctx, corpus), parameters),
    model,
    parameters: {},
    excludedKeys: corpus.excludedKeys,
    warnings: [],
    messageId,
    sessionMetadata: tracing.metadata,
    ...(tracing.onTrace && { onTrace: tracing.onTrace }),
    requestId,
    async onEnd(ended: ChatAnswer) {
      answer = ended;
    },
    onError(error: unknown) {
      failure ??= error;
    },
  };
  for await (const _ of chat(job, signal)) signal.throwIfAborted();
  countActivity(ctx, corpus.projectId, 'chats');
  if (answer && answer.status !== 'failed') return answer;
  ctx.log.error('answer failed', { error: getErrorMessage(failure) });
  throw failure ?? new Unavailable('The answer ended without any text.');
}

/** Throws `Conflict` if the pipeline cannot be searched in its present state. */
async function getReadyCorpus(ctx: TenantContext, params: CorpusParams): Promise<SearchableCorpus> {
  return openCorpus(ctx, await getWritableCorpus(ctx, params));
}

function removeExcludedKeys<Chunk extends Found['chunks'][number]['chunk']>(
  chunk: Chunk,
  { excludedKeys }: SearchableCorpus,
): Chunk {
  const shown = Object.entries(chunk.metadata).filter(([key]) => !excludedKeys.includes(key));
  return { ...chunk, metadata: Object.fromEntries(shown) };
}
