import { and, desc, eq, ne, sql } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { buildConditionalInsert, createConditionalRow } from '#src/db/conditional-insert.ts';
import { deleteInBatches } from '#src/db/ownership/delete-in-batches.ts';
import { afterKey, buildPage, DEFAULT_PAGE_SIZE, type Page, parsePageToken } from '#src/db/paging.ts';
import { type QuestionSet, questionSets } from '#src/db/schema/index.ts';
import { Conflict, NotFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { withinScope } from '#src/services/tenancy/scope.ts';
import { startWaitingRuns } from './advance-run.ts';
import { removeDeliveriesOfSet } from './delete-run.ts';
import { MAX_QUESTION_SETS, type NewQuestionSet, type QuestionSetChanges } from './input.ts';
import { removeCopiesOfSet } from './sweeps/copies.ts';

export interface PageQuery {
  page_size?: number | null | undefined;
  page_token?: string | null | undefined;
}

export type CountedQuestionSet = QuestionSet & { questionCount: number; hasSchedule: boolean };

const questionCount = sql<number>`(select count(*) from questions where question_set_id = question_sets.id)`;
const hasSchedule = sql<number>`exists (select 1 from evaluation_schedules where question_set_id = question_sets.id)`;
const columns = {
  id: questionSets.id,
  projectId: questionSets.projectId,
  name: questionSets.name,
  description: questionSets.description,
  version: questionSets.version,
  createdAt: questionSets.createdAt,
  updatedAt: questionSets.updatedAt,
  questionCount,
  hasSchedule: hasSchedule.mapWith(Boolean),
};

/** Returns a page of the project's question sets, newest first. `name` selects the set with exactly this name. */
export async function getQuestionSetPage(
  ctx: TenantContext,
  query: PageQuery & { name?: string | null | undefined },
): Promise<Page<CountedQuestionSet>> {
  const key = parsePageToken(query.page_token, ['number', 'string']);
  const size = query.page_size ?? DEFAULT_PAGE_SIZE;
  const rows = await ctx.db
    .select(columns)
    .from(questionSets)
    .where(
      and(
        eq(questionSets.projectId, ctx.projectId),
        query.name ? eq(questionSets.name, query.name) : undefined,
        afterKey([questionSets.createdAt, questionSets.id], key, 'desc'),
      ),
    )
    .orderBy(desc(questionSets.createdAt), desc(questionSets.id))
    .limit(size + 1);
  return buildPage(rows, size, (row) => [row.createdAt.getTime(), row.id]);
}

export async function getQuestionSet(ctx: TenantContext, id: string): Promise<CountedQuestionSet> {
  const [row] = await ctx.db
    .select(columns)
    .from(questionSets)
    .where(and(eq(questionSets.id, id), withinScope(ctx, questionSets.projectId)));
  if (!row) throw new NotFound('Question set', id);
  return row;
}

export async function createQuestionSet(
  ctx: TenantContext,
  input: NewQuestionSet,
): Promise<CountedQuestionSet> {
  const now = new Date();
  const row = {
    id: newId(),
    projectId: ctx.projectId,
    name: input.name,
    description: input.description ?? null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
  const hasRoom = sql`(select count(*) from question_sets where project_id = ${ctx.projectId}) < ${MAX_QUESTION_SETS}`;
  await buildConditionalInsert(ctx, createConditionalRow(questionSets, row, hasRoom));
  const created = await ctx.db.query.questionSets.findFirst({ where: eq(questionSets.id, row.id) });
  if (created) return { ...created, questionCount: 0, hasSchedule: false };
  await requireFreeName(ctx, row);
  throw new Conflict(
    `The project has ${MAX_QUESTION_SETS} question sets, which is the maximum. Delete others first.`,
  );
}

/** Renames or describes a question set. This does not change its version. */
export async function updateQuestionSet(
  ctx: TenantContext,
  id: string,
  changes: QuestionSetChanges,
): Promise<CountedQuestionSet> {
  const before = await getQuestionSet(ctx, id);
  const wanted = { ...before, name: changes.name ?? before.name };
  await requireFreeName(ctx, wanted);
  try {
    await ctx.db
      .update(questionSets)
      .set({ name: wanted.name, description: changes.description, updatedAt: new Date() })
      .where(eq(questionSets.id, before.id));
  } catch (error) {
    // Another request may have taken the name in the meantime.
    await requireFreeName(ctx, wanted);
    throw error;
  }
  return getQuestionSet(ctx, id);
}

/** Deletes a question set with its questions, its runs and their results. */
export async function deleteQuestionSet(ctx: TenantContext, id: string): Promise<void> {
  const row = await getQuestionSet(ctx, id);
  await removeDeliveriesOfSet(ctx, row.id);
  await removeCopiesOfSet(ctx, row.id);
  await deleteInBatches(ctx.db, 'question_sets', row.id);
  await ctx.db.delete(questionSets).where(eq(questionSets.id, row.id));
  await startWaitingRuns(ctx, row.projectId);
}

async function requireFreeName(
  ctx: TenantContext,
  { id, projectId, name }: Pick<QuestionSet, 'id' | 'projectId' | 'name'>,
): Promise<void> {
  const sameName = and(
    eq(questionSets.projectId, projectId),
    eq(questionSets.name, name),
    ne(questionSets.id, id),
  );
  if ((await ctx.db.$count(questionSets, sameName)) === 0) return;
  throw new Conflict(`The project already has a question set named '${name}'. Choose another name.`);
}
