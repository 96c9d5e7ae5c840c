import { classifyBuiltin } from '#src/builtin/classification/classifier.ts';
import type { Context } from '#src/context.ts';
import type { ClassifyJob } from '#src/db/schema/index.ts';
import { classifyConfiguration, withClassifyDefaults } from '#src/jobs/classify/configuration.ts';
import { type ClassifyDocument, LAYOUT_PAGES } from '#src/jobs/classify/document.ts';
import { classifyWithModel } from '#src/jobs/classify/model.ts';
import { creditsOf } from '#src/jobs/credits.ts';
import { parsingOfLanguage } from '#src/jobs/parsing.ts';
import { parseInput } from '#src/lib/zod-issues.ts';
import type { StoredPage } from '#src/parsing/page-store.ts';
import { parseParameters } from '#src/parsing/parameters.ts';
import type { Hold } from '#src/work/hold.ts';
import { usageOf } from './along.ts';
import { nothingToRead } from './extract-pages.ts';
import { fetchInput } from './fetch-input.ts';
import { modelOfJob } from './model.ts';
import { openDocument } from './open-document.ts';
import { plainRanges, selectedCount } from './pages.ts';
import { given } from './perform-extract.ts';
import type { Done, JobPages } from './run-job.ts';

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
  const unread = pages.filter((page) => page.needsOcr).length;
  if (!pages.some(({ text }) => text.trim() !== '')) throw nothingToRead(unread);
  await hold.checkpoint('classifying');
  const model = await modelOfJob(ctx, job.projectId, 'classify');
  const subject = { pages, name: document.name, title: document.title };
  const result = model
    ? await classifyWithModel(model, rules, subject, hold.signal)
    : await classifyBuiltin(rules, subject);
  return {
    columns: { parseJobId, fileId: source.fileId, result },
    result,
    partial: unread > 0,
    along: [...along, await usageOf('classify', job, pages.length, creditsOf('classify', pages.length))],
  };
}

type SeenPage = ClassifyDocument['pages'][number] & Pick<StoredPage, 'needsOcr'>;

/** Of a long document only the text is held in memory: its layout is judged by the first pages. */
function seen({ index, width, height, text, blocks, needsOcr }: StoredPage, position: number): SeenPage {
  const page = { index, width, height, text, blocks: position < LAYOUT_PAGES ? blocks : [] };
  return needsOcr ? { ...page, needsOcr } : page;
}
