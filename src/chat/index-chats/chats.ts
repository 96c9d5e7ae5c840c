import { and, desc, eq, sql } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { buildConditionalInsert, createConditionalRow } from '#src/db/conditional-insert.ts';
import { afterKey, buildPage, DEFAULT_PAGE_SIZE, type Page, parsePageToken } from '#src/db/paging.ts';
import { type IndexChat, indexChats } from '#src/db/schema/index.ts';
import { Conflict, Invalid, NotFound } from '#src/lib/errors.ts';
import { bareId, newId } from '#src/lib/ids.ts';
import { getWritablePipeline } from '#src/services/pipelines/pipelines.ts';
import { withinScope } from '#src/services/tenancy/scope.ts';

/** Maximum number of conversations of a user in one project. */
export const MAX_CHATS = 1_000;
/** Maximum number of indexes that one question searches. */
export const MAX_INDEXES = 20;

/** Creates a conversation of the caller. With indexes, its questions search these and no others. */
export async function createIndexChat(
  ctx: TenantContext,
  indexIds: readonly string[] | null,
): Promise<IndexChat> {
  const now = new Date();
  const row: IndexChat = {
    id: newId(),
    projectId: ctx.projectId,
    userId: ctx.actor.userId,
    indexIds: indexIds && (await requireIndexes(ctx, ctx.projectId, indexIds)),
    title: null,
    lastRun: null,
    createdAt: now,
    updatedAt: now,
  };
  const hasRoom = sql`(select count(*) from index_chats
    where project_id = ${row.projectId} and user_id = ${row.userId}) < ${MAX_CHATS}`;
  const insert = buildConditionalInsert(ctx, createConditionalRow(indexChats, row, hasRoom));
  const [created] = (await insert.returning()) as IndexChat[];
  if (created) return created;
  throw new Conflict(
    `A user may have at most ${MAX_CHATS} chat sessions in a project. Delete some sessions first.`,
  );
}

/**
 * Returns the ids of indexes without their prefixes. Throws `NotFound` for an index that does not exist in the project,
 * and `Conflict` for one that is being deleted.
 */
export async function requireIndexes(
  ctx: TenantContext,
  projectId: string,
  indexIds: readonly string[],
): Promise<string[]> {
  const ids = [...new Set(indexIds.map(bareId))];
  if (ids.length > MAX_INDEXES) {
    throw Invalid.field(['index_ids'], `must name at most ${MAX_INDEXES} indexes`, 'too_long');
  }
  for (const id of ids) {
    const pipeline = await getWritablePipeline(ctx, id).catch((error: unknown) => {
      if (error instanceof NotFound) return undefined;
      throw error;
    });
    if (pipeline?.projectId !== projectId) throw new NotFound('Index', id);
  }
  return ids;
}

/** Returns the condition that selects the caller's own conversations. */
const whereOwn = (ctx: TenantContext) =>
  and(eq(indexChats.userId, ctx.actor.userId), withinScope(ctx, indexChats.projectId));

export async function getIndexChat(ctx: TenantContext, id: string): Promise<IndexChat> {
  const row = await ctx.db.query.indexChats.findFirst({
    where: and(eq(indexChats.id, bareId(id)), whereOwn(ctx)),
  });
  if (!row) throw new NotFound('Session', id);
  return row;
}

/** Returns one page of the caller's conversations in the project, newest first. */
export async function getIndexChatPage(
  ctx: TenantContext,
  query: { page_size?: number | null | undefined; page_token?: string | null | undefined },
): Promise<Page<IndexChat> & { total_size: number }> {
  const key = parsePageToken(query.page_token, ['number', 'string']);
  const pageSize = query.page_size ?? DEFAULT_PAGE_SIZE;
  const where = and(eq(indexChats.projectId, ctx.projectId), eq(indexChats.userId, ctx.actor.userId));
  const after = afterKey([indexChats.createdAt, indexChats.id], key, 'desc');
  const [rows, total] = await Promise.all([
    ctx.db
      .select()
      .from(indexChats)
      .where(and(where, after))
      .orderBy(desc(indexChats.createdAt), desc(indexChats.id))
      .limit(pageSize + 1),
    ctx.db.$count(indexChats, where),
  ]);
  return { ...buildPage(rows, pageSize, (row) => [row.createdAt.getTime(), row.id]), total_size: total };
}

export async function deleteIndexChat(ctx: TenantContext, id: string): Promise<void> {
  const { id: stored } = await getIndexChat(ctx, id);
  await ctx.db.delete(indexChats).where(eq(indexChats.id, stored));
}
