import type { Context } from '../../context.ts';
import { keys } from '../../files/keys.ts';
import type { Page } from '../../ingest/parsing/document.ts';
import { ParseError } from '../../ingest/parsing/errors.ts';
import { parseParameters } from '../../ingest/parsing/parameters.ts';
import { creditsOf } from '../../jobs/credits.ts';
import { extractBuiltin } from '../../jobs/extract/builtin/extractor.ts';
import { extractConfiguration, withExtractDefaults } from '../../jobs/extract/configuration.ts';
import { extractWithModel } from '../../jobs/extract/model/extract.ts';
import { buildResult } from '../../jobs/extract/result.ts';
import { languageModel, nameOf } from '../../models/language-models.ts';
import { usageOf } from './along.ts';
import { openSavedParsing } from './configuration.ts';
import type { Hold } from './hold.ts';
import type { ExtractJob } from './kinds.ts';
import { openDocument } from './open-document.ts';
import { readPages } from './pages.ts';
import type { Done } from './run-job.ts';

/** Larger results go to the bucket. Characters of JSON. */
const MAX_ROW_CHARACTERS = 100_000;

export async function performExtract(ctx: Context, job: ExtractJob, hold: Hold): Promise<Done> {
  const configuration = withExtractDefaults(extractConfiguration.parse(job.configuration));
  const selection = {
    target_pages: configuration.target_pages,
    max_pages: configuration.max_pages,
  };
  const saved = await openSavedParsing(ctx, job.projectId, configuration.parse_config_id);
  const parameters = parseParameters.parse({ ...saved, ...given(selection) });
  const { document, parseJobId, along } = await openDocument(ctx, 'extract', job, parameters, hold);
  const pages = await readPages(ctx.bucket, document, selection);
  requireText(pages);
  await hold.checkpoint('extracting');
  const model = languageModel(ctx.settings);
  const { data_schema: schema, extraction_target: target } = configuration;
  const extractions = model
    ? await extractWithModel({
        model,
        pages,
        schema,
        target,
        systemPrompt: configuration.system_prompt,
        hold,
      })
    : extractBuiltin(schema, pages, target);
  const { extract_result: result, field_metadata } = buildResult(extractions, {
    schema,
    pages,
    target,
    citeSources: configuration.cite_sources,
    confidenceScores: configuration.confidence_scores,
  });
  const metadata = {
    ...(field_metadata && { field_metadata }),
    parse_job_id: parseJobId,
    parse_tier: configuration.parse_tier,
    model: model ? nameOf(model) : 'builtin',
  };
  return {
    columns: {
      parseJobId,
      pagesExtracted: pages.length,
      ...(await keep(ctx, job, result, metadata)),
    },
    result: { extract_result: result, extract_metadata: metadata },
    partial: pages.some((page) => page.needsOcr),
    along: [
      ...along,
      await usageOf('extract', job, pages.length, creditsOf('extract', pages.length, configuration.tier)),
    ],
  };
}

/** Only what is set: an absent selection must not make another parse of the file. */
export function given(selection: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(selection).filter(([, value]) => value !== null && value !== undefined),
  );
}

function requireText(pages: Page[]): void {
  if (pages.some((page) => page.text.trim() !== '')) return;
  throw pages.some((page) => page.needsOcr)
    ? new ParseError('NEEDS_OCR', 'The pages have no text layer and no OCR is configured.')
    : new ParseError('NO_DATA_FOUND_IN_FILE', 'The pages have no text.');
}

async function keep(ctx: Context, job: ExtractJob, result: unknown, metadata: Record<string, unknown>) {
  const text = JSON.stringify({ result, metadata });
  if (text.length <= MAX_ROW_CHARACTERS) return { result, resultMetadata: metadata };
  await ctx.bucket.put(keys.jobResult(job.projectId, job.id), text);
  return { result: null, resultMetadata: null };
}

/** Result and metadata of a completed job, wherever they are. */
export async function resultOf(
  ctx: Context,
  job: ExtractJob,
): Promise<{ result: unknown; metadata: Record<string, unknown> } | undefined> {
  if (job.status !== 'COMPLETED') return undefined;
  if (job.resultMetadata) return { result: job.result, metadata: job.resultMetadata };
  const object = await ctx.bucket.get(keys.jobResult(job.projectId, job.id));
  return object?.json();
}
