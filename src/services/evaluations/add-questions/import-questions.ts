import { z } from 'zod';
import type { TenantContext } from '#src/context/context.ts';
import { type BeirTexts, readBeir } from '#src/evaluation/formats/beir.ts';
import { readCsv } from '#src/evaluation/formats/csv.ts';
import { readJsonLines } from '#src/evaluation/formats/jsonl.ts';
import {
  createImportError,
  type ImportedItem,
  type ImportedQuestion,
} from '#src/evaluation/formats/records.ts';
import { Invalid } from '#src/lib/errors.ts';
import { MAX_QUESTIONS, type NewQuestion, newQuestion } from '../input.ts';
import { getQuestionSet } from '../question-sets.ts';
import { type ResolveReference, resolveReferences } from '../references.ts';
import { saveQuestions, toRows } from './write-questions.ts';

/** Maximum length of an imported text in characters. */
const MAX_CHARACTERS = 10_000_000;
/** Maximum number of documents that an answer names because they were not found. */
const MAX_LISTED = 20;

const text = z.string().min(1).max(MAX_CHARACTERS);
export const questionImport = z.discriminatedUnion('format', [
  z.object({
    format: z.literal('csv'),
    content: text.describe('CSV with a header row. The column `question` is required.'),
  }),
  z.object({ format: z.literal('jsonl'), content: text.describe('One question as JSON on each line.') }),
  z.object({
    format: z.literal('beir'),
    content: text.describe('The file `queries.jsonl`.'),
    qrels: text.describe('A file with judgements, such as `qrels/test.tsv`.'),
    corpus: z
      .string()
      .max(2 * MAX_CHARACTERS)
      .nullish()
      .describe('The file `corpus.jsonl`. Its titles find documents whose ids are not known.'),
  }),
]);
export type QuestionImport = z.infer<typeof questionImport>;

export interface ImportResult {
  added: number;
  replaced: number;
  /** Number of questions that were left out, because they have no judgement or none of their documents exists. */
  skipped: number;
  /** Number of references to documents that were not found, and the first problems. */
  unresolved: number;
  problems: string[];
}

/**
 * Imports questions, either all or none. Every document that CSV and JSON Lines name must exist. Benchmarks may refer
 * to documents that the project does not have. These are left out, and so are questions without any other document.
 */
export async function importQuestions(
  ctx: TenantContext,
  questionSetId: string,
  input: QuestionImport,
): Promise<ImportResult> {
  const set = await getQuestionSet(ctx, questionSetId);
  const { questions, titles, unjudged } = readImport(input);
  if (questions.length > MAX_QUESTIONS) {
    throw Invalid.field(['content'], `A question set can have at most ${MAX_QUESTIONS} questions`);
  }
  const items = questions.flatMap(listItems);
  const resolve = await resolveReferences(ctx, set.projectId, items, titles);
  const isPartial = input.format === 'beir';
  const problems = isPartial ? dropUnresolved(questions, resolve) : [];
  const kept = isPartial ? questions.filter(({ documents }) => documents.length > 0) : questions;
  const valid = kept.map((question) => validate(question, resolve));
  const skipped = unjudged + questions.length - kept.length;
  const result = { skipped, unresolved: problems.length, problems: problems.slice(0, MAX_LISTED) };
  if (valid.length === 0) return { added: 0, replaced: 0, ...result };
  const rows = await toRows(ctx, set.projectId, valid, () => ['content']);
  const { added, replaced } = await saveQuestions(ctx, set.id, rows);
  return { added, replaced, ...result };
}

function readImport(input: QuestionImport): {
  questions: ImportedQuestion[];
  titles: Map<string, string>;
  unjudged: number;
} {
  if (input.format === 'beir') {
    const texts: BeirTexts = { queries: input.content, qrels: input.qrels, corpus: input.corpus };
    return readBeir(texts);
  }
  const read = input.format === 'csv' ? readCsv : readJsonLines;
  return { questions: read(input.content), titles: new Map(), unjudged: 0 };
}

const hasReference = ({ document_id, file_name, external_file_id, benchmark_id }: ImportedItem): boolean =>
  [document_id, file_name, external_file_id, benchmark_id].some((each) => each !== undefined);

const listItems = ({ passages, pages, documents }: ImportedQuestion): ImportedItem[] =>
  [...passages, ...pages, ...documents].filter(hasReference);

/** Removes the documents of questions that do not exist. Returns a problem for each of them. */
function dropUnresolved(questions: ImportedQuestion[], resolve: ResolveReference): string[] {
  const problems: string[] = [];
  for (const question of questions) {
    question.documents = question.documents.filter((item) => {
      const found = resolve(item);
      if ('id' in found) return true;
      problems.push(found.problem);
      return false;
    });
  }
  return problems;
}

/** Looks up the documents of a question and validates its fields. Throws Invalid with the place in the file. */
function validate(question: ImportedQuestion, resolve: ResolveReference): NewQuestion {
  const { place } = question;
  const toInput = (item: ImportedItem): Record<string, unknown> => {
    const { document_id: _, file_name: __, external_file_id: ___, benchmark_id: ____, ...fields } = item;
    if (!hasReference(item)) return fields;
    const found = resolve(item);
    if ('problem' in found) throw createImportError('content', place, found.problem);
    return { ...fields, document_id: found.id };
  };
  const parsed = newQuestion.safeParse({
    origin: 'imported',
    ...question.fields,
    expected_passages: question.passages.map(toInput),
    expected_pages: question.pages.map(toInput),
    expected_documents: question.documents.map(toInput),
  });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue!.path.join('.');
  throw createImportError('content', place, `${field ? `field ${field}: ` : ''}${issue!.message}`);
}
