import { and, desc, eq, isNull, or } from 'drizzle-orm';
import type { ChatRequest, Turn } from '#src/chat/input.ts';
import type { Context } from '#src/context/context.ts';
import { chatMessages } from '#src/db/schema/index.ts';

/**
 * The message of a session that is to be answered once more: the question that `messageId` names. To regenerate, it may
 * be named by its answer too, or else is the last question, if that is the one that was sent. Undefined when the
 * session has none such.
 */
export async function regeneratedQuestion(
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
