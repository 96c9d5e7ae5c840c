import { and, desc, eq, lte, sql } from 'drizzle-orm';
import type { Context } from '#src/context.ts';
import { type ChatMessage, chatMessages, chatSessions } from '#src/db/schema/index.ts';
import { newId } from '#src/ids.ts';

/** Messages that a session shows: the newest. */
const SHOWN_MESSAGES = 500;
/** Messages that a session keeps: the newest. */
export const KEPT_MESSAGES = 2_000;
/** Characters of an answer that are kept: a row holds 2 MB. */
const LONGEST_ANSWER = 400_000;

/** The newest messages, in their order. */
export async function messagesOf(ctx: Context, sessionId: string): Promise<ChatMessage[]> {
  return (await messageRows(ctx, sessionId)).toReversed();
}

export const messageRows = (ctx: Context, sessionId: string) =>
  ctx.db
    .select()
    .from(chatMessages)
    .where(eq(chatMessages.sessionId, sessionId))
    .orderBy(desc(chatMessages.position))
    .limit(SHOWN_MESSAGES);

export interface Question {
  sessionId: string;
  /** What the client calls the message; of two of that name the later text stays, in the place of the first. */
  clientId: string | undefined;
  role: string;
  content: string;
  llm: Record<string, unknown> | null | undefined;
  retrieval: Record<string, unknown> | null | undefined;
}

/** Adds a question, whoever else adds at the same time, and remembers the parameters it came with. Gives its id. */
export async function keepQuestion(ctx: Context, question: Question): Promise<string> {
  const { sessionId, clientId, role, content, llm, retrieval } = question;
  const remembered = { ...(llm && { llmParams: llm }), ...(retrieval && { retrievalParams: retrieval }) };
  const [, [row]] = await ctx.db.batch([
    ctx.db
      .update(chatSessions)
      .set({ ...remembered, updatedAt: new Date() })
      .where(eq(chatSessions.id, sessionId)),
    ctx.db
      .insert(chatMessages)
      .values({ id: newId(), sessionId, position: atTheEnd(sessionId), clientId, role, content })
      .onConflictDoUpdate({ target: [chatMessages.sessionId, chatMessages.clientId], set: { content } })
      .returning({ id: chatMessages.id }),
    withoutTheOldest(ctx, sessionId),
  ]);
  return row!.id;
}

export interface Answer {
  text: string;
  annotations: { type: string; data: string }[];
}

/** Adds what was said to a question, in the place of an earlier answer to it. Of nothing nothing is kept. */
export async function keepAnswer(
  ctx: Context,
  { sessionId, questionId, messageId }: { sessionId: string; questionId: string; messageId: string },
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
    withoutTheOldest(ctx, sessionId),
  ]);
}

/** Read and written in one statement, so that none of two at once gets the other's place. */
const atTheEnd = (sessionId: string) =>
  sql`(select coalesce(max(position), -1) + 1 from chat_messages where session_id = ${sessionId})`;

function withoutTheOldest(ctx: Context, sessionId: string) {
  const oldest = sql`(select max(position) - ${KEPT_MESSAGES} from chat_messages where session_id = ${sessionId})`;
  return ctx.db
    .delete(chatMessages)
    .where(and(eq(chatMessages.sessionId, sessionId), lte(chatMessages.position, oldest)));
}
