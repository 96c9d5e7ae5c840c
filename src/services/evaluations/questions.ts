import { and, asc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { afterKey, buildPage, DEFAULT_PAGE_SIZE, type Page, parsePageToken } from '#src/db/paging.ts';
import { type Question, type QuestionOrigin, questions } from '#src/db/schema/index.ts';
import { Invalid, NotFound } from '#src/lib/errors.ts';
import { toIssues } from '#src/lib/schema/zod-issues.ts';
import { changeQuestions, saveQuestions, toRows } from './add-questions/write-questions.ts';
import { AFFECTED_DOCUMENTS } from './documents.ts';
import { type NewQuestion, newQuestion, type QuestionChanges } from './input.ts';
import { getQuestionSet, type PageQuery } from './question-sets.ts';

export interface AffectedDocument {
  document_id: string;
  name: string;
}

/** A question, and its expected documents that were changed or deleted since the question was written. */
export type ShownQuestion = Question & { affectedDocuments: AffectedDocument[] };

interface QuestionQuery extends PageQuery {
  tag?: string | null | undefined;
  origin?: QuestionOrigin | null | undefined;
  is_affected?: boolean | null | undefined;
}

/** Returns a page of the questions of a set in their order. */
export async function getQuestionPage(
  ctx: TenantContext,
  questionSetId: string,
  query: QuestionQuery,
): Promise<Page<ShownQuestion> & { total_size: number }> {
  const set = await getQuestionSet(ctx, questionSetId);
  const key = parsePageToken(query.page_token, ['number', 'string']);
  const size = query.page_size ?? DEFAULT_PAGE_SIZE;
  const where = and(
    eq(questions.questionSetId, set.id),
    query.origin ? eq(questions.origin, query.origin) : undefined,
    query.tag
      ? sql`exists (select 1 from json_each(${questions.tags}) where value = ${query.tag})`
      : undefined,
    typeof query.is_affected === 'boolean'
      ? sql`(${AFFECTED_DOCUMENTS} <> '[]') = ${Number(query.is_affected)}`
      : undefined,
  );
  const [rows, total] = await Promise.all([
    selectQuestions(ctx, and(where, afterKey([questions.position, questions.id], key, 'asc')), size + 1),
    ctx.db.$count(questions, where),
  ]);
  return { ...buildPage(rows, size, (row) => [row.position, row.id]), total_size: total };
}

async function selectQuestions(
  ctx: TenantContext,
  where: SQL | undefined,
  limit: number,
): Promise<ShownQuestion[]> {
  const rows = await ctx.db
    .select({ ...getTableColumns(questions), affected: AFFECTED_DOCUMENTS })
    .from(questions)
    .where(where)
    .orderBy(asc(questions.position), asc(questions.id))
    .limit(limit);
  return rows.map(({ affected, ...row }) => ({
    ...row,
    affectedDocuments: JSON.parse(affected) as AffectedDocument[],
  }));
}

async function getQuestion(ctx: TenantContext, setId: string, id: string): Promise<ShownQuestion> {
  const [row] = await selectQuestions(ctx, and(eq(questions.id, id), eq(questions.questionSetId, setId)), 1);
  if (!row) throw new NotFound('Question', id);
  return row;
}

/** Adds questions to a set. A question whose external id the set already has replaces the old question. */
export async function addQuestions(
  ctx: TenantContext,
  questionSetId: string,
  added: readonly NewQuestion[],
): Promise<ShownQuestion[]> {
  const set = await getQuestionSet(ctx, questionSetId);
  const rows = await toRows(ctx, set.projectId, added, (index) => ['questions', index]);
  const { ids } = await saveQuestions(ctx, set.id, rows);
  const saved = await selectQuestions(
    ctx,
    sql`${questions.id} in (select value from json_each(${JSON.stringify(ids)}))`,
    ids.length,
  );
  return saved;
}

/** Changes a question. Its documents count as unchanged from then on. */
export async function updateQuestion(
  ctx: TenantContext,
  questionSetId: string,
  id: string,
  changes: QuestionChanges,
): Promise<ShownQuestion> {
  const set = await getQuestionSet(ctx, questionSetId);
  // The question is read again if another request changes the set, so that no change is lost.
  await changeQuestions(ctx, set.id, async ({ isCurrent }) => {
    const before = await getQuestion(ctx, set.id, id);
    const merged = newQuestion.safeParse({ ...toInput(before), ...omitMissing(changes) });
    if (!merged.success) throw new Invalid(toIssues(merged.error, ['body']));
    const [row] = await toRows(ctx, set.projectId, [merged.data], () => [], before.documents);
    const { externalId: _, origin: __, ...changed } = row!;
    return [
      ctx.db
        .update(questions)
        .set({ ...changed, updatedAt: new Date() })
        .where(and(eq(questions.id, before.id), isCurrent)),
    ];
  });
  return getQuestion(ctx, set.id, id);
}

const omitMissing = (changes: QuestionChanges) =>
  Object.fromEntries(
    Object.entries(changes).filter(
      ([name, value]) => value !== undefined && !(name === 'text' && value === null),
    ),
  );

const toInput = (row: Question): Record<string, unknown> => ({
  text: row.text,
  tags: row.tags,
  expected_passages: row.expectations.passages,
  expected_pages: row.expectations.pages,
  expected_documents: row.expectations.documents,
  expected_answer: row.expectedAnswer,
  expects_refusal: row.expectsRefusal,
});

export async function deleteQuestion(ctx: TenantContext, questionSetId: string, id: string): Promise<void> {
  const set = await getQuestionSet(ctx, questionSetId);
  await getQuestion(ctx, set.id, id);
  await changeQuestions(ctx, set.id, async ({ isCurrent }) => [
    ctx.db.delete(questions).where(and(eq(questions.id, id), eq(questions.questionSetId, set.id), isCurrent)),
  ]);
}
