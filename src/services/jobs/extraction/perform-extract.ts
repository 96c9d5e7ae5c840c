import { keys } from '#src/bucket/keys.ts';
import type { Context } from '#src/context/context.ts';
import type { ExtractJob } from '#src/db/schema/index.ts';
import { summarizeConfidences } from '#src/extraction/confidences.ts';
import { applyExtractDefaults, storedExtractConfiguration } from '#src/extraction/configuration.ts';
import { countCredits } from '#src/extraction/credits.ts';
import { buildResultWithPauses } from '#src/extraction/result.ts';
import { yieldToEventLoop } from '#src/lib/async/yield-to-event-loop.ts';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import { getTierParameters } from '#src/parse/tier-parameters.ts';
import type { HeldLease } from '#src/work/held-lease.ts';
import { openDocument } from '../open-document.ts';
import { countSelectedPages } from '../pages.ts';
import { openAddedParsing } from '../parameters.ts';
import { buildExamplePrompt } from '../reviews/examples.ts';
import type { FinishedWork, JobPages } from '../run-job.ts';
import { buildUsageRow } from '../usage-row.ts';
import { extractPages } from './extract-pages.ts';

/**
 * Maximum length in characters of a result as JSON that is stored in the job's row. Larger results are stored
 * in the bucket.
 */
const MAX_ROW_CHARACTERS = 100_000;

export async function performExtract(
  ctx: Context,
  job: ExtractJob,
  hold: HeldLease,
  quota: JobPages,
): Promise<FinishedWork> {
  quota.require();
  const configuration = applyExtractDefaults(
    parseInput(storedExtractConfiguration, job.configuration, ['configuration']),
  );
  const { target_pages, max_pages, parse_tier, tier } = configuration;
  const parameters = parseInput(
    parseParameters,
    {
      ...getTierParameters(parse_tier),
      ...omitUnset(await openAddedParsing(ctx, job)),
      ...omitUnset({ target_pages, max_pages }),
    },
    ['configuration'],
  );
  const {
    document,
    parseJobId,
    inserts: parseRecords,
  } = await openDocument(ctx, 'extract', job, parameters, hold);
  await quota.take(countSelectedPages(document, { target_pages, max_pages }));
  const { extractions, pages, partial, model } = await extractPages(
    ctx,
    job.projectId,
    document,
    { ...configuration, examples: await buildExamplePrompt(ctx, job) },
    hold,
  );
  const options = {
    schema: configuration.data_schema,
    target: configuration.extraction_target,
    citeSources: configuration.cite_sources,
    confidenceScores: configuration.confidence_scores,
  };
  const built = await buildResultWithPauses(extractions, options, () =>
    yieldToEventLoop(() => hold.checkpoint()),
  );
  const { extract_result: result, field_metadata } = built;
  const metadata = {
    ...(field_metadata && { field_metadata }),
    parse_job_id: parseJobId,
    // If the input is another parse job, this job's parse tier was not used and is omitted.
    ...(job.documentInputType !== 'parse_job_id' && { parse_tier }),
    model,
  };
  return {
    columns: {
      parseJobId,
      pagesExtracted: pages,
      ...summarizeConfidences(field_metadata),
      ...(await storeResult(ctx, job, result, metadata)),
    },
    result: { extract_result: result, extract_metadata: metadata },
    partial,
    rowsToInsert: [
      ...parseRecords,
      await buildUsageRow('extract', job, pages, countCredits('extract', pages, tier)),
    ],
  };
}

/**
 * Returns only the values of a page selection that are set. Unset values would change the parse parameters,
 * and the file would be parsed again.
 */
export function omitUnset(selection: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(selection).filter(([, value]) => value !== null && value !== undefined),
  );
}

async function storeResult(
  ctx: Context,
  job: ExtractJob,
  result: unknown,
  metadata: Record<string, unknown>,
) {
  const text = JSON.stringify({ result, metadata });
  if (text.length <= MAX_ROW_CHARACTERS) return { result, resultMetadata: metadata };
  await ctx.bucket.put(keys.jobResult(job.projectId, job.id), text);
  return { result: null, resultMetadata: null };
}
