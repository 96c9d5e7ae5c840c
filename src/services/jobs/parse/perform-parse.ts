import type { Context } from '#src/context/context.ts';
import type { ParseJob } from '#src/db/schema/index.ts';
import { ParseError } from '#src/documents/errors.ts';
import { countCredits } from '#src/extraction/credits.ts';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { wantedPages } from '#src/parse/wanted-pages.ts';
import type { HeldLease } from '#src/work/held-lease.ts';
import { fetchInput } from '../fetch-input.ts';
import { hasUnreadPages, parseForJob } from '../pages.ts';
import { openJobParameters } from '../parameters.ts';
import type { FinishedWork, JobPages } from '../run-job.ts';
import { buildUsageRow } from '../usage-row.ts';
import { deliverResults } from './bucket-output.ts';
import { makeStructuredOutput } from './structured-output.ts';

export async function performParse(
  ctx: Context,
  job: ParseJob,
  hold: HeldLease,
  quota: JobPages,
): Promise<FinishedWork> {
  quota.require();
  const parameters = parseInput(parseParameters, await openJobParameters(ctx, job), ['configuration']);
  const source = await fetchInput(ctx, 'parse', job, hold);
  const document = await parseForJob(ctx, source.fileId!, parameters, hold);
  const { key, pageCount } = document;
  const pages = wantedPages(pageCount, resolveParsePlan(parameters).pages).size;
  if (pages === 0) {
    throw new ParseError('NO_DATA_FOUND_IN_FILE', `target_pages: the document has ${pageCount} pages.`);
  }
  await quota.take(pages);
  await makeStructuredOutput(ctx, job, document, parameters, hold);
  const { contentHash, configHash } = key;
  const read = { fileId: source.fileId, contentHash, configHash, pageCount };
  return {
    columns: { ...read, delivery: await deliverResults(ctx, source, read, hold) },
    result: { pages },
    partial: await hasUnreadPages(ctx.bucket, key, pageCount),
    rowsToInsert: [await buildUsageRow('parse', job, pages, countCredits('parse', pages))],
  };
}
