import { and, eq, inArray, type SQL } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { chatMessages, chatSessions, chatStreams } from '#src/db/schema/index.ts';

/** Rows that one statement deletes: a pipeline may have hundreds of thousands, and a query has 30 s. */
const ROWS_PER_DELETE = 5_000;
/** Objects that are called at once. */
const OBJECTS_PER_ROUND = 50;

/** All that was said with a pipeline or a retriever, and what is being said. May be repeated from any point. */
export async function eraseConversations(
  ctx: Context,
  kind: 'pipelineId' | 'retrieverId',
  id: string,
): Promise<void> {
  await dropStreams(ctx, eq(chatStreams[kind], id));
  const sessions = ctx.db
    .select({ id: chatSessions.id })
    .from(chatSessions)
    .where(eq(chatSessions[kind], id));
  await deleteMessages(ctx, inArray(chatMessages.sessionId, sessions));
}

export async function eraseSession(ctx: Context, sessionId: string): Promise<void> {
  await dropStreams(ctx, eq(chatStreams.sessionId, sessionId));
  await ctx.db.delete(chatSessions).where(eq(chatSessions.id, sessionId));
}

async function dropStreams(ctx: Context, which: SQL): Promise<void> {
  for (;;) {
    const rows = await ctx.db
      .select({ id: chatStreams.id })
      .from(chatStreams)
      .where(which)
      .limit(OBJECTS_PER_ROUND);
    if (rows.length === 0) return;
    await Promise.all(rows.map(({ id }) => ctx.objects.chatStream(id).drop()));
    const dropped = rows.map(({ id }) => id);
    await ctx.db.delete(chatStreams).where(and(which, inArray(chatStreams.id, dropped)));
  }
}

async function deleteMessages(ctx: Context, which: SQL): Promise<void> {
  for (;;) {
    const batch = ctx.db
      .select({ id: chatMessages.id })
      .from(chatMessages)
      .where(which)
      .limit(ROWS_PER_DELETE);
    const { meta } = await ctx.db.delete(chatMessages).where(inArray(chatMessages.id, batch));
    if (meta.changes === 0) return;
  }
}
