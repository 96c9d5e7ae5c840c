import { and, desc, eq, gt, isNull, lt, lte, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { type ChatMessage, chatMessages, chatSessions } from '#src/db/schema/index.ts';
import { newId } from '#src/lib/ids.ts';

const MAX_NAME_CHARACTERS = 80;

/** Maximum number of messages that a session shows. Older messages are hidden. */
const MAX_SHOWN_MESSAGES = 500;
/** Maximum number of messages that a session stores. The oldest messages are deleted. */
export const MAX_STORED_MESSAGES = 2_000;
/** Maximum number of characters of a stored answer. A D1 row holds 2 MB. */
export const MAX_ANSWER_CHARACTERS = 400_000;

export async function listMessages(ctx: Context, sessionId: string): Promise<ChatMessage[]> {
  return (await selectMessages(ctx, sessionId).limit(MAX_SHOWN_MESSAGES)).toReversed();
}

/** Selects messages from newest to oldest. With a position, only messages before it are selected. */
export const selectMessages = (ctx: Context, sessionId: string, before?: number) =>
  ctx.db
    .select()
    .from(chatMessages)
    .where(
      and(
        eq(chatMessages.sessionId, sessionId),
        before === undefined ? undefined : lt(chatMessages.position, before),
      ),
    )
    .orderBy(desc(chatMessages.position))
    .$dynamic();

export const countMessages = (ctx: Context, sessionId: string) =>
  ctx.db.$count(chatMessages, eq(chatMessages.sessionId, sessionId));

export interface Question {
  sessionId: string;
  /** Id of the earlier question that this question replaces in the session. */
  replaces?: string | undefined;
  /**
   * Message id that the client chose. If a later message has the same id, its text replaces the earlier text.
   */
  clientId: string | undefined;
  role: string;
  content: string;
  llm: Record<string, unknown> | null | undefined;
  retrieval: Record<string, unknown> | null | undefined;
}

/**
 * Stores a question with its parameters and returns the question's id. The session is named after its first
 * question. Concurrent calls are safe.
 */
export async function storeQuestion(ctx: Context, question: Question): Promise<string> {
  const { sessionId, clientId, role, content, llm, retrieval } = question;
  const storedParameters = {
    ...(llm && { llmParams: llm }),
    ...(retrieval && { retrievalParams: retrieval }),
  };
  const isFirst = sql`not exists (select 1 from chat_messages where session_id = ${sessionId})`;
  const name = sql`case when name is null and ${isFirst} then ${toSessionName(content)} else name end`;
  const replaced = question.replaces ?? (await findStoredId(ctx, sessionId, clientId));
  const [, updated, added] = await ctx.db.batch([
    ctx.db
      .update(chatSessions)
      .set({ ...storedParameters, name, updatedAt: new Date() })
      .where(eq(chatSessions.id, sessionId)),
    ctx.db
      .update(chatMessages)
      .set({ content })
      .where(eq(chatMessages.id, replaced ?? ''))
      .returning({ id: chatMessages.id }),
    ctx.db
      .insert(chatMessages)
      .select(
        sql`select ${newId()}, ${sessionId}, ${selectNextPosition(sessionId)}, ${clientId ?? null}, null, ${role}, ${content},
          null, ${Date.now()} where not exists (select 1 from chat_messages where id = ${replaced ?? ''})`,
      )
      .onConflictDoUpdate({ target: [chatMessages.sessionId, chatMessages.clientId], set: { content } })
      .returning({ id: chatMessages.id }),
    deleteOldestMessages(ctx, sessionId),
  ]);
  return (updated[0] ?? added[0])!.id;
}

/**
 * Returns the id if it belongs to a stored question of the session, otherwise `undefined`. Clients that read
 * a session send stored ids instead of their own.
 */
async function findStoredId(
  ctx: Context,
  sessionId: string,
  id: string | undefined,
): Promise<string | undefined> {
  if (!id) return undefined;
  const [own] = await ctx.db
    .select({ id: chatMessages.id })
    .from(chatMessages)
    .where(and(eq(chatMessages.id, id), eq(chatMessages.sessionId, sessionId), isNull(chatMessages.answers)));
  return own?.id;
}

export interface Answer {
  text: string;
  annotations: { type: string; data: string }[];
}

export interface AnsweredQuestion {
  sessionId: string;
  questionId: string;
  messageId: string;
  /** Whether regenerating an answer also deletes the messages that followed the question. */
  endsSession: boolean;
}

/** Stores an answer in place of an earlier answer to the same question. An empty answer is not stored. */
export async function storeAnswer(
  ctx: Context,
  { sessionId, questionId, messageId, endsSession }: AnsweredQuestion,
  { text, annotations }: Answer,
): Promise<void> {
  if (text === '') return;
  const isTruncated = text.length > MAX_ANSWER_CHARACTERS;
  const row = {
    id: messageId,
    content: text.slice(0, MAX_ANSWER_CHARACTERS),
    annotations: isTruncated ? [...annotations, { type: 'status', data: '{"status":"cut"}' }] : annotations,
    createdAt: new Date(),
  };
  await ctx.db.batch([
    ctx.db
      .insert(chatMessages)
      .values({
        ...row,
        sessionId,
        position: selectNextPosition(sessionId),
        answers: questionId,
        role: 'assistant',
      })
      .onConflictDoUpdate({ target: chatMessages.answers, set: row }),
    ...(endsSession ? [deleteLaterMessages(ctx, sessionId, questionId, messageId)] : []),
    deleteOldestMessages(ctx, sessionId),
  ]);
}

/**
 * The inserting statement itself computes the position, so that concurrent inserts never get the same
 * position.
 */
const selectNextPosition = (sessionId: string) =>
  sql`(select coalesce(max(position), -1) + 1 from chat_messages where session_id = ${sessionId})`;

/**
 * Message ids increase over time. Messages with a higher id were added after the answer was requested, so
 * they are not deleted.
 */
function deleteLaterMessages(ctx: Context, sessionId: string, questionId: string, answerId: string) {
  const question = sql`(select position from chat_messages where id = ${questionId})`;
  const inSession = eq(chatMessages.sessionId, sessionId);
  return ctx.db
    .delete(chatMessages)
    .where(and(inSession, gt(chatMessages.position, question), lt(chatMessages.id, answerId)));
}

function deleteOldestMessages(ctx: Context, sessionId: string) {
  const oldest = sql`(select max(position) - ${MAX_STORED_MESSAGES} from chat_messages where session_id = ${sessionId})`;
  return ctx.db
    .delete(chatMessages)
    .where(and(eq(chatMessages.sessionId, sessionId), lte(chatMessages.position, oldest)));
}

/** Converts a question to a session name on one line. A long question is cut at the end of a word. */
export function toSessionName(question: string): string {
  const line = [
    ...question
      .slice(0, 4 * MAX_NAME_CHARACTERS)
      .replaceAll(/\s+/gu, ' ')
      .trim(),
  ];
  if (line.length <= MAX_NAME_CHARACTERS) return line.join('');
  const cut = line.slice(0, MAX_NAME_CHARACTERS - 1).join('');
  const lastWord = cut.lastIndexOf(' ');
  return `${lastWord > MAX_NAME_CHARACTERS / 2 ? cut.slice(0, lastWord) : cut}…`;
}
