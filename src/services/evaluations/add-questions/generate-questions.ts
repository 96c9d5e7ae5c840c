import type { LanguageModel } from 'ai';
import { z } from 'zod';
import type { TenantContext } from '#src/context/context.ts';
import { type GeneratedQuestion, generateFromChunk, type SourceChunk } from '#src/evaluation/generate.ts';
import { normalizeText } from '#src/evaluation/normalize-text.ts';
import { detectLanguage } from '#src/languages/detect.ts';
import { NotFound } from '#src/lib/errors.ts';
import { uuid } from '#src/lib/secrets/uuid.ts';
import { getModelName } from '#src/ports/language-model.ts';
import { readFirstEntries } from '#src/retrieval/catalog.ts';
import { getTarget, openTarget } from '#src/retrieval/retrieval.ts';
import { getLanguageModel } from '#src/services/models/language.ts';
import { findDocuments } from '../documents.ts';
import { type NewQuestion, newQuestion } from '../input.ts';
import { getQuestionSet } from '../question-sets.ts';
import { addQuestions, type ShownQuestion } from '../questions.ts';
import { MAX_MODEL_QUESTIONS, MIN_PASSAGE_CHARACTERS, writeQuestions } from './model-questions.ts';

/** Maximum number of documents, and of chunks per document, that are read. */
const MAX_DOCUMENTS = 50;
const MAX_CHUNKS = 100;
const DEFAULT_COUNT = 20;
/** Number of characters of each chunk by which the language of a document is detected. */
const SAMPLE_CHARACTERS = 500;

export const generation = z.object({
  pipeline_id: uuid().describe(
    'Pipeline whose indexed documents are read: the first 50, and 100 chunks of each.',
  ),
  count: z
    .number()
    .int()
    .min(1)
    .max(200)
    .nullish()
    .describe('Maximum number of questions. Default: 20. A language model writes at most 50.'),
  use_language_model: z
    .boolean()
    .nullish()
    .describe(
      'Whether the chat model of the project writes the questions, about passages that are chosen at random. Ignored ' +
        'if the project has no language model. Default: false.',
    ),
});

interface Generated {
  questions: ShownQuestion[];
  /** Name of the language model that wrote the questions. Null if none was used. */
  model: string | null;
}

/**
 * Generates questions from the indexed documents of a pipeline, and adds them to a set. Adds none if the documents are
 * not indexed yet, or if there are no headings, definitions or tables and no language model is used.
 */
export async function generateQuestions(
  ctx: TenantContext,
  questionSetId: string,
  { pipeline_id: pipelineId, count, use_language_model: useModel }: z.infer<typeof generation>,
  signal: AbortSignal,
): Promise<Generated> {
  const set = await getQuestionSet(ctx, questionSetId);
  const target = await getTarget(ctx, pipelineId);
  const { source, opened } = await openTarget(ctx, target);
  if (source.projectId !== set.projectId) throw new NotFound('Pipeline', pipelineId);
  const { index } = target;
  const model = useModel ? await getLanguageModel(ctx, set.projectId, 'chat') : undefined;
  const name = model ? getModelName(model) : null;
  if (!index || !opened) return { questions: [], model: name };
  const entries = await readFirstEntries(ctx, source, index, { limit: MAX_DOCUMENTS });
  const known = await findDocuments(
    ctx,
    set.projectId,
    entries.map(({ documentId }) => documentId),
  );
  const chunks: SourceChunk[][] = [];
  for (const { documentId } of entries) {
    if (!known.has(documentId)) continue;
    const own = await opened.sink.listChunks(documentId, { from: 0, limit: MAX_CHUNKS });
    chunks.push(own.filter((chunk) => !opened.isDisabled(chunk)));
  }
  const most = count ?? DEFAULT_COUNT;
  const chosen = model ? await askModel(model, chunks, most, signal) : applyRules(chunks, most);
  if (chosen.length === 0) return { questions: [], model: name };
  return { questions: await addQuestions(ctx, set.id, chosen), model: name };
}

function applyRules(chunks: readonly SourceChunk[][], count: number): NewQuestion[] {
  const asked = new Set<string>();
  const byDocument = chunks.map((own) => {
    const language = detectLanguage(own.map(({ text }) => text.slice(0, SAMPLE_CHARACTERS)).join('\n'));
    return own.flatMap((chunk) =>
      generateFromChunk(chunk, language)
        .filter(({ text }) => isNew(asked, text))
        .flatMap((question) => toQuestion(question, chunk.documentId)),
    );
  });
  return takeInTurn(byDocument, count);
}

async function askModel(
  model: LanguageModel,
  chunks: readonly SourceChunk[][],
  count: number,
  signal: AbortSignal,
): Promise<NewQuestion[]> {
  const long = chunks.map((own) => shuffle(own.filter(({ text }) => text.length >= MIN_PASSAGE_CHARACTERS)));
  const most = Math.min(count, MAX_MODEL_QUESTIONS);
  const asked = new Set<string>();
  const written = await writeQuestions(model, takeInTurn(long, most), most, signal);
  return written.filter(({ text }) => isNew(asked, text));
}

/** Returns the items in random order (Fisher-Yates). */
function shuffle<Item>(items: readonly Item[]): Item[] {
  const shuffled = [...items];
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const other = Math.floor(Math.random() * (last + 1));
    [shuffled[last], shuffled[other]] = [shuffled[other]!, shuffled[last]!];
  }
  return shuffled;
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

/** Takes items from all lists in turn, so that every document is asked for. */
function takeInTurn<Item>(lists: readonly Item[][], count: number): Item[] {
  const taken: Item[] = [];
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  for (let turn = 0; turn < longest && taken.length < count; turn += 1) {
    for (const list of lists) {
      const item = list[turn];
      if (item !== undefined && taken.length < count) taken.push(item);
    }
  }
  return taken;
}
