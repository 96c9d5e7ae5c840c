import { classifyBuiltin } from '#src/builtin/classification/classifier.ts';
import { applyClassifyDefaults, classifyConfiguration } from '#src/classification/configuration.ts';
import { type ClassifyDocument, LAYOUT_PAGES } from '#src/classification/document.ts';
import { classifyWithModel } from '#src/classification/model.ts';
import type { Context } from '#src/context/context.ts';
import type { ClassifyJob } from '#src/db/schema/index.ts';
import { getPageFailure, type StoredPage } from '#src/documents/page-store.ts';
import { countCredits } from '#src/extraction/credits.ts';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import { getLanguageParameters } from '#src/parse/tier-parameters.ts';
import type { HeldLease } from '#src/work/held-lease.ts';
import { createNoTextError } from '../extraction/extract-pages.ts';
import { getJobModel } from '../extraction/model.ts';
import { omitUnset } from '../extraction/perform-extract.ts';
import { fetchInput } from '../fetch-input.ts';
import { openDocument } from '../open-document.ts';
import { countSelectedPages, iterateRanges } from '../pages.ts';
import type { FinishedWork, JobPages } from '../run-job.ts';
import { buildUsageRow } from '../usage-row.ts';

export async function performClassify(
  ctx: Context,
  job: ClassifyJob,
  hold: HeldLease,
  quota: JobPages,
): Promise<FinishedWork> {
  quota.require();
  const { rules, parsing_configuration: parsing } = applyClassifyDefaults(
    parseInput(classifyConfiguration, job.configuration, ['configuration']),
  );
  const { lang, target_pages, max_pages } = parsing;
  const selection = omitUnset({ target_pages, max_pages });
  const parameters = parseParameters.parse({ ...getLanguageParameters(lang), ...selection });
  const source = job.documentInputType === 'url' ? await fetchInput(ctx, 'classify', job, hold) : job;
  const {
    document,
    parseJobId,
    inserts: parseRecords,
  } = await openDocument(ctx, 'classify', source, parameters, hold);
  await quota.take(countSelectedPages(document, selection));
  const pages: ReducedPage[] = [];
  for await (const range of iterateRanges(ctx.bucket, document, selection)) {
    pages.push(...range.map((page, index) => reducePage(page, pages.length + index)));
  }
  if (!pages.some(({ text }) => text.trim() !== '')) {
    throw createNoTextError(pages.filter((page) => page.needsOcr).length);
  }
  await hold.checkpoint('classifying');
  const model = await getJobModel(ctx, job.projectId, 'classify');
  const subject = { pages, name: document.name, title: document.title };
  const result = model
    ? await classifyWithModel(model, rules, subject, hold.signal)
    : await classifyBuiltin(rules, subject);
  return {
    columns: { parseJobId, fileId: source.fileId, result },
    result,
    partial: pages.some((page) => getPageFailure(page) !== undefined),
    rowsToInsert: [
      ...parseRecords,
      await buildUsageRow('classify', job, pages.length, countCredits('classify', pages.length)),
    ],
  };
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
