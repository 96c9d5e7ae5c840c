import { z } from 'zod';
import { JSON_LIMIT_BYTES } from '#src/api/http/read-input.ts';
import { VERSION } from '#src/api/openapi/version.ts';
import { operation } from '#src/api/operation/endpoint.ts';
import type { TenantContext } from '#src/context/context.ts';
import { fileFormats } from '#src/file-formats/registry.ts';
import { embedders } from '#src/models/embedding/registry.ts';
import { LANGUAGE_USES } from '#src/ports/language-model.ts';
import { MAX_QUERY_CHARACTERS, MAX_RESULTS } from '#src/retrieval-contract/parameters.ts';
import { maxFileBytes } from '#src/services/files/content.ts';
import { getCurrentModels } from '#src/services/models/current-models.ts';
import { sinks } from '#src/sinks/registry.ts';
import { sources } from '#src/sources/registry.ts';

const model = z.object({ model: z.string(), built_in: z.boolean() });
const languageModel = z.object({
  model: z
    .string()
    .nullable()
    .describe('Kind of the model. `builtin` means that the built-in method is used.'),
  built_in: z.boolean(),
  problem: z
    .string()
    .nullable()
    .describe('Reason why the chosen model cannot be used. `model` is null in this case.'),
});
/**
 * Returns the schema of a list of available types. The types form an enumeration, so that APIs for other
 * clients can rename them.
 */
const kinds = <Type extends string>(definitions: Readonly<Record<Type, unknown>>) =>
  z.array(z.object({ type: z.enum(Object.keys(definitions) as [Type, ...Type[]]), title: z.string() }));

const capabilitiesBody = z
  .object({
    version: z.string(),
    models: z.object({
      embedding: model.describe('Embedding model of pipelines that name none.'),
      rerank: model.describe('Reranker of requests that name none.'),
      ocr: model.nullable().describe('OCR engine. Null if there is none, or if the parser does not answer.'),
      language: z
        .record(z.enum(LANGUAGE_USES), languageModel)
        .describe('Language models of the project by use.'),
      language_names: z.array(z.string()).describe('Names of models that requests and projects can use.'),
    }),
    limits: z.object({
      file_bytes: z.number().describe('Maximum size of a file in bytes.'),
      json_body_bytes: z.number().int().describe('Maximum size of a JSON request in bytes.'),
      query_characters: z.number().int().describe('Maximum length of a query or question in characters.'),
      results: z.number().int().describe('Maximum number of chunks that a query can request.'),
      requests_per_minute: z
        .number()
        .int()
        .nullable()
        .describe('Maximum number of requests per minute of one key. Null if there is no limit.'),
      daily_tokens: z
        .number()
        .int()
        .nullable()
        .describe(
          'Maximum number of tokens of language models per day in the project. Null if there is no limit.',
        ),
    }),
    file_types: z
      .array(
        z.object({
          type: z.string(),
          title: z.string(),
          extensions: z.array(z.string()).describe('Usual file extensions, without the dot.'),
          media_types: z.array(z.string()),
        }),
      )
      .describe('File formats that can be parsed. The content of a file decides about its format.'),
    data_sources: kinds(sources),
    data_sinks: kinds(sinks),
    embedding_models: kinds(embedders),
  })
  .meta({ id: 'Capabilities' });

const listKinds = <Type extends string>(definitions: Readonly<Record<Type, { title: string }>>) =>
  (Object.keys(definitions) as Type[]).map((type) => ({ type, title: definitions[type].title }));

async function loadCapabilities(ctx: TenantContext): Promise<z.input<typeof capabilitiesBody>> {
  const { languageNames, dailyTokens, ...models } = await getCurrentModels(ctx);
  return {
    version: VERSION,
    models: { ...models, language_names: languageNames },
    limits: {
      file_bytes: maxFileBytes(ctx),
      json_body_bytes: JSON_LIMIT_BYTES,
      query_characters: MAX_QUERY_CHARACTERS,
      results: MAX_RESULTS,
      requests_per_minute: ctx.settings.RATE_LIMIT_REQUESTS || null,
      daily_tokens: dailyTokens || null,
    },
    file_types: fileFormats.map(({ kind, title, extensions, mediaTypes }) => ({
      type: kind,
      title,
      extensions: [...extensions],
      media_types: [...mediaTypes],
    })),
    data_sources: listKinds(sources),
    data_sinks: listKinds(sinks),
    embedding_models: listKinds(embedders),
  };
}

export const capabilityOperations = [
  operation({
    method: 'get',
    path: '/api/v1/capabilities',
    id: 'getCapabilities',
    needs: 'read',
    tag: 'Health',
    summary: 'Read what this installation supports',
    description:
      'Returns the version, the models in use, the limits, the file formats, and the kinds of data ' +
      'sinks, data sources and embedding models that you can choose.',
    access: 'project',
    response: { status: 200, json: capabilitiesBody },
    handle: ({ ctx }) => loadCapabilities(ctx),
  }),
];
