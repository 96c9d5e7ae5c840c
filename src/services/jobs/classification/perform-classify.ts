import { classifyBuiltin } from '#src/builtin/classification/classifier.ts';
import { classifyConfiguration, withClassifyDefaults } from '#src/classification/configuration.ts';
import { type ClassifyDocument, LAYOUT_PAGES } from '#src/classification/document.ts';
import { classifyWithModel } from '#src/classification/model.ts';
import type { Context } from '#src/context/context.ts';
import type { ClassifyJob } from '#src/db/schema/index.ts';
import { pageFailure, type StoredPage } from '#src/documents/page-store.ts';
import { creditsOf } from '#src/extraction/credits.ts';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import { parsingOfLanguage } from '#src/parse/tier-parameters.ts';
import type { Hold } from '#src/work/hold.ts';
import { nothingToRead } from '../extraction/extract-pages.ts';
import { modelOfJob } from '../extraction/model.ts';
import { given } from '../extraction/perform-extract.ts';
import { fetchInput } from '../fetch-input.ts';
import { openDocument } from '../open-document.ts';
import { plainRanges, selectedCount } from '../pages.ts';
import type { Done, JobPages } from '../run-job.ts';
import { buildUsageRow } from '../usage-row.ts';

export async function performClassify(
  ctx: Context,
  job: ClassifyJob,
  hold: Hold,
  quota: JobPages,
): Promise<Done> {
  quota.require();
  const { rules, parsing_configuration: parsing } = withClassifyDefaults(
    parseInput(classifyConfiguration, job.configuration, ['configuration']),
  );
  const { lang, target_pages, max_pages } = parsing;
  const selection = given({ target_pages, max_pages });
  const parameters = parseParameters.parse({ ...parsingOfLanguage(lang), ...selection });
  const source = job.documentInputType === 'url' ? await fetchInput(ctx, 'classify', job, hold) : job;
  const { document, parseJobId, along } = await openDocument(ctx, 'classify', source, parameters, hold);
  await quota.take(selectedCount(document, selection));
  const pages: SeenPage[] = [];
  for await (const range of plainRanges(ctx.bucket, document, selection)) {
    pages.push(...range.map((page, index) => seen(page, pages.length + index)));
  }
  if (!pages.some(({ text }) => text.trim() !== '')) {
    throw nothingToRead(pages.filter((page) => page.needsOcr).length);
  }
  await hold.checkpoint('classifying');
  const model = await modelOfJob(ctx, job.projectId, 'classify');
  const subject = { pages, name: document.name, title: document.title };
  const result = model
    ? await classifyWithModel(model, rules, subject, hold.signal)
    : await classifyBuiltin(rules, subject);
  return {
    columns: { parseJobId, fileId: source.fileId, result },
    result,
    partial: pages.some((page) => pageFailure(page) !== undefined),
    along: [
      ...along,
      await buildUsageRow('classify', job, pages.length, creditsOf('classify', pages.length)),
    ],
  };
}

type SeenPage = ClassifyDocument['pages'][number] & Pick<StoredPage, 'error' | 'needsOcr'>;

/** Keeps only the text of a long document in memory. The layout of its first pages is enough. */
function seen(
  { index, width, height, text, blocks, needsOcr, error }: StoredPage,
  position: number,
): SeenPage {
  const page = { index, width, height, text, blocks: position < LAYOUT_PAGES ? blocks : [] };
  return { ...page, ...(needsOcr && { needsOcr }), ...(error !== undefined && { error }) };
}
