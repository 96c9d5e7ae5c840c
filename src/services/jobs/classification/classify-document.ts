import { classifyBuiltin } from '#src/builtin/classification/classifier.ts';
import { applyClassifyDefaults, classifyConfiguration } from '#src/classification/configuration.ts';
import { type ClassifyDocument, LAYOUT_PAGES } from '#src/classification/document.ts';
import { classifyWithModel } from '#src/classification/model.ts';
import type { Context } from '#src/context/context.ts';
import type { ClassifyJob } from '#src/db/schema/index.ts';
import { getPageFailure, type StoredPage } from '#src/documents/page-store.ts';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import { type ParseParameters, parseParameters } from '#src/parse/parameters/parameters.ts';
import { getLanguageParameters } from '#src/parse/tier-parameters.ts';
import type { HeldLease } from '#src/work/held-lease.ts';
import { omitUnset } from '../extraction/extract-document.ts';
import { createNoTextError } from '../extraction/extract-pages.ts';
import { getJobModel } from '../extraction/model.ts';
import { countSelectedPages, iterateRanges, type ParsedDocument } from '../pages.ts';
import type { JobPages } from '../run-job.ts';

/** Rules of a classification, and the document that is classified. */
export interface ClassificationInput {
  projectId: string;
  /** Configuration as it was stored when the job or run was created. */
  configuration: Record<string, unknown>;
  /** Returns the parsed document. Parses the file if necessary. */
  open(parameters: ParseParameters): Promise<ParsedDocument>;
}

export interface ClassifiedDocument {
  result: NonNullable<ClassifyJob['result']>;
  /** Number of processed pages. */
  pages: number;
  /** True if some pages could not be read. */
  partial: boolean;
}

/** Classifies a document, and takes its pages from the quota. Stores nothing but the parsed pages. */
export async function classifyDocument(
  ctx: Context,
  { projectId, configuration, open }: ClassificationInput,
  hold: HeldLease,
  quota: JobPages,
): Promise<ClassifiedDocument> {
  quota.require();
  const { rules, parsing_configuration: parsing } = applyClassifyDefaults(
    parseInput(classifyConfiguration, configuration, ['configuration']),
  );
  const { lang, target_pages, max_pages } = parsing;
  const selection = omitUnset({ target_pages, max_pages });
  const parameters = parseParameters.parse({ ...getLanguageParameters(lang), ...selection });
  const document = await open(parameters);
  await quota.take(countSelectedPages(document, selection));
  const pages: ReducedPage[] = [];
  for await (const range of iterateRanges(ctx.bucket, document, selection)) {
    pages.push(...range.map((page, index) => reducePage(page, pages.length + index)));
  }
  if (!pages.some(({ text }) => text.trim() !== '')) {
    throw createNoTextError(pages.filter((page) => page.needsOcr).length);
  }
  await hold.checkpoint('classifying');
  const model = await getJobModel(ctx, projectId, 'classify');
  const subject = { pages, name: document.name, title: document.title };
  const result = model
    ? await classifyWithModel(model, rules, subject, hold.signal)
    : await classifyBuiltin(rules, subject);
  const partial = pages.some((page) => getPageFailure(page) !== undefined);
  return { result, pages: pages.length, partial };
}

type ReducedPage = ClassifyDocument['pages'][number] & Pick<StoredPage, 'error' | 'needsOcr'>;

/**
 * Removes the layout of a page, except for the first pages. Keeping only the text of a long document saves
 * memory.
 */
function reducePage(
  { index, width, height, text, blocks, needsOcr, error }: StoredPage,
  position: number,
): ReducedPage {
  const page = { index, width, height, text, blocks: position < LAYOUT_PAGES ? blocks : [] };
  return { ...page, ...(needsOcr && { needsOcr }), ...(error !== undefined && { error }) };
}
