import type { Context } from '#src/context/context.ts';
import { applyExtractDefaults, storedExtractConfiguration } from '#src/extraction/configuration.ts';
import { buildResultWithPauses, type ExtractResult } from '#src/extraction/result.ts';
import { yieldToEventLoop } from '#src/lib/async/yield-to-event-loop.ts';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import { type ParseParameters, parseParameters } from '#src/parse/parameters/parameters.ts';
import { getTierParameters } from '#src/parse/tier-parameters.ts';
import type { HeldLease } from '#src/work/held-lease.ts';
import { countSelectedPages, type ParsedDocument } from '../pages.ts';
import type { JobPages } from '../run-job.ts';
import { extractPages } from './extract-pages.ts';

/** What is extracted, and from which document. */
export interface ExtractionInput {
  projectId: string;
  /** Configuration as it was stored when the job or run was created. */
  configuration: Record<string, unknown>;
  /** Parse parameters of a saved configuration, with decrypted secrets. */
  parsing: Record<string, unknown>;
  examples?: string | undefined;
  /** Returns the parsed document. Parses the file if necessary. */
  open(parameters: ParseParameters): Promise<ParsedDocument>;
}

export interface ExtractedDocument {
  configuration: ReturnType<typeof applyExtractDefaults>;
  result: ExtractResult['extract_result'];
  fieldMetadata: ExtractResult['field_metadata'];
  /** Number of processed pages. */
  pages: number;
  /** True if some pages could not be read. */
  partial: boolean;
  /** Name of the language model, or `builtin` for the built-in extractor. */
  model: string;
}

/** Extracts data from a document, and takes its pages from the quota. Stores nothing but the parsed pages. */
export async function extractDocument(
  ctx: Context,
  input: ExtractionInput,
  hold: HeldLease,
  quota: JobPages,
): Promise<ExtractedDocument> {
  quota.require();
  const configuration = applyExtractDefaults(
    parseInput(storedExtractConfiguration, input.configuration, ['configuration']),
  );
  const { target_pages, max_pages, parse_tier } = configuration;
  const parameters = parseInput(
    parseParameters,
    {
      ...getTierParameters(parse_tier),
      ...omitUnset(input.parsing),
      ...omitUnset({ target_pages, max_pages }),
    },
    ['configuration'],
  );
  const document = await input.open(parameters);
  await quota.take(countSelectedPages(document, { target_pages, max_pages }));
  const { extractions, ...extracted } = await extractPages(
    ctx,
    input.projectId,
    document,
    { ...configuration, examples: input.examples },
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
  return { configuration, result: built.extract_result, fieldMetadata: built.field_metadata, ...extracted };
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
