import { z } from 'zod';
import {
  configurationOf,
  type GeneratedConfiguration,
  type GenerateInput,
  generateConfiguration,
} from '#src/builtin/schema-generation/generate.ts';
import type { Context, TenantContext } from '#src/context/context.ts';
import { schemaFromModel } from '#src/extraction/model/generate.ts';
import { validateSchema } from '#src/json-schema/rules.ts';
import { BadRequest, DomainError, messageOf, NotFound } from '#src/lib/errors.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import { nameOf } from '#src/ports/language-model.ts';
import { getFile } from '#src/services/files/files.ts';
import { languageFor } from '#src/services/models/language.ts';
import { pageWindows, parseForJob } from '../pages.ts';

export const schemaGeneration = z.object({
  name: z.string().max(255).nullish(),
  prompt: z.string().nullish(),
  file_id: z.string().nullish(),
  data_schema: z.record(z.string(), z.unknown()).nullish(),
});
type SchemaGeneration = z.infer<typeof schemaGeneration>;

/** Maximum number of pages from which a schema is generated. Labels repeat on later pages. */
export const PAGES_TO_GENERATE_FROM = 20;
/**
 * Time limit of the language model in milliseconds. Clients wait for the schema, and most give up after a
 * minute.
 */
const MODEL_TIMEOUT_MS = 45_000;

export interface GeneratedSchema extends GeneratedConfiguration {
  /** Author of the schema: `builtin`, or the name of the model. */
  model: string;
  /** Reason why the configured model was not used. */
  note?: string;
}

export async function generateSchema(
  ctx: TenantContext,
  request: SchemaGeneration,
): Promise<GeneratedSchema> {
  const { name, prompt, data_schema: dataSchema } = request;
  if (dataSchema) validateSchema(dataSchema);
  const document = await documentOf(ctx, request.file_id);
  return writeSchema(ctx, ctx.projectId, { name, prompt, dataSchema, ...document });
}

/**
 * Generates a schema with the configured language model. Without one, or if it fails, the built-in generator
 * is used.
 */
export async function writeSchema(
  ctx: Context,
  projectId: string,
  input: GenerateInput,
): Promise<GeneratedSchema> {
  const { prompt, pages, dataSchema } = input;
  const base = dataSchema ? validateSchema(dataSchema) : undefined;
  const model = await languageFor(ctx, projectId, 'schema');
  if (!model || !(prompt || base || pages)) return { ...generateConfiguration(input), model: 'builtin' };
  try {
    const signal = AbortSignal.timeout(MODEL_TIMEOUT_MS);
    const made = await schemaFromModel({ model, prompt, pages, base, signal });
    return { ...configurationOf(input, made.schema, made.name), model: nameOf(model) };
  } catch (error) {
    ctx.log.warn('schema generation by the model failed', { error: messageOf(error) });
    const reason = error instanceof DomainError ? error.message : 'it did not answer in time.';
    const note = `Made by the built-in generator, because the language model failed: ${reason}`;
    return { ...generateConfiguration(input), model: 'builtin', note };
  }
}

async function documentOf(
  ctx: TenantContext,
  fileId: string | null | undefined,
): Promise<Pick<GenerateInput, 'pages' | 'title'>> {
  if (!fileId) return {};
  const file = await getFile(ctx, fileId).catch((error: unknown) => {
    if (error instanceof NotFound) throw new BadRequest(`inputs_invalid: ${messageOf(error)}`);
    throw error;
  });
  const { signal } = new AbortController();
  const hold = { checkpoint: async () => {}, end() {}, consumer: crypto.randomUUID(), signal };
  const selection = { max_pages: PAGES_TO_GENERATE_FROM };
  const document = await parseForJob(ctx, file.id, parseParameters.parse(selection), hold);
  const windows = pageWindows(ctx.bucket, document, selection);
  const { value: pages } = await windows.next();
  return { pages: pages ?? [], title: document.title };
}
