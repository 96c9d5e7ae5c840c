import { keys } from '#src/bucket/keys.ts';
import type { Context } from '#src/context/context.ts';
import type { ParseJob } from '#src/db/schema/index.ts';
import { ParseError } from '#src/documents/errors.ts';
import { applyExtractDefaults } from '#src/extraction/configuration.ts';
import { buildResultWithPauses } from '#src/extraction/result.ts';
import { INFERRED_SCHEMA, NAMED_SCHEMAS, type NamedSchema } from '#src/json-schema/named-schemas/index.ts';
import type { JsonSchema } from '#src/json-schema/schema.ts';
import { yieldToEventLoop } from '#src/lib/async/yield-to-event-loop.ts';
import { DomainError, getErrorMessage, Invalid } from '#src/lib/errors.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import type { HeldLease } from '#src/work/held-lease.ts';
import { extractPages } from '../extraction/extract-pages.ts';
import { PAGES_TO_GENERATE_FROM, writeSchema } from '../extraction/generate-schema.ts';
import { iteratePageWindows, type PageSelection, type ParsedDocument } from '../pages.ts';
import type { ParseResult } from './results/open.ts';

/** Structured data that was extracted from the document of a parse job. */
export interface StructuredOutput {
  /** Extracted object. Null if nothing could be extracted. */
  value: Record<string, unknown> | null;
  /** Citations and confidence of each value, in the structure of the value and the format of extract jobs. */
  field_metadata: object | null;
  /** Schema with which data was extracted. Null if no schema could be generated from the document. */
  data_schema: JsonSchema | null;
  /** Name of the language model, or `builtin` for the built-in extractor. */
  model: string | null;
  error: string | null;
}

const EMPTY_OUTPUT: StructuredOutput = {
  value: null,
  field_metadata: null,
  data_schema: null,
  model: null,
  error: null,
};

/**
 * Time limit of the extraction in milliseconds. If parsing and extraction together exceed the limit of an
 * attempt, the next attempt finds the pages already parsed.
 */
const MAX_MS = 6 * 60_000;

/**
 * Extracts structured data if the parameters request it, and stores the result or the error. The parse job
 * succeeds in either case.
 */
export async function makeStructuredOutput(
  ctx: Context,
  job: ParseJob,
  document: ParsedDocument,
  parameters: ParseParameters,
  hold: HeldLease,
): Promise<void> {
  const asked = getRequestedSchema(parameters);
  if (!asked) return;
  const made = { ...EMPTY_OUTPUT };
  const limited = withLimit(hold);
  try {
    const selection = { target_pages: parameters.target_pages, max_pages: parameters.max_pages || null };
    made.data_schema =
      asked === 'inferred' ? await inferSchema(ctx, job.projectId, document, selection) : asked;
    Object.assign(made, await extract(ctx, job, document, made.data_schema, selection, limited));
  } catch (error) {
    if (hold.signal.aborted) throw error;
    made.error = limited.signal.aborted ? TIMEOUT_MESSAGE : getClientErrorMessage(error);
    ctx.log.warn('structured output failed', { jobId: job.id, error: getErrorMessage(error) });
  }
  await ctx.bucket.put(keys.jobResult(job.projectId, job.id), JSON.stringify(made));
}

const TIMEOUT_MESSAGE = `TIMEOUT: The extraction took longer than ${MAX_MS / 60_000} minutes.`;

/** Returns the error message for clients. The text of an unexpected error is not shown to them. */
const getClientErrorMessage = (error: unknown) =>
  error instanceof DomainError ? error.message : 'engine_error: Something went wrong on our side.';

function withLimit(hold: HeldLease): HeldLease {
  const signal = AbortSignal.any([hold.signal, AbortSignal.timeout(MAX_MS)]);
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
  hold: HeldLease,
): Promise<Pick<StructuredOutput, 'value' | 'field_metadata' | 'model'>> {
  const configuration = applyExtractDefaults({ data_schema: schema });
  const asked = { ...configuration, ...selection };
  const { extractions, model } = await extractPages(ctx, projectId, document, asked, hold);
  const { data_schema, extraction_target: target } = configuration;
  const options = { schema: data_schema, target, citeSources: true, confidenceScores: true };
  const built = await buildResultWithPauses(extractions, options, () =>
    yieldToEventLoop(() => hold.checkpoint()),
  );
  return {
    value: built.extract_result as Record<string, unknown>,
    field_metadata: built.field_metadata?.document_metadata ?? {},
    model,
  };
}

async function inferSchema(
  ctx: Context,
  projectId: string,
  document: ParsedDocument,
  selection: PageSelection,
): Promise<JsonSchema> {
  const windows = iteratePageWindows(ctx.bucket, document, selection, PAGES_TO_GENERATE_FROM);
  const { value: pages } = await windows.next();
  try {
    const input = { pages: pages ?? [], title: document.title };
    return (await writeSchema(ctx, projectId, input)).parameters.data_schema;
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    const message = 'The pages have no labels and no tables from which a schema could be generated.';
    throw new ParseError('NO_DATA_FOUND_IN_FILE', message, error);
  }
}

const NOT_EXTRACTED =
  'The document was parsed for other work and not extracted. Create a parse job to extract from it.';

/** Returns the stored extraction of a completed job. Returns null if none was requested. */
export async function readStructuredOutput(
  ctx: Context,
  { job, parameters }: ParseResult,
): Promise<StructuredOutput | null> {
  if (!getRequestedSchema(parameters)) return null;
  const kept = await ctx.bucket.get(keys.jobResult(job.projectId, job.id));
  return kept ? kept.json<StructuredOutput>() : { ...EMPTY_OUTPUT, error: NOT_EXTRACTED };
}

/**
 * Returns the requested schema, or `inferred` if the schema is to be generated from the document. Returns
 * `undefined` if no extraction is requested.
 */
function getRequestedSchema(parameters: ParseParameters): JsonSchema | 'inferred' | undefined {
  const { structured_output: isWanted, structured_output_json_schema: schema } = parameters;
  const { structured_output_json_schema_name: name } = parameters;
  if (isWanted === false) return undefined;
  if (schema) return JSON.parse(schema) as JsonSchema;
  if (name && name !== INFERRED_SCHEMA) return NAMED_SCHEMAS[name as NamedSchema];
  return isWanted || name ? 'inferred' : undefined;
}
