import { and, eq, isNotNull, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Context, TenantContext } from '#src/context/context.ts';
import {
  chatMessages,
  chatSessions,
  pipelines,
  retrievers,
  type TraceRow,
  traces,
} from '#src/db/schema/index.ts';
import { NotFound } from '#src/lib/errors.ts';
import { withinScope } from '#src/services/tenancy/scope.ts';
import { requireTrace } from './visible.ts';

const MAX_COMMENT_CHARACTERS = 2_000;

export const newFeedback = z.object({
  rating: z.enum(['up', 'down']).nullable().describe('Null removes the feedback.'),
  comment: z.string().trim().max(MAX_COMMENT_CHARACTERS).nullish(),
});
export type NewFeedback = z.infer<typeof newFeedback>;

/**
 * Sets the feedback on a trace. The id may also be that of an answer in a chat session of the caller. If the answer was
 * not recorded, a trace without details stores the feedback.
 */
export async function putFeedback(
  ctx: TenantContext,
  id: string,
  { rating, comment }: NewFeedback,
): Promise<TraceRow> {
  const known = await requireTrace(ctx, id).catch((error: unknown) => {
    if (error instanceof NotFound) return undefined;
    throw error;
  });
  const feedback = {
    rating,
    comment: rating ? comment || null : null,
    ratedAt: rating ? new Date() : null,
  };
  const [row] = known
    ? await ctx.db.update(traces).set(feedback).where(eq(traces.id, id)).returning()
    : await insertFeedback(ctx, { ...(await buildUnrecordedTrace(ctx, id)), ...feedback });
  if (!row) throw new NotFound('Trace', id);
  // A trace that only stored feedback has no purpose without the feedback.
  if (!rating) await ctx.db.delete(traces).where(and(eq(traces.id, id), sql`details is null`));
  return row;
}

export type Rating = 'up' | 'down';

/** Returns the ratings of the answers in a chat session, by message id. */
export async function readRatings({ db }: Context, sessionId: string): Promise<Map<string, Rating>> {
  const rows = await db
    .select({ id: traces.id, rating: traces.rating })
    .from(traces)
    .where(and(eq(traces.sessionId, sessionId), isNotNull(traces.rating)));
  return new Map(rows.flatMap(({ id, rating }) => (rating ? [[id, rating] as const] : [])));
}

/** The trace may be stored at the same time, with the id of the same answer. */
const insertFeedback = ({ db }: Context, row: TraceRow) =>
  db
    .insert(traces)
    .values(row)
    .onConflictDoUpdate({
      target: traces.id,
      set: { rating: row.rating, comment: row.comment, ratedAt: row.ratedAt },
      setWhere: eq(traces.projectId, row.projectId),
    })
    .returning();

/** Builds the trace of an answer in the caller's own chat sessions. Throws `NotFound` if there is no such answer. */
async function buildUnrecordedTrace(ctx: TenantContext, messageId: string): Promise<TraceRow> {
  const [found] = await selectAnswers(ctx).where(
    and(
      eq(chatMessages.id, messageId),
      eq(chatMessages.role, 'assistant'),
      eq(chatSessions.userId, ctx.actor.userId),
      sql`(${withinScope(ctx, pipelines.projectId)} or ${withinScope(ctx, retrievers.projectId)})`,
    ),
  );
  const projectId = found?.pipelineProject ?? found?.retrieverProject;
  if (!found || !projectId) throw new NotFound('Trace', messageId);
  const { session, createdAt } = found;
  return {
    id: messageId,
    projectId,
    kind: 'chat',
    pipelineId: session.pipelineId,
    retrieverId: session.retrieverId,
    sessionId: session.id,
    userId: ctx.actor.userId,
    keyId: ctx.actor.keyId,
    requestId: null,
    question: null,
    durationMs: null,
    isRefused: false,
    errorCode: null,
    details: null,
    rating: null,
    comment: null,
    ratedAt: null,
    createdAt,
  };
}

const selectAnswers = ({ db }: Context) =>
  db
    .select({
      session: chatSessions,
      createdAt: chatMessages.createdAt,
      pipelineProject: pipelines.projectId,
      retrieverProject: retrievers.projectId,
    })
    .from(chatMessages)
    .innerJoin(chatSessions, eq(chatSessions.id, chatMessages.sessionId))
    .leftJoin(pipelines, eq(pipelines.id, chatSessions.pipelineId))
    .leftJoin(retrievers, eq(retrievers.id, chatSessions.retrieverId));
