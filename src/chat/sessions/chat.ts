import { and, desc, eq, isNull, or } from 'drizzle-orm';
import { type ChatRequest, type GenerationSettings, type Turn, toTurns } from '#src/chat/input.ts';
import type { ModelRequest } from '#src/chat/model-request.ts';
import type { Context, TenantContext } from '#src/context/context.ts';
import { type ChatSession, chatMessages } from '#src/db/schema/index.ts';
import { Invalid } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { MAX_QUERY_CHARACTERS } from '#src/retrieval-contract/parameters.ts';
import { getLanguageModel } from '#src/services/models/language.ts';
import { requireKnownModel } from '#src/services/models/settings.ts';
import { countActivity } from '#src/services/usage/activity.ts';
import type { ChatCorpus, ChatProtocol } from '#src/work/chat-owner.ts';
import {
  type Corpus,
  type CorpusParams,
  getWritableCorpus,
  type JoinedCorpus,
  openCorpus,
  openPipelines,
  type SearchedParams,
} from './corpus.ts';
import { storeQuestion } from './messages.ts';
import { getSession, openPlaygroundSession } from './sessions.ts';
import { registerStream } from './streams.ts';

/**
 * Streams an answer to the last message, based on the documents of a pipeline or retriever. Stores question,
 * answer and parameters in a session. A Durable Object generates the answer, so that it survives a lost
 * connection.
 */
export async function beginChat(
  ctx: TenantContext,
  params: CorpusParams,
  request: ChatRequest,
  { requestId, protocol }: { requestId: string; protocol: ChatProtocol },
): Promise<ReadableStream<Uint8Array>> {
  const named = await getWritableCorpus(ctx, params);
  const { question } = await checkChatRequest(ctx, named.projectId, request);
  const corpus = await openCorpus(ctx, named);
  const session = await openSession(ctx, params, request);
  const regenerated = await findRegeneratedQuestion(ctx, session.id, request, question);
  const questionId = await storeQuestion(ctx, {
    sessionId: session.id,
    replaces: regenerated,
    clientId: question.id,
    role: question.role,
    content: question.text,
    llm: request.data?.llm_parameters,
    retrieval: request.data?.retrieval_parameters,
  });
  const isResumable = Boolean(request.id) && request.resumable !== false;
  const streamId = isResumable
    ? await registerStream(ctx, corpus, { sessionId: session.id, chatId: request.id! })
    : newId();
  const order = {
    corpus: toChatCorpus(ctx, corpus),
    projectId: corpus.projectId,
    streamId,
    kept: { sessionId: session.id, questionId, endsSession: regenerated !== undefined },
    messageId: newId(),
    asker: { userId: ctx.actor.userId, keyId: ctx.actor.keyId },
    request,
    requestId,
    excludedKeys: corpus.excludedKeys,
    isResumable,
  };
  const answer = await ctx.objects.chatStream(streamId).begin(order, protocol);
  countActivity(ctx, corpus.projectId, 'chats');
  return answer;
}

export interface StatelessOptions {
  requestId: string;
  generation: GenerationSettings;
  modelRequest?: ModelRequest;
  /** Path of the chat options in the request body, for error messages. */
  optionsAt: string;
  /** Checks what depends on whether a language model answers. May throw. */
  checkModel?(hasModel: boolean): void;
}

/** Answers a chat request without storing anything. The answer stops if the client disconnects. */
export async function answerWithoutSession(
  ctx: TenantContext,
  params: SearchedParams,
  request: ChatRequest,
  { requestId, generation, modelRequest, optionsAt, checkModel }: StatelessOptions,
): Promise<{ stream: ReadableStream<Uint8Array>; hasModel: boolean }> {
  const named =
    'pipeline_ids' in params
      ? await openPipelines(ctx, params.pipeline_ids)
      : await getWritableCorpus(ctx, params);
  const { hasModel } = await checkChatRequest(ctx, named.projectId, request, optionsAt, modelRequest);
  const corpus = named.kind === 'pipelines' ? named : await openCorpus(ctx, named);
  checkModel?.(hasModel);
  const streamId = newId();
  const order = {
    corpus: toChatCorpus(ctx, corpus),
    projectId: corpus.projectId,
    streamId,
    messageId: newId(),
    asker: { userId: ctx.actor.userId, keyId: ctx.actor.keyId },
    request,
    generation,
    ...(modelRequest && { modelRequest }),
    requestId,
    excludedKeys: corpus.excludedKeys,
    isResumable: false,
  };
  const stream = await ctx.objects.chatStream(streamId).begin(order, 'ui');
  countActivity(ctx, corpus.projectId, 'chats');
  return { stream, hasModel };
}

