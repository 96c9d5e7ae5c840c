import { and, desc, eq } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import { chatStreams } from '#src/db/schema/index.ts';
import { newId } from '#src/lib/ids.ts';
import type { ChatProtocol } from '#src/work/chat-owner.ts';
import { type Corpus, type CorpusParams, getCorpus, toCorpusColumns, whereCorpus } from './corpus.ts';

/**
 * Registers an answer that clients can resume after a lost connection. Returns the name of the answer's
 * Durable Object.
 */
export async function registerStream(
  ctx: TenantContext,
  corpus: Corpus,
  stream: { sessionId: string; chatId: string },
): Promise<string> {
  const id = newId();
  await ctx.db
    .insert(chatStreams)
    .values({ id, userId: ctx.actor.userId, ...toCorpusColumns(corpus), ...stream });
  return id;
}

export async function deleteStream(ctx: Context, id: string): Promise<void> {
  await ctx.db.delete(chatStreams).where(eq(chatStreams.id, id));
}

/**
 * Streams the caller's newest answer of a chat again from its beginning. Returns `undefined` if no answer is
 * in memory any more.
 */
export async function resumeChat(
  ctx: TenantContext,
  params: CorpusParams,
  chatId: string,
  protocol: ChatProtocol,
): Promise<ReadableStream<Uint8Array> | undefined> {
  const [newest] = await selectStreams(ctx, await getCorpus(ctx, params), chatId).limit(1);
  return newest && ctx.objects.chatStream(newest.id).resume(protocol);
}

export async function stopChat(ctx: TenantContext, params: CorpusParams, chatId: string): Promise<void> {
  const rows = await selectStreams(ctx, await getCorpus(ctx, params), chatId);
  await Promise.all(rows.map(({ id }) => ctx.objects.chatStream(id).stop()));
}

/** Selects the streams of a chat from newest to oldest. Stream ids rise over time. */
export const selectStreams = (ctx: TenantContext, corpus: Corpus, chatId: string) =>
  ctx.db
    .select({ id: chatStreams.id })
    .from(chatStreams)
    .where(
      and(
        whereCorpus(chatStreams, corpus),
        eq(chatStreams.userId, ctx.actor.userId),
        eq(chatStreams.chatId, chatId),
      ),
    )
    .orderBy(desc(chatStreams.id));
