import { keys } from '#src/bucket/keys.ts';
import type { Context } from '#src/context/context.ts';
import type { ParseJob } from '#src/db/schema/index.ts';
import { ParseError } from '#src/documents/errors.ts';
import { withExtractDefaults } from '#src/extraction/configuration.ts';
import { buildResultWithPauses } from '#src/extraction/result.ts';
import { INFERRED_SCHEMA, NAMED_SCHEMAS, type NamedSchema } from '#src/json-schema/named-schemas/index.ts';
import type { JsonSchema } from '#src/json-schema/schema.ts';
import { breathe } from '#src/lib/async/breathe.ts';
import { DomainError, Invalid, messageOf } from '#src/lib/errors.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import type { Hold } from '#src/work/hold.ts';
import { extractPages } from '../extraction/extract-pages.ts';
import { PAGES_TO_GENERATE_FROM, writeSchema } from '../extraction/generate-schema.ts';
import { type PageSelection, type ParsedDocument, pageWindows } from '../pages.ts';
import type { ParseResult } from './results/open.ts';

/** Extraction result of a parse job. */
export interface StructuredOutput {
  /** Extracted object, or null if nothing could be extracted. */
  value: Record<string, unknown> | null;
  /**
   * Citations and confidence of each value, in the same structure as the value and in the format of extract
   * jobs.
   */
  field_metadata: object | null;
  /** Schema that was used; null if none could be generated from the document. */
  data_schema: JsonSchema | null;
  /** `builtin`, or the name of the language model. */
  model: string | null;
  error: string | null;
}

const NOTHING: StructuredOutput = {
  value: null,
  field_metadata: null,
  data_schema: null,
  model: null,
  error: null,
};

/**
 * Time limit of the extraction in milliseconds. Parsing and extraction together may exceed the limit of an
 * attempt; the next attempt then finds the parse in the cache.
 */
const MOST_MS = 6 * 60_000;

/**
 * Extracts what the parameters request, and stores the result or the reason of its absence. The parse
 * succeeds in either case.
 */
export async function makeStructuredOutput(
  ctx: Context,
  job: ParseJob,
  document: ParsedDocument,
  parameters: ParseParameters,
  hold: Hold,
): Promise<void> {
  const asked = askedSchema(parameters);
  if (!asked) return;
  const made = { ...NOTHING };
  const limited = withLimit(hold);
  try {
    const selection = { target_pages: parameters.target_pages, max_pages: parameters.max_pages || null };
    made.data_schema =
      asked === 'inferred' ? await inferSchema(ctx, job.projectId, document, selection) : asked;
    Object.assign(made, await extract(ctx, job, document, made.data_schema, selection, limited));
  } catch (error) {
    if (hold.signal.aborted) throw error;
    made.error = limited.signal.aborted ? TOOK_TOO_LONG : reasonOf(error);
    ctx.log.warn('structured output failed', { jobId: job.id, error: messageOf(error) });
  }
  await ctx.bucket.put(keys.jobResult(job.projectId, job.id), JSON.stringify(made));
}

const TOOK_TOO_LONG = `TIMEOUT: The extraction takes longer than ${MOST_MS / 60_000} minutes.`;

/** The text of an unexpected error is not shown to clients. */
const reasonOf = (error: unknown) =>
  error instanceof DomainError ? error.message : 'engine_error: Something went wrong on our side.';

function withLimit(hold: Hold): Hold {
  const signal = AbortSignal.any([hold.signal, AbortSignal.timeout(MOST_MS)]);
  return {
    consumer: hold.consumer,
    signal,
    async checkpoint(step) {
      await hold.checkpoint(step);
      signal.throwIfAborted();
    },
    end() {},
  };
}

async function extract(
  ctx: Context,
  { projectId }: ParseJob,
  document: ParsedDocument,
  schema: JsonSchema,
  selection: PageSelection,
  hold: Hold,
): Promise<Pick<StructuredOutput, 'value' | 'field_metadata' | 'model'>> {
  const configuration = withExtractDefaults({ data_schema: schema });
  const asked = { ...configuration, ...selection };
  const { extractions, model } = await extractPages(ctx, projectId, document, asked, hold);
  const { data_schema, extraction_target: target } = configuration;
  const options = { schema: data_schema, target, citeSources: true, confidenceScores: true };
  const built = await buildResultWithPauses(extractions, options, () => breathe(() => hold.checkpoint()));
  return {
    value: built.extract_result as Record<string, unknown>,
    field_metadata: built.field_metadata?.document_metadata ?? {},
    model,
  };
}

/** Generates a schema from the first pages. */
async function inferSchema(
  ctx: Context,
  projectId: string,
  document: ParsedDocument,
  selection: PageSelection,
): Promise<JsonSchema> {
  const windows = pageWindows(ctx.bucket, document, selection, PAGES_TO_GENERATE_FROM);
  const { value: pages } = await windows.next();
  try {
    const input = { pages: pages ?? [], title: document.title };
    return (await writeSchema(ctx, projectId, input)).parameters.data_schema;
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    const message = 'The pages have no labels and no tables that a schema could be made of.';
    throw new ParseError('NO_DATA_FOUND_IN_FILE', message, error);
  }
}

const NOT_MADE = 'It was not made: the document was parsed for other work, which this job records.';

/** Returns the stored extraction of a completed job; null if none was requested. */
export async function structuredOutputOf(
  ctx: Context,
  { job, parameters }: ParseResult,
): Promise<StructuredOutput | null> {
  if (!askedSchema(parameters)) return null;
  const kept = await ctx.bucket.get(keys.jobResult(job.projectId, job.id));
  return kept ? kept.json<StructuredOutput>() : { ...NOTHING, error: NOT_MADE };
}

/**
 * Returns the schema that the parameters request, or `inferred` for one generated from the document.
 * Undefined if no extraction is requested.
 */
function askedSchema(parameters: ParseParameters): JsonSchema | 'inferred' | undefined {
  const { structured_output: isWanted, structured_output_json_schema: schema } = parameters;
  const { structured_output_json_schema_name: name } = parameters;
  if (isWanted === false) return undefined;
  if (schema) return JSON.parse(schema) as JsonSchema;
  if (name && name !== INFERRED_SCHEMA) return NAMED_SCHEMAS[name as NamedSchema];
  return isWanted || name ? 'inferred' : undefined;
}