/**
 * Checks everything that can be rejected before the answer begins. A stream that has started can no longer
 * return an error status.
 */
async function checkChatRequest(
  ctx: TenantContext,
  projectId: string,
  { messages, data }: ChatRequest,
  optionsAt = 'data',
  modelRequest?: ModelRequest,
) {
  const question = modelRequest ? requireAnyQuestion(modelRequest) : requireQuestion(toTurns(messages));
  const name = data?.llm_parameters?.model_name;
  // Rejects an unknown model name or an exhausted token budget.
  if (name) requireKnownModel(ctx, name, [optionsAt, 'llm_parameters', 'model_name'], []);
  const hasModel = (await getLanguageModel(ctx, projectId, 'chat', name)) !== undefined;
  return { question, hasModel };
}

/**
 * Returns the question of a conversation, which only system messages and outputs of tools may follow. Throws `Invalid`
 * if an answer follows it.
 */
function requireQuestion(turns: Turn[]): Turn {
  const question = turns.findLast(({ role }) => role === 'user' || role === 'assistant');
  if (question?.role !== 'user') {
    throw Invalid.field(['messages'], 'the last message must be a question with the role `user` and a text');
  }
  return requireLength(question, MAX_QUERY_CHARACTERS);
}

/** Maximum number of characters of a question whose beginning and end are searched. */
const MAX_PASTED_CHARACTERS = 200_000;

/**
 * Returns the last question of a conversation that is not stored. An answer may follow it, which the language model then
 * continues. A task may be of any length, because nothing is searched for.
 */
function requireAnyQuestion({ turns, task }: ModelRequest): Turn {
  const question = turns.findLast(({ role }) => role === 'user');
  if (!question) {
    throw Invalid.field(
      ['messages'],
      'one of the messages must be a question with the role `user` and a text',
    );
  }
  return task ? question : requireLength(question, MAX_PASTED_CHARACTERS);
}

function requireLength(question: Turn, most: number): Turn {
  if (question.text.length <= most) return question;
  throw Invalid.field(['messages'], `a question may have at most ${most} characters`);
}

const openSession = (
  ctx: TenantContext,
  params: CorpusParams,
  { session_id: id }: ChatRequest,
): Promise<ChatSession> => (id ? getSession(ctx, params, id) : openPlaygroundSession(ctx, params));

export function toChatCorpus(ctx: TenantContext, corpus: Corpus | JoinedCorpus): ChatCorpus {
  if (corpus.kind === 'pipeline') return { pipelineId: corpus.id };
  const { organizationId, onlyProjectId, onlyOrganizationId } = ctx;
  const { defaultProject: home, ...actor } = ctx.actor;
  const { projectId } = corpus;
  const asker = { actor, organizationId, projectId, onlyProjectId, onlyOrganizationId };
  return 'ids' in corpus ? { pipelineIds: corpus.ids, asker } : { retrieverId: corpus.id, asker };
}

/**
 * Returns the id of the stored question to answer again. `messageId` names the question. For
 * `regenerate-message` it may also name the answer. Without `messageId`, the last question is returned if the
 * request repeats its text. Returns `undefined` if there is no such question.
 */
async function findRegeneratedQuestion(
  ctx: Context,
  sessionId: string,
  { trigger, messageId }: ChatRequest,
  { text }: Turn,
): Promise<string | undefined> {
  const isAgain = trigger === 'regenerate-message';
  const inSession = eq(chatMessages.sessionId, sessionId);
  if (messageId) {
    const named = await ctx.db.query.chatMessages.findFirst({
      where: and(inSession, or(eq(chatMessages.id, messageId), eq(chatMessages.clientId, messageId))),
    });
    const question = named && (named.role !== 'assistant' ? named.id : isAgain && named.answers);
    if (question) return question;
  }
  if (!isAgain) return undefined;
  const last = await ctx.db.query.chatMessages.findFirst({
    where: and(inSession, isNull(chatMessages.answers)),
    orderBy: [desc(chatMessages.position)],
  });
  return last?.content === text ? last.id : undefined;
}
