import { and, desc, eq } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { type ChatSession, chatSessions } from '#src/db/schema/index.ts';
import { Conflict, NotFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { eraseSession } from '#src/services/pipelines/erase-conversations.ts';
import {
  type Corpus,
  type CorpusParams,
  getCorpus,
  getWritableCorpus,
  toCorpusColumns,
  whereCorpus,
} from './corpus.ts';

export const MAX_SESSIONS = 500;

/** Returns the caller's default chat session with a pipeline or retriever, and creates it if needed. */
export async function openPlaygroundSession(ctx: TenantContext, params: CorpusParams): Promise<ChatSession> {
  const corpus = await getWritableCorpus(ctx, params);
  const known = await findPlaygroundSession(ctx, corpus);
  if (known) return known;
  await ctx.db
    .insert(chatSessions)
    .values({ ...buildSession(ctx, corpus), isPlayground: true })
    .onConflictDoNothing();
  return (await findPlaygroundSession(ctx, corpus))!;
}

const findPlaygroundSession = (ctx: TenantContext, corpus: Corpus) =>
  ctx.db.query.chatSessions.findFirst({
    where: and(whereOwnSession(ctx, corpus), eq(chatSessions.isPlayground, true)),
  });

/**
 * Returns the condition that selects the caller's own chat sessions. Other users of the tenant cannot see
 * them.
 */
const whereOwnSession = (ctx: TenantContext, corpus: Corpus) =>
  and(whereCorpus(chatSessions, corpus), eq(chatSessions.userId, ctx.actor.userId));

const buildSession = (ctx: TenantContext, corpus: Corpus) => ({
  id: newId(),
  ...toCorpusColumns(corpus),
  userId: ctx.actor.userId,
  llmParamsId: newId(),
  retrievalParamsId: newId(),
});

/** Returns one page of the caller's chat sessions, most recently used first, and their total number. */
export async function listSessions(
  ctx: TenantContext,
  params: CorpusParams,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ sessions: ChatSession[]; total: number }> {
  const corpus = await getCorpus(ctx, params);
  const [sessions, total] = await Promise.all([
    selectSessions(ctx, corpus).limit(limit).offset(offset),
    ctx.db.$count(chatSessions, whereOwnSession(ctx, corpus)),
  ]);
  return { sessions, total };
}

export const selectSessions = (ctx: TenantContext, corpus: Corpus) =>
  ctx.db
    .select()
    .from(chatSessions)
    .where(whereOwnSession(ctx, corpus))
    .orderBy(desc(chatSessions.updatedAt), desc(chatSessions.id));

export async function createSession(
  ctx: TenantContext,
  params: CorpusParams,
  name: string | null,
): Promise<ChatSession> {
  const corpus = await getWritableCorpus(ctx, params);
  if ((await ctx.db.$count(chatSessions, whereOwnSession(ctx, corpus))) >= MAX_SESSIONS) {
    const kind = corpus.kind;
    throw new Conflict(
      `A user may have at most ${MAX_SESSIONS} sessions with a ${kind}. Delete some sessions first.`,
    );
  }
  const [session] = await ctx.db
    .insert(chatSessions)
    .values({ ...buildSession(ctx, corpus), name })
    .returning();
  return session!;
}

export async function getSession(ctx: TenantContext, params: CorpusParams, id: string): Promise<ChatSession> {
  const corpus = await getCorpus(ctx, params);
  const session = await ctx.db.query.chatSessions.findFirst({
    where: and(eq(chatSessions.id, id), whereOwnSession(ctx, corpus)),
  });
  if (!session) throw new NotFound('Session', id);
  return session;
}

/** Renames a chat session. A null name removes the name. */
export async function renameSession(
  ctx: TenantContext,
  params: CorpusParams,
  id: string,
  name: string | null,
): Promise<ChatSession> {
  const session = await getSession(ctx, params, id);
  await getWritableCorpus(ctx, params);
  const [renamed] = await ctx.db
    .update(chatSessions)
    // Renaming does not count as use, so `updatedAt` stays unchanged.
    .set({ name, updatedAt: session.updatedAt })
    .where(eq(chatSessions.id, session.id))
    .returning();
  if (!renamed) throw new NotFound('Session', id);
  return renamed;
}

/** Deletes a chat session with its messages and stops answers that are still running. */
export async function deleteSession(ctx: TenantContext, params: CorpusParams, id: string): Promise<void> {
  await eraseSession(ctx, (await getSession(ctx, params, id)).id);
}

/** Deletes the default chat session. The next chat that names no session creates a new one. */
export async function deletePlaygroundSession(ctx: TenantContext, params: CorpusParams): Promise<void> {
  const session = await findPlaygroundSession(ctx, await getCorpus(ctx, params));
  if (session) await eraseSession(ctx, session.id);
}
