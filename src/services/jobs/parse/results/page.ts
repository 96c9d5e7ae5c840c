import type { Context } from '#src/context/context.ts';
import type { Page } from '#src/documents/document.ts';
import { readPage, readSummary } from '#src/documents/page-store.ts';
import { NotFound } from '#src/lib/errors.ts';
import { parsingConfigHash } from '#src/parse/configuration-hash.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { wantedPages } from '#src/parse/wanted-pages.ts';
import { hasOwnLayout } from '#src/services/files/page-images.ts';
import { addLayout } from '#src/services/files/pages.ts';
import { getJobParseKey, type ParseResult } from './open.ts';

/** Range of 1-based page numbers. Both ends are included. */
export interface NumberRange {
  first: number;
  last: number;
}

/** Returns the pages that the parameters of a job select, as ascending ranges. No page is read. */
export function listResultRanges({ pageCount, parameters }: ParseResult): NumberRange[] {
  const ranges: NumberRange[] = [];
  for (const index of wantedPages(pageCount, resolveParsePlan(parameters).pages)) {
    const open = ranges.at(-1);
    if (open?.last === index) open.last = index + 1;
    else ranges.push({ first: index + 1, last: index + 1 });
  }
  return ranges;
}

/**
 * Returns one page of a parse result with its words. Throws NotFound if the job did not read the page.
 *
 * Formats without a page layout of their own get the positions that the picture of the page shows. The picture is
 * drawn from a parse with default parameters, so the page has no positions if the job used other parameters.
 */
export async function readResultPage(ctx: Context, { job }: ParseResult, pageNumber: number): Promise<Page> {
  const key = getJobParseKey(job);
  const [page, summary] = await Promise.all([
    readPage(ctx.bucket, key, pageNumber - 1),
    readSummary(ctx.bucket, key),
  ]);
  if (!page) throw new NotFound(`Page ${pageNumber} of parse job`, job.id);
  if (!summary || hasOwnLayout(summary.kind)) return page;
  if (key.configHash === (await parsingConfigHash(parseParameters.parse({})))) return addLayout(page);
  return { ...page, blocks: page.blocks.map(({ box: _, lines: __, ...block }) => block), words: [] };
}
