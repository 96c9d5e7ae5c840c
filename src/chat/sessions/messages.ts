import { and, desc, eq, gt, isNull, lt, lte, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { type ChatMessage, chatMessages, chatSessions } from '#src/db/schema/index.ts';
import { newId } from '#src/lib/ids.ts';

const LONGEST = 80;

/** Maximum number of messages that a session shows; the newest are shown. */
const SHOWN_MESSAGES = 500;
/** Maximum number of messages that a session stores; the newest are kept. */
export const KEPT_MESSAGES = 2_000;
/** Maximum characters of a stored answer. A D1 row holds 2 MB. */
const LONGEST_ANSWER = 400_000;

/** Returns the newest messages in chronological order. */
export async function messagesOf(ctx: Context, sessionId: string): Promise<ChatMessage[]> {
  return (await messageRows(ctx, sessionId).limit(SHOWN_MESSAGES)).toReversed();
}

/** Selects messages from newest to oldest, optionally only those before a position. */
export const messageRows = (ctx: Context, sessionId: string, before?: number) =>
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

export const messageCount = (ctx: Context, sessionId: string) =>
  ctx.db.$count(chatMessages, eq(chatMessages.sessionId, sessionId));

export interface Question {
  sessionId: string;
  /** Id of the earlier question that this one replaces. */
  replaces?: string | undefined;
  /**
   * Message id of the client. If two messages share it, the later text replaces the earlier one in its place.
   */
  clientId: string | undefined;
  role: string;
  content: string;
  llm: Record<string, unknown> | null | undefined;
  retrieval: Record<string, unknown> | null | undefined;
}

/**
 * Stores a question with its parameters and returns its id. Safe to call concurrently. The first question
 * names an unnamed session.
 */
export async function keepQuestion(ctx: Context, question: Question): Promise<string> {
  const { sessionId, clientId, role, content, llm, retrieval } = question;
  const remembered = { ...(llm && { llmParams: llm }), ...(retrieval && { retrievalParams: retrieval }) };
  const isFirst = sql`not exists (select 1 from chat_messages where session_id = ${sessionId})`;
  const name = sql`case when name is null and ${isFirst} then ${titleOf(content)} else name end`;
  const replaced = question.replaces ?? (await ownIdOf(ctx, sessionId, clientId));
  const [, again, added] = await ctx.db.batch([
    ctx.db
      .update(chatSessions)
      .set({ ...remembered, name, updatedAt: new Date() })
      .where(eq(chatSessions.id, sessionId)),
    ctx.db
      .update(chatMessages)
      .set({ content })
      .where(eq(chatMessages.id, replaced ?? ''))
      .returning({ id: chatMessages.id }),
    ctx.db
      .insert(chatMessages)
      .select(
        sql`select ${newId()}, ${sessionId}, ${atTheEnd(sessionId)}, ${clientId ?? null}, null, ${role}, ${content},
          null, ${Date.now()} where not exists (select 1 from chat_messages where id = ${replaced ?? ''})`,
      )
      .onConflictDoUpdate({ target: [chatMessages.sessionId, chatMessages.clientId], set: { content } })
      .returning({ id: chatMessages.id }),
    withoutTheOldest(ctx, sessionId),
  ]);
  return (again[0] ?? added[0])!.id;
}

/**
 * Returns the id if it is the stored id of a question in the session, otherwise undefined. Clients that read
 * a session send the stored ids instead of their own.
 */
async function ownIdOf(ctx: Context, sessionId: string, id: string | undefined): Promise<string | undefined> {
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
  /** Whether regenerating an answer also removes the messages that followed the question. */
  endsSession: boolean;
}

/** Stores an answer, replacing an earlier answer to the same question. An empty answer is not stored. */
export async function keepAnswer(
  ctx: Context,
  { sessionId, questionId, messageId, endsSession }: AnsweredQuestion,
  { text, annotations }: Answer,
): Promise<void> {
  if (text === '') return;
  const isCut = text.length > LONGEST_ANSWER;
  const said = {
    id: messageId,
    content: text.slice(0, LONGEST_ANSWER),
    annotations: isCut ? [...annotations, { type: 'status', data: '{"status":"cut"}' }] : annotations,
    createdAt: new Date(),
  };
  await ctx.db.batch([
    ctx.db
      .insert(chatMessages)
      .values({
        ...said,
        sessionId,
        position: atTheEnd(sessionId),
        answers: questionId,
        role: 'assistant',
      })
      .onConflictDoUpdate({ target: chatMessages.answers, set: said }),
    ...(endsSession ? [withoutLater(ctx, sessionId, questionId, messageId)] : []),
    withoutTheOldest(ctx, sessionId),
  ]);
}

/** Computed inside the inserting statement, so that concurrent inserts cannot receive the same position. */
const atTheEnd = (sessionId: string) =>
  sql`(select coalesce(max(position), -1) + 1 from chat_messages where session_id = ${sessionId})`;

/** Ids grow over time, so messages that were added after the answer was requested have a higher id. */
function withoutLater(ctx: Context, sessionId: string, questionId: string, answerId: string) {
  const question = sql`(select position from chat_messages where id = ${questionId})`;
  const inSession = eq(chatMessages.sessionId, sessionId);
  return ctx.db
    .delete(chatMessages)
    .where(and(inSession, gt(chatMessages.position, question), lt(chatMessages.id, answerId)));
}

function withoutTheOldest(ctx: Context, sessionId: string) {
  const oldest = sql`(select max(position) - ${KEPT_MESSAGES} from chat_messages where session_id = ${sessionId})`;
  return ctx.db
    .delete(chatMessages)
    .where(and(eq(chatMessages.sessionId, sessionId), lte(chatMessages.position, oldest)));
}

/** Returns a question on one line as a session name. A long question is cut at the end of a word. */
function titleOf(question: string): string {
  const line = [
    ...question
      .slice(0, 4 * LONGEST)
      .replaceAll(/\s+/gu, ' ')
      .trim(),
  ];
  if (line.length <= LONGEST) return line.join('');
  const cut = line.slice(0, LONGEST - 1).join('');
  const lastWord = cut.lastIndexOf(' ');
  return `${lastWord > LONGEST / 2 ? cut.slice(0, lastWord) : cut}…`;
}
