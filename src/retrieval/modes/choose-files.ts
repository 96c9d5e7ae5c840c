import { generateText, type LanguageModel, Output } from 'ai';
import { z } from 'zod';
import type { Filters } from '#src/ports/index-types.ts';
import { getModelName } from '#src/ports/language-model.ts';
import { modelOrBuiltin } from '#src/ports/model-or-builtin.ts';
import { type CatalogEntry, findModel, type Report, type RetrievalPorts } from '#src/retrieval/ports.ts';
import { matches } from '#src/search/filters.ts';
import { chooseByWords, describeEntry, type ScoredEntry } from './lexical-choice.ts';

/**
 * Maximum number of files that a model can choose from. The best matches by words come first, then other
 * files.
 */
const MAX_LISTED_FILES = 100;
const TIMEOUT_MS = 20_000;
const BUILTIN = 'builtin/lexical-file-choice-1';

export interface FileChoice {
  filters: Filters | undefined;
  most: number;
  /** What the prompt tells the model to choose: files or collections. */
  kind?: 'files' | 'collections';
}

/** Returns the files whose names and metadata match the query, best first, with scores from 0 to 1. */
export async function chooseFiles(
  query: string,
  { filters, most, kind = 'files' }: FileChoice,
  ports: Pick<RetrievalPorts, 'catalog' | 'language' | 'hiddenKeys'>,
  { notes }: Pick<Report, 'notes'>,
): Promise<ScoredEntry[]> {
  const { likely, others } = await chooseByWords(
    query,
    filterEntries(ports.catalog(), filters),
    MAX_LISTED_FILES,
  );
  const model = await findModel('routing', ports, { notes });
  const listed = [...likely, ...others].slice(0, MAX_LISTED_FILES);
  return modelOrBuiltin(
    'file_choice',
    notes,
    model && {
      name: getModelName(model),
      run: () => askModel(query, listed, { most, kind }, model, ports.hiddenKeys),
    },
    { name: BUILTIN, run: () => likely.slice(0, most) },
  );
}

async function* filterEntries(
  batches: AsyncIterable<CatalogEntry[]>,
  filters: Filters | undefined,
): AsyncIterable<CatalogEntry[]> {
  for await (const batch of batches) {
    yield filters ? batch.filter(({ metadata }) => matches(metadata, filters)) : batch;
  }
}

const answer = z.object({ files: z.array(z.number().int()) });

async function askModel(
  query: string,
  listed: ScoredEntry[],
  { most, kind }: { most: number; kind: string },
  model: LanguageModel,
  hiddenKeys: readonly string[],
): Promise<ScoredEntry[]> {
  if (listed.length === 0) return [];
  const catalog = listed
    .map((entry, index) => `${index + 1}. ${describeEntry(entry, hiddenKeys)}`)
    .join('\n');
  const { output } = await generateText({
    model,
    temperature: 0,
    maxRetries: 0,
    abortSignal: AbortSignal.timeout(TIMEOUT_MS),
    output: Output.object({ schema: answer }),
    system:
      `You choose the ${kind} that a query is about, by their names and descriptions. Answer with JSON ` +
      `{"files": [numbers]}: at most ${most} numbers of the list, best first, none when nothing fits.`,
    prompt: `List:\n${catalog}\n\nQuery: ${query}`,
  });
  const numbers = [...new Set(output.files)].filter((number) => listed[number - 1]).slice(0, most);
  // The model returns an order without scores. The score is therefore 1 for the first file, 1/2 for the
  // second, and so on.
  return numbers.map((number, rank) => ({ ...listed[number - 1]!, score: 1 / (rank + 1) }));
}
