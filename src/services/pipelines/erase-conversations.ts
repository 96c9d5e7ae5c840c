import { and, eq, inArray, type SQL } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { chatSessions, chatStreams } from '#src/db/schema/index.ts';

const OBJECTS_PER_ROUND = 50;

export async function eraseSession(ctx: Context, sessionId: string): Promise<void> {
  await dropChatStreams(ctx, eq(chatStreams.sessionId, sessionId));
  await ctx.db.delete(chatSessions).where(eq(chatSessions.id, sessionId));
}

/**
 * Stops and deletes the chat answers that are being generated and that the condition `which` selects. May be
 * called again after an interruption.
 */
export async function dropChatStreams(ctx: Context, which: SQL): Promise<void> {
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
