import { keys } from '#src/bucket/keys.ts';
import type { Context } from '#src/context/context.ts';
import type { ExtractJob } from '#src/db/schema/index.ts';
import { summarizeConfidences } from '#src/extraction/confidences.ts';
import { countCredits } from '#src/extraction/credits.ts';
import type { HeldLease } from '#src/work/held-lease.ts';
import { type OpenedDocument, openDocument } from '../open-document.ts';
import { openAddedParsing } from '../parameters.ts';
import { buildExamplePrompt } from '../reviews/examples.ts';
import type { FinishedWork, JobPages } from '../run-job.ts';
import { buildUsageRow } from '../usage-row.ts';
import { extractDocument } from './extract-document.ts';

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
  let opened: OpenedDocument | undefined;
  const extracted = await extractDocument(
    ctx,
    {
      projectId: job.projectId,
      configuration: job.configuration,
      parsing: await openAddedParsing(ctx, job),
      examples: await buildExamplePrompt(ctx, job),
      async open(parameters) {
        opened = await openDocument(ctx, 'extract', job, parameters, hold);
        return opened.document;
      },
    },
    hold,
    quota,
  );
  const { result, fieldMetadata, pages, model } = extracted;
  const { parse_tier, tier } = extracted.configuration;
  const { parseJobId, inserts } = opened!;
  const metadata = {
    ...(fieldMetadata && { field_metadata: fieldMetadata }),
    parse_job_id: parseJobId,
    // If the input is another parse job, this job's parse tier was not used and is omitted.
    ...(job.documentInputType !== 'parse_job_id' && { parse_tier }),
    model,
  };
  return {
    columns: {
      parseJobId,
      pagesExtracted: pages,
      ...summarizeConfidences(fieldMetadata),
      ...(await storeResult(ctx, job, result, metadata)),
    },
    result: { extract_result: result, extract_metadata: metadata },
    partial: extracted.partial,
    rowsToInsert: [
      ...inserts,
      await buildUsageRow('extract', job, pages, countCredits('extract', pages, tier)),
    ],
  };
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
