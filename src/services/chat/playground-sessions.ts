import { and, desc, eq, sql } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context.ts';
import {
  type ChatMessage,
  chatMessages,
  type PlaygroundSession,
  playgroundSessions,
} from '#src/db/schema/index.ts';
import { newId } from '#src/ids.ts';
import { getWritablePipeline } from '#src/services/pipelines/pipelines.ts';

/** Messages that a session shows: the newest. */
const SHOWN_MESSAGES = 500;

/** The caller's conversation with a pipeline, begun when there is none. */
export async function openPlaygroundSession(
  ctx: TenantContext,
  pipelineId: string,
): Promise<PlaygroundSession> {
  const pipeline = await getWritablePipeline(ctx, pipelineId);
  const find = () =>
    ctx.db.query.playgroundSessions.findFirst({
      where: and(
        eq(playgroundSessions.pipelineId, pipeline.id),
        eq(playgroundSessions.userId, ctx.actor.userId),
      ),
    });
  const known = await find();
  if (known) return known;
  await ctx.db
    .insert(playgroundSessions)
    .values({
      id: newId(),
      pipelineId: pipeline.id,
      userId: ctx.actor.userId,
      llmParamsId: newId(),
      retrievalParamsId: newId(),
    })
    .onConflictDoNothing();
  return (await find())!;
}

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

export async function rememberParameters(
  ctx: Context,
  session: PlaygroundSession,
  last: { llm?: Record<string, unknown> | null; retrieval?: Record<string, unknown> | null },
): Promise<void> {
  const changes = {
    ...(last.llm && { llmParams: last.llm }),
    ...(last.retrieval && { retrievalParams: last.retrieval }),
  };
  if (Object.keys(changes).length === 0) return;
  await ctx.db.update(playgroundSessions).set(changes).where(eq(playgroundSessions.id, session.id));
}

/** At the end, whoever else appends at the same time. */
export async function appendMessage(
  ctx: Context,
  sessionId: string,
  message: Pick<ChatMessage, 'role' | 'content'> & { annotations?: { type: string; data: string }[] },
): Promise<void> {
  await ctx.db.insert(chatMessages).values({
    id: newId(),
    sessionId,
    position: sql`(select coalesce(max(position), -1) + 1 from chat_messages where session_id = ${sessionId})`,
    ...message,
  });
}
