import { extractBuiltin } from '#src/builtin/extraction/extractor.ts';
import type { Page } from '#src/documents/document.ts';
import { checkEvidence } from '#src/extraction/check-evidence.ts';
import { buildResultWithPauses } from '#src/extraction/result.ts';
import type { JsonSchema } from '#src/json-schema/schema.ts';
import { yieldToEventLoop } from '#src/lib/async/yield-to-event-loop.ts';
import type { StoredChunk } from '#src/ports/index-types.ts';

/**
 * Maximum number of characters of found passages from which values are extracted. The time of the extraction grows
 * with the text and with the number of fields.
 */
const MAX_CHARACTERS = 60_000;

/**
 * Answers with a JSON object without a language model: extracts the values of a schema from the found passages,
 * best first, with the built-in extractor of extract jobs.
 */
export async function buildBuiltinObject(
  schema: Record<string, unknown>,
  chunks: readonly StoredChunk[],
  signal: AbortSignal,
): Promise<string> {
  const pages = toPages(chunks);
  const pause = () => yieldToEventLoop(async () => signal.throwIfAborted());
  const options = {
    schema: schema as JsonSchema,
    target: 'per_doc' as const,
    citeSources: false,
    confidenceScores: false,
  };
  const found = await extractBuiltin(options.schema, pages, options.target, pause);
  const checked = found.map((each) => checkEvidence(pages, each));
  const { extract_result: result } = await buildResultWithPauses(checked, options, pause);
  return JSON.stringify(result);
}

function toPages(chunks: readonly StoredChunk[]): Page[] {
  const pages: Page[] = [];
  let characters = 0;
  for (const { text } of chunks) {
    characters += text.length;
    if (characters > MAX_CHARACTERS && pages.length > 0) break;
    pages.push(toPage(text.slice(0, MAX_CHARACTERS), pages.length));
  }
  return pages.length > 0 ? pages : [toPage('', 0)];
}

/** Returns a passage as a page without coordinates. */
const toPage = (text: string, index: number): Page => ({
  index,
  label: String(index + 1),
  width: 612,
  height: 792,
  text,
  markdown: text,
  blocks: [],
  words: [],
  links: [],
  figures: [],
});
