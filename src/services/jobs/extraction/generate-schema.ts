import { z } from 'zod';
import {
  type GeneratedConfiguration,
  type GenerateInput,
  generateConfiguration,
  toConfiguration,
} from '#src/builtin/schema-generation/generate.ts';
import type { Context, TenantContext } from '#src/context/context.ts';
import { generateSchemaWithModel } from '#src/extraction/model/generate.ts';
import { validateSchema } from '#src/json-schema/rules.ts';
import { BadRequest, DomainError, getErrorMessage, NotFound } from '#src/lib/errors.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import { getModelName } from '#src/ports/language-model.ts';
import { getFile } from '#src/services/files/files.ts';
import { getLanguageModel } from '#src/services/models/language.ts';
import { iteratePageWindows, parseForJob } from '../pages.ts';

export const schemaGeneration = z.object({
  name: z.string().max(255).nullish(),
  prompt: z.string().nullish(),
  file_id: z.string().nullish(),
  data_schema: z.record(z.string(), z.unknown()).nullish(),
});
type SchemaGeneration = z.infer<typeof schemaGeneration>;

/** Maximum number of pages from which a schema is generated. Later pages usually repeat the same labels. */
export const PAGES_TO_GENERATE_FROM = 20;
/**
 * Time limit of the language model in milliseconds. Clients wait for the response, and most give up after a
 * minute.
 */
const MODEL_TIMEOUT_MS = 45_000;

export interface GeneratedSchema extends GeneratedConfiguration {
  /** Name of the language model that generated the schema, or `builtin` for the built-in generator. */
  model: string;
  /** Reason why the configured language model was not used, if there is one. */
  note?: string;
}

export async function generateSchema(
  ctx: TenantContext,
  request: SchemaGeneration,
): Promise<GeneratedSchema> {
  const { name, prompt, data_schema: dataSchema } = request;
  if (dataSchema) validateSchema(dataSchema);
  const document = await readDocument(ctx, request.file_id);
  return writeSchema(ctx, ctx.projectId, { name, prompt, dataSchema, ...document });
}

/**
 * Generates a schema with the configured language model. Uses the built-in generator if no model is
 * configured or the model fails.
 */
export async function writeSchema(
  ctx: Context,
  projectId: string,
  input: GenerateInput,
): Promise<GeneratedSchema> {
  const { prompt, pages, dataSchema } = input;
  const base = dataSchema ? validateSchema(dataSchema) : undefined;
  const model = await getLanguageModel(ctx, projectId, 'schema');
  if (!model || !(prompt || base || pages)) return { ...generateConfiguration(input), model: 'builtin' };
  try {
    const signal = AbortSignal.timeout(MODEL_TIMEOUT_MS);
    const made = await generateSchemaWithModel({ model, prompt, pages, base, signal });
    return { ...toConfiguration(input, made.schema, made.name), model: getModelName(model) };
  } catch (error) {
    ctx.log.warn('schema generation by the model failed', { error: getErrorMessage(error) });
    const reason = error instanceof DomainError ? error.message : 'it did not answer in time.';
    const note = `The built-in generator created the schema, because the language model failed: ${reason}`;
    return { ...generateConfiguration(input), model: 'builtin', note };
  }
}

async function readDocument(
  ctx: TenantContext,
  fileId: string | null | undefined,
): Promise<Pick<GenerateInput, 'pages' | 'title'>> {
  if (!fileId) return {};
  const file = await getFile(ctx, fileId).catch((error: unknown) => {
    if (error instanceof NotFound) throw new BadRequest(`inputs_invalid: ${getErrorMessage(error)}`);
    throw error;
  });
  const { signal } = new AbortController();
  const hold = { checkpoint: async () => {}, end() {}, consumer: crypto.randomUUID(), signal };
  const selection = { max_pages: PAGES_TO_GENERATE_FROM };
  const document = await parseForJob(ctx, file.id, parseParameters.parse(selection), hold);
  const windows = iteratePageWindows(ctx.bucket, document, selection);
  const { value: pages } = await windows.next();
  return { pages: pages ?? [], title: document.title };
}
