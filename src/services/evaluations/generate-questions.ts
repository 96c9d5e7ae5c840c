import { z } from 'zod';
import type { TenantContext } from '#src/context/context.ts';
import { type GeneratedQuestion, generateFromChunk } from '#src/evaluation/generate.ts';
import { normalizeText } from '#src/evaluation/normalize-text.ts';
import { NotFound } from '#src/lib/errors.ts';
import { uuid } from '#src/lib/secrets/uuid.ts';
import { readFirstEntries } from '#src/retrieval/catalog.ts';
import { getTarget, openTarget } from '#src/retrieval/retrieval.ts';
import { findDocuments } from './documents.ts';
import { type NewQuestion, newQuestion } from './input.ts';
import { getQuestionSet } from './question-sets.ts';
import { addQuestions, type ShownQuestion } from './questions.ts';

/** Maximum number of documents, and of chunks per document, that are read. */
const MAX_DOCUMENTS = 50;
const MAX_CHUNKS = 100;
const DEFAULT_COUNT = 20;

export const generation = z.object({
  pipeline_id: uuid().describe(
    'Pipeline whose indexed documents are read: the first 50, and 100 chunks of each.',
  ),
  count: z.number().int().min(1).max(200).nullish().describe('Maximum number of questions. Default: 20.'),
});

/**
 * Generates questions from the indexed documents of a pipeline, and adds them to a set. Returns an empty list if the
 * documents have no headings, definitions or tables, or are not indexed yet.
 */
export async function generateQuestions(
  ctx: TenantContext,
  questionSetId: string,
  { pipeline_id: pipelineId, count }: z.infer<typeof generation>,
): Promise<ShownQuestion[]> {
  const set = await getQuestionSet(ctx, questionSetId);
  const target = await getTarget(ctx, pipelineId);
  const { source, opened } = await openTarget(ctx, target);
  if (source.projectId !== set.projectId) throw new NotFound('Pipeline', pipelineId);
  const { index } = target;
  if (!index || !opened) return [];
  const entries = await readFirstEntries(ctx, source, index, { limit: MAX_DOCUMENTS });
  const known = await findDocuments(
    ctx,
    set.projectId,
    entries.map(({ documentId }) => documentId),
  );
  const byDocument: NewQuestion[][] = [];
  const asked = new Set<string>();
  for (const { documentId } of entries) {
    if (!known.has(documentId)) continue;
    const chunks = await opened.sink.listChunks(documentId, { from: 0, limit: MAX_CHUNKS });
    const enabled = chunks.filter((chunk) => !opened.isDisabled(chunk));
    const questions = enabled.flatMap(generateFromChunk).filter(({ text }) => isNew(asked, text));
    byDocument.push(questions.flatMap((question) => toQuestion(question, documentId)));
  }
  const chosen = takeInTurn(byDocument, count ?? DEFAULT_COUNT);
  return chosen.length === 0 ? [] : addQuestions(ctx, set.id, chosen);
}

function isNew(asked: Set<string>, text: string): boolean {
  const key = normalizeText(text);
  if (asked.has(key)) return false;
  asked.add(key);
  return true;
}

/** Returns an empty list for a question that exceeds a limit. */
function toQuestion({ text, tag, passage, answer }: GeneratedQuestion, documentId: string): NewQuestion[] {
  const parsed = newQuestion.safeParse({
    text,
    tags: [tag],
    expected_passages: [{ text: passage, document_id: documentId }],
    expected_answer: answer,
    origin: 'generated',
  });
  return parsed.success ? [parsed.data] : [];
}

/** Takes questions from all lists in turn, so that every document is asked for. */
function takeInTurn(lists: readonly NewQuestion[][], count: number): NewQuestion[] {
  const taken: NewQuestion[] = [];
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  for (let turn = 0; turn < longest && taken.length < count; turn += 1) {
    for (const list of lists) {
      const question = list[turn];
      if (question && taken.length < count) taken.push(question);
    }
  }
  return taken;
}
