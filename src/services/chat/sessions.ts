import { and, count, desc, eq } from 'drizzle-orm';
import type { TenantContext } from '#src/context.ts';
import { type ChatSession, chatSessions } from '#src/db/schema/index.ts';
import { Conflict, NotFound } from '#src/errors.ts';
import { newId } from '#src/ids.ts';
import { eraseSession } from '#src/services/pipelines/erase-conversations.ts';
import { getPipeline, getWritablePipeline } from '#src/services/pipelines/pipelines.ts';

/** Sessions of one user with one pipeline. */
export const MOST_SESSIONS = 500;

/** The caller's conversation with a pipeline where none is named, begun when there is none. */
export async function openPlaygroundSession(ctx: TenantContext, pipelineId: string): Promise<ChatSession> {
  const pipeline = await getWritablePipeline(ctx, pipelineId);
  const known = await findPlaygroundSession(ctx, pipeline.id);
  if (known) return known;
  await ctx.db
    .insert(chatSessions)
    .values({ ...newSession(ctx, pipeline.id), isPlayground: true })
    .onConflictDoNothing();
  return (await findPlaygroundSession(ctx, pipeline.id))!;
}

const findPlaygroundSession = (ctx: TenantContext, pipelineId: string) =>
  ctx.db.query.chatSessions.findFirst({
    where: and(ownIn(ctx, pipelineId), eq(chatSessions.isPlayground, true)),
  });

/** A caller's sessions are nobody else's, in the same tenant neither. */
const ownIn = (ctx: TenantContext, pipelineId: string) =>
  and(eq(chatSessions.pipelineId, pipelineId), eq(chatSessions.userId, ctx.actor.userId));

const newSession = (ctx: TenantContext, pipelineId: string) => ({
  id: newId(),
  pipelineId,
  userId: ctx.actor.userId,
  llmParamsId: newId(),
  retrievalParamsId: newId(),
});

/** The caller's, the one last chatted in first. */
export async function listSessions(ctx: TenantContext, pipelineId: string): Promise<ChatSession[]> {
  return sessionRows(ctx, (await getPipeline(ctx, pipelineId)).id);
}

export const sessionRows = (ctx: TenantContext, pipelineId: string) =>
  ctx.db
    .select()
    .from(chatSessions)
    .where(ownIn(ctx, pipelineId))
    .orderBy(desc(chatSessions.updatedAt), desc(chatSessions.id));

export async function createSession(
  ctx: TenantContext,
  pipelineId: string,
  name: string | null,
): Promise<ChatSession> {
  const pipeline = await getWritablePipeline(ctx, pipelineId);
  const [counted] = await ctx.db
    .select({ sessions: count() })
    .from(chatSessions)
    .where(ownIn(ctx, pipeline.id));
  if (counted!.sessions >= MOST_SESSIONS) {
    throw new Conflict(`A user has at most ${MOST_SESSIONS} sessions with a pipeline. Delete some first.`);
  }
  const [session] = await ctx.db
    .insert(chatSessions)
    .values({ ...newSession(ctx, pipeline.id), name })
    .returning();
  return session!;
}

export async function getSession(ctx: TenantContext, pipelineId: string, id: string): Promise<ChatSession> {
  const pipeline = await getPipeline(ctx, pipelineId);
  const session = await ctx.db.query.chatSessions.findFirst({
    where: and(eq(chatSessions.id, id), ownIn(ctx, pipeline.id)),
  });
  if (!session) throw new NotFound('Session', id);
  return session;
}

/** null takes the name away. */
export async function renameSession(
  ctx: TenantContext,
  pipelineId: string,
  id: string,
  name: string | null,
): Promise<ChatSession> {
  const session = await getSession(ctx, pipelineId, id);
  await getWritablePipeline(ctx, pipelineId);
  const [renamed] = await ctx.db
    .update(chatSessions)
    // When it was last chatted in stays as it is.
    .set({ name, updatedAt: session.updatedAt })
    .where(eq(chatSessions.id, session.id))
    .returning();
  if (!renamed) throw new NotFound('Session', id);
  return renamed;
}

/** With its messages; answers that are being made in it end. */
export async function deleteSession(ctx: TenantContext, pipelineId: string, id: string): Promise<void> {
  await eraseSession(ctx, (await getSession(ctx, pipelineId, id)).id);
}

/** The next chat without a session begins a new one. */
export async function deletePlaygroundSession(ctx: TenantContext, pipelineId: string): Promise<void> {
  const session = await findPlaygroundSession(ctx, (await getPipeline(ctx, pipelineId)).id);
  if (session) await eraseSession(ctx, session.id);
}
