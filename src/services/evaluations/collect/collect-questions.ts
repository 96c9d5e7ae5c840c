import { and, desc, eq, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { findMarks } from '#src/chat/citations.ts';
import type { TenantContext } from '#src/context/context.ts';
import { afterKey, parsePageToken } from '#src/db/paging.ts';
import { projects, questions, type TraceRow, traces } from '#src/db/schema/index.ts';
import { choosePassage } from '#src/evaluation/choose-passage.ts';
import { normalizeText } from '#src/evaluation/normalize-text.ts';
import { encodeCursor } from '#src/lib/cursor.ts';
import { uuid } from '#src/lib/secrets/uuid.ts';
import { whereVisible } from '#src/services/traces/visible.ts';
import { findDocuments } from '../documents.ts';
import { type NewQuestion, newQuestion } from '../input.ts';
import { getQuestionSet } from '../question-sets.ts';
import { addQuestions, type ShownQuestion } from '../questions.ts';
import { type RatedAnswer, readRatedAnswer } from './rated-answers.ts';

/** Maximum number of rated answers that one call examines. Each of them reads its passages from the index. */
const ANSWERS_PER_CALL = 50;
const TAG = 'thumbs up';
/** Prefix of the external ids of collected questions, by which an answer is collected once. */
const ID_PREFIX = 'feedback:';

export const collection = z.object({
  pipeline_id: uuid().nullish().describe('Only answers from this pipeline.'),
  retriever_id: uuid().nullish().describe('Only answers from this retriever.'),
  page_token: z.string().nullish().describe('Continues after the answers of the previous call.'),
});

/** Reasons for which a rated answer becomes no question. */
export const SKIP_REASONS = ['no_text', 'no_citation', 'changed_passage', 'already_in_set'] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

export interface Collected {
  added: ShownQuestion[];
  skipped: Record<SkipReason, number>;
  nextPageToken: string | null;
}

/**
 * Turns answers that were rated with thumbs up into questions of a set, newest first. A question expects the sentences
 * that the answer cites. An answer is collected once, and only answers that the caller may see are collected.
 */
export async function collectQuestions(
  ctx: TenantContext,
  questionSetId: string,
  input: z.infer<typeof collection>,
): Promise<Collected> {
  const set = await getQuestionSet(ctx, questionSetId);
  const rows = await listRatedAnswers(ctx, set, input);
  const page = rows.slice(0, ANSWERS_PER_CALL);
  const collected: Collected = {
    added: [],
    skipped: { no_text: 0, no_citation: 0, changed_passage: 0, already_in_set: 0 },
    nextPageToken: null,
  };
  const chosen: NewQuestion[] = [];
  const asked = new Set<string>();
  for (const row of page) {
    const question = await toQuestion(ctx, set.projectId, row);
    if (typeof question === 'string') collected.skipped[question] += 1;
    else if (asked.has(normalizeText(question.text))) collected.skipped.already_in_set += 1;
    else chosen.push(question);
    if (typeof question !== 'string') asked.add(normalizeText(question.text));
  }
  const known = await findKnownTexts(ctx, set.id, chosen);
  const added = chosen.filter(({ text }) => !known.has(text));
  collected.skipped.already_in_set += chosen.length - added.length;
  if (added.length > 0) collected.added = await addQuestions(ctx, set.id, added);
  const last = page.at(-1);
  if (last && rows.length > page.length) {
    collected.nextPageToken = encodeCursor([last.createdAt.getTime(), last.id]);
  }
  return collected;
}

/** Lists the rated chat answers of the set's project that the caller may see and the set does not contain. */
async function listRatedAnswers(
  ctx: TenantContext,
  set: { id: string; projectId: string },
  input: z.infer<typeof collection>,
): Promise<TraceRow[]> {
  const project = await ctx.db.query.projects.findFirst({ where: eq(projects.id, set.projectId) });
  if (!project) return [];
  const isCollected = sql`exists (select 1 from questions where question_set_id = ${set.id}
    and external_id = ${ID_PREFIX} || ${traces.id})`;
  const after = parsePageToken(input.page_token, ['number', 'string'], ['body', 'page_token']);
  return ctx.db
    .select()
    .from(traces)
    .where(
      and(
        eq(traces.projectId, set.projectId),
        eq(traces.rating, 'up'),
        eq(traces.kind, 'chat'),
        await whereVisible(ctx, project.organizationId),
        input.pipeline_id ? eq(traces.pipelineId, input.pipeline_id) : undefined,
        input.retriever_id ? eq(traces.retrieverId, input.retriever_id) : undefined,
        sql`not ${isCollected}`,
        afterKey([traces.createdAt, traces.id], after, 'desc'),
      ),
    )
    .orderBy(desc(traces.createdAt), desc(traces.id))
    .limit(ANSWERS_PER_CALL + 1);
}

async function toQuestion(
  ctx: TenantContext,
  projectId: string,
  row: TraceRow,
): Promise<NewQuestion | SkipReason> {
  const rated = await readRatedAnswer(ctx, row);
  if (!rated.question) return 'no_text';
  if (rated.passages.length === 0 && !rated.isRefused) return 'no_citation';
  const known = await findDocuments(
    ctx,
    projectId,
    rated.passages.map(({ documentId }) => documentId),
  );
  const expected = listExpectedPassages(rated);
  if (!expected || rated.passages.some(({ documentId }) => !known.has(documentId))) return 'changed_passage';
  const parsed = newQuestion.safeParse({
    text: rated.question,
    tags: [TAG],
    expected_passages: expected,
    expects_refusal: expected.length === 0,
    external_id: ID_PREFIX + row.id,
    origin: 'collected',
  });
  // The question or its passages exceed a limit of question sets.
  return parsed.success ? parsed.data : 'no_text';
}

/** Returns `undefined` if a cited passage was changed or deleted, or cannot be read. */
function listExpectedPassages(rated: RatedAnswer): { text: string; document_id: string }[] | undefined {
  const statements = listStatements(rated.answer);
  const expected = new Map<string, { text: string; document_id: string }>();
  for (const { citation, documentId, text } of rated.passages) {
    if (text === null) return undefined;
    for (const statement of statements.get(citation) ?? [`${rated.question} ${rated.answer}`]) {
      const passage = choosePassage(text, statement);
      if (passage) expected.set(`${documentId} ${passage}`, { text: passage, document_id: documentId });
    }
  }
  if (rated.passages.length > 0 && expected.size === 0) return undefined;
  return [...expected.values()];
}

/** Returns the statements before the citation marks of an answer, by the numbers that they cite. */
function listStatements(answer: string): Map<number, string[]> {
  const statements = new Map<number, string[]>();
  let statement = '';
  let end = 0;
  for (const mark of findMarks(answer)) {
    const between = answer.slice(end, mark.start).trim();
    // Marks that stand directly beside each other cite the same statement.
    if (between !== '') statement = between;
    end = mark.end;
    for (const citation of mark.cited) {
      statements.set(citation, [...(statements.get(citation) ?? []), statement]);
    }
  }
  return statements;
}

async function findKnownTexts(
  ctx: TenantContext,
  questionSetId: string,
  chosen: readonly NewQuestion[],
): Promise<Set<string>> {
  const texts = JSON.stringify(chosen.map(({ text }) => text));
  const isKnown: SQL = sql`${questions.text} in (select value from json_each(${texts}))`;
  const rows = await ctx.db
    .selectDistinct({ text: questions.text })
    .from(questions)
    .where(and(eq(questions.questionSetId, questionSetId), isKnown));
  return new Set(rows.map(({ text }) => text));
}
