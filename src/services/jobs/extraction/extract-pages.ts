import { extractBuiltin } from '#src/builtin/extraction/extractor.ts';
import type { Context } from '#src/context/context.ts';
import { ParseError } from '#src/documents/errors.ts';
import { getPageFailure } from '#src/documents/page-store.ts';
import { checkEvidence } from '#src/extraction/check-evidence.ts';
import type { applyExtractDefaults } from '#src/extraction/configuration.ts';
import type { Extraction } from '#src/extraction/evidence.ts';
import { appendPieces, mergePieces } from '#src/extraction/merge.ts';
import { extractWithModel } from '#src/extraction/model/extract.ts';
import { yieldToEventLoop } from '#src/lib/async/yield-to-event-loop.ts';
import { getModelName } from '#src/ports/language-model.ts';
import type { HeldLease } from '#src/work/held-lease.ts';
import { iteratePageWindows, type ParsedDocument } from '../pages.ts';
import { getJobModel } from './model.ts';

export interface ExtractedPages {
  /**
   * Extracted objects, with verified evidence for their values. With the target `per_doc` there is exactly
   * one object.
   */
  extractions: Extraction[];
  /** Number of processed pages, including those that could not be read. */
  pages: number;
  /** True if some pages could not be read. */
  partial: boolean;
  /** Name of the language model, or `builtin` for the built-in extractor. */
  model: string;
}

export async function extractPages(
  ctx: Context,
  projectId: string,
  document: ParsedDocument,
  configuration: ReturnType<typeof applyExtractDefaults> & { examples?: string | undefined },
  hold: HeldLease,
): Promise<ExtractedPages> {
  const {
    data_schema: schema,
    extraction_target: target,
    system_prompt: systemPrompt,
    examples,
  } = configuration;
  const model = await getJobModel(ctx, projectId, 'extract');
  const found: Extraction[] = [];
  const totals = { pages: 0, unread: 0, needOcr: 0, text: false };
  for await (const pages of iteratePageWindows(ctx.bucket, document, configuration)) {
    const hasText = pages.some(({ text }) => text.trim() !== '');
    totals.pages += pages.length;
    totals.unread += pages.filter((page) => getPageFailure(page) !== undefined).length;
    totals.needOcr += pages.filter((page) => page.needsOcr).length;
    totals.text ||= hasText;
    if (!hasText && target !== 'per_page') continue;
    await hold.checkpoint(`extracting from page ${pages[0]!.index + 1}`);
    const extractions = model
      ? await extractWithModel({ model, pages, schema, target, systemPrompt, examples, hold })
      : await extractBuiltin(schema, pages, target, () => yieldToEventLoop(() => hold.checkpoint()));
    found.push(...extractions.map((each) => checkEvidence(pages, each)));
  }
  if (!totals.text) throw createNoTextError(totals.needOcr);
  // Results from a model are merged, because a model may return the same item for several parts of a
  // document. The built-in extractor reads each part once.
  const join = model ? mergePieces : appendPieces;
  return {
    extractions: target === 'per_doc' && found.length > 1 ? [join(found)] : found,
    pages: totals.pages,
    partial: totals.unread > 0,
    model: model ? getModelName(model) : 'builtin',
  };
}

/**
 * Returns the error for a document without text. `needOcr` is the number of pages whose text only OCR could
 * read.
 */
export function createNoTextError(needOcr: number): ParseError {
  return needOcr > 0
    ? new ParseError('NEEDS_OCR', 'The pages have no text layer and no OCR has read them.')
    : new ParseError('NO_DATA_FOUND_IN_FILE', 'The pages have no text.');
}
