import { extractBuiltin } from '#src/builtin/extraction/extractor.ts';
import type { Context } from '#src/context/context.ts';
import { ParseError } from '#src/documents/errors.ts';
import { pageFailure } from '#src/documents/page-store.ts';
import { checkEvidence } from '#src/extraction/check-evidence.ts';
import type { withExtractDefaults } from '#src/extraction/configuration.ts';
import type { Extraction } from '#src/extraction/evidence.ts';
import { appendPieces, mergePieces } from '#src/extraction/merge.ts';
import { extractWithModel } from '#src/extraction/model/extract.ts';
import { breathe } from '#src/lib/async/breathe.ts';
import { nameOf } from '#src/ports/language-model.ts';
import type { Hold } from '#src/work/hold.ts';
import { type ParsedDocument, pageWindows } from '../pages.ts';
import { modelOfJob } from './model.ts';

export interface Reading {
  /** Extracted objects; one for the target `per_doc`. Their evidence has been verified. */
  extractions: Extraction[];
  /** Number of processed pages, including those that could not be read. */
  pages: number;
  /** Whether some pages could not be read. */
  partial: boolean;
  /** `builtin`, or the name of the model. */
  model: string;
}

/** Extracts from the pages that the configuration selects, one window of pages at a time. */
export async function extractPages(
  ctx: Context,
  projectId: string,
  document: ParsedDocument,
  configuration: ReturnType<typeof withExtractDefaults>,
  hold: Hold,
): Promise<Reading> {
  const { data_schema: schema, extraction_target: target, system_prompt: systemPrompt } = configuration;
  const model = await modelOfJob(ctx, projectId, 'extract');
  const found: Extraction[] = [];
  const seen = { pages: 0, unread: 0, needOcr: 0, text: false };
  for await (const pages of pageWindows(ctx.bucket, document, configuration)) {
    const hasText = pages.some(({ text }) => text.trim() !== '');
    seen.pages += pages.length;
    seen.unread += pages.filter((page) => pageFailure(page) !== undefined).length;
    seen.needOcr += pages.filter((page) => page.needsOcr).length;
    seen.text ||= hasText;
    if (!hasText && target !== 'per_page') continue;
    await hold.checkpoint(`extracting from page ${pages[0]!.index + 1}`);
    const extractions = model
      ? await extractWithModel({ model, pages, schema, target, systemPrompt, hold })
      : await extractBuiltin(schema, pages, target, () => breathe(() => hold.checkpoint()));
    found.push(...extractions.map((each) => checkEvidence(pages, each)));
  }
  if (!seen.text) throw nothingToRead(seen.needOcr);
  // A model may return the same item twice, so pieces are merged. The built-in extractor reads each place
  // once.
  const join = model ? mergePieces : appendPieces;
  return {
    extractions: target === 'per_doc' && found.length > 1 ? [join(found)] : found,
    pages: seen.pages,
    partial: seen.unread > 0,
    model: model ? nameOf(model) : 'builtin',
  };
}

/** Returns the error of a document without text; `needOcr` is the number of its pages that only OCR could read. */
export function nothingToRead(needOcr: number): ParseError {
  return needOcr > 0
    ? new ParseError('NEEDS_OCR', 'The pages have no text layer and no OCR has read them.')
    : new ParseError('NO_DATA_FOUND_IN_FILE', 'The pages have no text.');
}
