import { chat } from '#src/chat/index.ts';
import type { ChatAnswer, Found } from '#src/chat/job.ts';
import type { TenantContext } from '#src/context/context.ts';
import { messageOf, Unavailable } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { getTarget, openTarget } from '#src/retrieval/retrieval.ts';
import type { PresetRetrievalParameters } from '#src/retrieval-contract/parameters.ts';
import { languageFor } from '#src/services/models/language.ts';
import { countActivity } from '#src/services/usage/activity.ts';
import { askedCorpus } from './chat.ts';
import { type Corpus, type CorpusParams, getWritableCorpus } from './corpus.ts';
import { searchIn } from './search.ts';

// Searches and answers that belong to no conversation: nothing of them is kept.

/** What is found, best first, with the metadata that a model may see. */
export async function searchOnce(
  ctx: TenantContext,
  params: CorpusParams,
  query: string,
  parameters: PresetRetrievalParameters,
): Promise<Found> {
  const corpus = await askableCorpus(ctx, params);
  const found = await searchIn(ctx, askedCorpus(ctx, corpus), parameters).retrieve(query);
  countActivity(ctx, corpus.projectId, 'retrievals');
  return { ...found, chunks: found.chunks.map((each) => ({ ...each, chunk: shownOf(each.chunk, corpus) })) };
}

/** The whole answer to one question. Throws what the search or the model fails with, and the signal's reason. */
export async function answerOnce(
  ctx: TenantContext,
  params: CorpusParams,
  question: string,
  parameters: PresetRetrievalParameters,
  { requestId, signal }: { requestId: string; signal: AbortSignal },
): Promise<ChatAnswer> {
  const corpus = await askableCorpus(ctx, params);
  const model = await languageFor(ctx, corpus.projectId, 'chat');
  let answer: ChatAnswer | undefined;
  let failure: unknown;
  const job = {
    turns: [{ role: 'user' as const, text: question }],
    ...searchIn(ctx, askedCorpus(ctx, corpus), parameters),
    model,
    parameters: {},
    excludedKeys: corpus.excludedKeys,
    warnings: [],
    messageId: newId(),
    kept: {},
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
  ctx.log.error('answer failed', { error: messageOf(failure) });
  throw failure ?? new Unavailable('The answer ended without a word.');
}

/** Throws Conflict for a pipeline that is in no state to be asked. */
async function askableCorpus(ctx: TenantContext, params: CorpusParams): Promise<Corpus> {
  const corpus = await getWritableCorpus(ctx, params);
  if (corpus.kind === 'pipeline') await openTarget(ctx, await getTarget(ctx, corpus.id));
  return corpus;
}

function shownOf<Chunk extends Found['chunks'][number]['chunk']>(
  chunk: Chunk,
  { excludedKeys }: Corpus,
): Chunk {
  const shown = Object.entries(chunk.metadata).filter(([key]) => !excludedKeys.includes(key));
  return { ...chunk, metadata: Object.fromEntries(shown) };
}
