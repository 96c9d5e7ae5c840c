import { scorePage } from '#src/builtin/classification/score-page.ts';
import {
  type AppliedSplitConfiguration,
  applySplitDefaults,
  splitConfiguration,
  UNCATEGORIZED,
} from '#src/classification/splitting/configuration.ts';
import { type SplitPage, samplePage, scorePagesWithModel } from '#src/classification/splitting/model.ts';
import { buildSegments, isNumberedFirst, type PageEvidence } from '#src/classification/splitting/segments.ts';
import type { Context } from '#src/context/context.ts';
import type { SplitJob, SplitSegment } from '#src/db/schema/index.ts';
import { getPageFailure } from '#src/documents/page-store.ts';
import { countCredits } from '#src/extraction/credits.ts';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import type { HeldLease } from '#src/work/held-lease.ts';
import { createNoTextError } from '../extraction/extract-pages.ts';
import { getJobModel } from '../extraction/model.ts';
import { fetchInput } from '../fetch-input.ts';
import { openDocument } from '../open-document.ts';
import { countSelectedPages, iterateRanges, type ParsedDocument } from '../pages.ts';
import type { FinishedWork, JobPages } from '../run-job.ts';
import { buildUsageRow } from '../usage-row.ts';

export async function performSplit(
  ctx: Context,
  job: SplitJob,
  hold: HeldLease,
  quota: JobPages,
): Promise<FinishedWork> {
  quota.require();
  const configuration = applySplitDefaults(
    parseInput(splitConfiguration, job.configuration, ['configuration']),
  );
  const selection = configuration.target_pages ? { target_pages: configuration.target_pages } : {};
  const source = job.documentInputType === 'url' ? await fetchInput(ctx, 'split', job, hold) : job;
  const parameters = parseParameters.parse(selection);
  const { document, parseJobId, inserts } = await openDocument(ctx, 'split', source, parameters, hold);
  const count = countSelectedPages(document, selection);
  await quota.take(count);
  const { evidence, isPartial } = await readEvidence(ctx, job, { document, configuration, selection }, hold);
  const { allow_uncategorized, min_pages_per_split } = configuration.splitting_strategy;
  const segments = buildSegments(evidence, {
    uncategorized: allow_uncategorized,
    minPages: min_pages_per_split,
  });
  const result = {
    segments: segments.map(
      ({ category, confidence, pages }): SplitSegment => ({
        category: category === null ? UNCATEGORIZED : configuration.categories[category]!.name,
        confidence,
        pages,
      }),
    ),
  };
  return {
    columns: { parseJobId, fileId: source.fileId, result },
    result,
    partial: isPartial,
    rowsToInsert: [...inserts, await buildUsageRow('split', job, count, countCredits('split', count))],
  };
}

interface PagesToSplit {
  document: ParsedDocument;
  configuration: AppliedSplitConfiguration;
  selection: { target_pages?: string };
}

/**
 * Returns what is known of each page, from the language model if one is configured. Pages are read one range
 * at a time, so that a long document does not fill the memory.
 */
async function readEvidence(
  ctx: Context,
  { projectId }: SplitJob,
  { document, configuration, selection }: PagesToSplit,
  hold: HeldLease,
): Promise<{ evidence: PageEvidence[]; isPartial: boolean }> {
  const model = await getJobModel(ctx, projectId, 'classify');
  const rules = configuration.categories.map(({ name, description }) => ({
    type: name,
    description: description || name,
  }));
  const samples: SplitPage[] = [];
  const evidence: PageEvidence[] = [];
  let [hasText, isPartial, unread] = [false, false, 0];
  for await (const range of iterateRanges(ctx.bucket, document, selection)) {
    await hold.checkpoint(`reading from page ${(range[0]?.index ?? 0) + 1}`);
    for (const stored of range) {
      const page = stored.index + 1;
      if (stored.text.trim() !== '') hasText = true;
      if (stored.needsOcr) unread++;
      if (getPageFailure(stored) !== undefined) isPartial = true;
      if (model) samples.push({ page, text: samplePage(stored.text) });
      else {
        const probabilities = await scorePage(rules, stored);
        evidence.push({ page, probabilities, startsDocument: isNumberedFirst(stored) });
      }
    }
  }
  if (!hasText) throw createNoTextError(unread);
  if (!model) return { evidence, isPartial };
  const onWindow = (page: number) => hold.checkpoint(`splitting from page ${page}`);
  const answers = await scorePagesWithModel(model, configuration, samples, { signal: hold.signal, onWindow });
  return { evidence: answers, isPartial };
}
