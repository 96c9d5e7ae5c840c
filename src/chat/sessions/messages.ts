import { and, desc, eq, gt, isNull, lt, lte, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { type ChatMessage, chatMessages, chatSessions } from '#src/db/schema/index.ts';
import { newId } from '#src/lib/ids.ts';

const LONGEST = 80;

/** Messages that a session shows: the newest. */
const SHOWN_MESSAGES = 500;
/** Messages that a session keeps: the newest. */
export const KEPT_MESSAGES = 2_000;
/** Characters of an answer that are kept: a row holds 2 MB. */
const LONGEST_ANSWER = 400_000;

/** The newest messages, in their order. */
export async function messagesOf(ctx: Context, sessionId: string): Promise<ChatMessage[]> {
  return (await messageRows(ctx, sessionId).limit(SHOWN_MESSAGES)).toReversed();
}

/** Newest first; of those before a position where one is given. */
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
  /** The message that is asked once more, in whose place it comes. */
  replaces?: string | undefined;
  /** What the client calls the message; of two of that name the later text stays, in the place of the first. */
  clientId: string | undefined;
  role: string;
  content: string;
  llm: Record<string, unknown> | null | undefined;
  retrieval: Record<string, unknown> | null | undefined;
}

/**
 * Adds a question, whoever else adds at the same time, and remembers the parameters it came with; the first one names
 * a session that has no name. Gives its id.
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

/** Clients that read a session call its questions by its own ids. */
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
  /** Whether what was said after the question, before it was asked again, goes. */
  endsSession: boolean;
}

/** Adds what was said to a question, in the place of an earlier answer to it. Of nothing nothing is kept. */
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

/** Read and written in one statement, so that none of two at once gets the other's place. */
const atTheEnd = (sessionId: string) =>
  sql`(select coalesce(max(position), -1) + 1 from chat_messages where session_id = ${sessionId})`;

/** Ids rise: what came after the answer was asked for has a higher one. */
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

/** A question on one line, as the name of its conversation; a long one is cut where a word ends. */
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
