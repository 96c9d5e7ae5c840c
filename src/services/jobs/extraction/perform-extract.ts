import { keys } from '#src/bucket/keys.ts';
import type { Context } from '#src/context/context.ts';
import type { ExtractJob } from '#src/db/schema/index.ts';
import { extractConfiguration, withExtractDefaults } from '#src/extraction/configuration.ts';
import { creditsOf } from '#src/extraction/credits.ts';
import { buildResultWithPauses } from '#src/extraction/result.ts';
import { breathe } from '#src/lib/async/breathe.ts';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import { parsingOfTier } from '#src/parse/tier-parameters.ts';
import type { Hold } from '#src/work/hold.ts';
import { openDocument } from '../open-document.ts';
import { selectedCount } from '../pages.ts';
import { openParsing } from '../parameters.ts';
import type { Done, JobPages } from '../run-job.ts';
import { buildUsageRow } from '../usage-row.ts';
import { extractPages } from './extract-pages.ts';

/** Maximum characters of JSON that a row holds. Larger results are stored in the bucket. */
const MAX_ROW_CHARACTERS = 100_000;

export async function performExtract(
  ctx: Context,
  job: ExtractJob,
  hold: Hold,
  quota: JobPages,
): Promise<Done> {
  quota.require();
  const configuration = withExtractDefaults(
    parseInput(extractConfiguration, job.configuration, ['configuration']),
  );
  const { target_pages, max_pages, parse_tier, tier } = configuration;
  const parameters = parseInput(
    parseParameters,
    {
      ...parsingOfTier(parse_tier),
      ...given(await openParsing(ctx, job)),
      ...given({ target_pages, max_pages }),
    },
    ['configuration'],
  );
  const { document, parseJobId, along } = await openDocument(ctx, 'extract', job, parameters, hold);
  await quota.take(selectedCount(document, { target_pages, max_pages }));
  const { extractions, pages, partial, model } = await extractPages(
    ctx,
    job.projectId,
    document,
    configuration,
    hold,
  );
  const options = {
    schema: configuration.data_schema,
    target: configuration.extraction_target,
    citeSources: configuration.cite_sources,
    confidenceScores: configuration.confidence_scores,
  };
  const built = await buildResultWithPauses(extractions, options, () => breathe(() => hold.checkpoint()));
  const { extract_result: result, field_metadata } = built;
  const metadata = {
    ...(field_metadata && { field_metadata }),
    parse_job_id: parseJobId,
    // The parse of another job was done before a tier was chosen.
    ...(job.documentInputType !== 'parse_job_id' && { parse_tier }),
    model,
  };
  return {
    columns: { parseJobId, pagesExtracted: pages, ...(await keep(ctx, job, result, metadata)) },
    result: { extract_result: result, extract_metadata: metadata },
    partial,
    along: [...along, await buildUsageRow('extract', job, pages, creditsOf('extract', pages, tier))],
  };
}

/** Keeps only members that are set, because an absent selection must not cause another parse of the file. */
export function given(selection: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(selection).filter(([, value]) => value !== null && value !== undefined),
  );
}

async function keep(ctx: Context, job: ExtractJob, result: unknown, metadata: Record<string, unknown>) {
  const text = JSON.stringify({ result, metadata });
  if (text.length <= MAX_ROW_CHARACTERS) return { result, resultMetadata: metadata };
  await ctx.bucket.put(keys.jobResult(job.projectId, job.id), text);
  return { result: null, resultMetadata: null };
}

/**
 * Returns the result and metadata of a job, from its row or from the bucket. Undefined if the job has not
 * completed.
 */
export async function resultOf(
  ctx: Context,
  job: ExtractJob,
): Promise<{ result: unknown; metadata: Record<string, unknown> } | undefined> {
  if (job.status !== 'COMPLETED') return undefined;
  if (job.resultMetadata) return { result: job.result, metadata: job.resultMetadata };
  const object = await ctx.bucket.get(keys.jobResult(job.projectId, job.id));
  return object?.json();
}
