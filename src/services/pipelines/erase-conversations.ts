import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import {
  chatSessions,
  chatStreams,
  indexChats,
  indexChatTurns,
  type Pipeline,
} from '#src/db/schema/index.ts';

const OBJECTS_PER_ROUND = 50;
const TURNS_PER_ROUND = 200;

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

/**
 * Deletes the session chats that are bound to a pipeline, and the answers of other session chats that may quote its
 * documents.
 */
export async function eraseIndexChats(ctx: Context, { id, projectId }: Pipeline): Promise<void> {
  const names = (column: typeof indexChats.indexIds | typeof indexChatTurns.indexIds) =>
    sql`exists (select 1 from json_each(${column}) as named where named.value = ${id})`;
  const bound = ctx.db.select({ id: indexChats.id }).from(indexChats);
  const ofBound = and(eq(indexChats.projectId, projectId), names(indexChats.indexIds));
  const isBound = inArray(indexChatTurns.chatId, bound.where(ofBound));
  const ofIndex = sql`${eq(indexChatTurns.projectId, projectId)} and (${names(indexChatTurns.indexIds)} or ${isBound})`;
  for (let deleted = TURNS_PER_ROUND; deleted === TURNS_PER_ROUND; ) {
    const some = ctx.db
      .select({ id: indexChatTurns.id })
      .from(indexChatTurns)
      .where(ofIndex)
      .limit(TURNS_PER_ROUND);
    const { meta } = await ctx.db.delete(indexChatTurns).where(inArray(indexChatTurns.id, some));
    deleted = meta.changes;
  }
  await ctx.db.delete(indexChats).where(ofBound);
}
