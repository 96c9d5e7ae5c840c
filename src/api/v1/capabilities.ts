import { z } from 'zod';
import { JSON_LIMIT_BYTES } from '#src/api/http/read-input.ts';
import { VERSION } from '#src/api/openapi/version.ts';
import { operation } from '#src/api/operation/endpoint.ts';
import type { TenantContext } from '#src/context/context.ts';
import { fileFormats } from '#src/file-formats/registry.ts';
import { embedders } from '#src/models/embedding/registry.ts';
import { LANGUAGE_USES } from '#src/ports/language-model.ts';
import { LONGEST_QUERY, MOST_RESULTS } from '#src/retrieval-contract/parameters.ts';
import { maxFileBytes } from '#src/services/files/content.ts';
import { modelsInForce } from '#src/services/models/in-force.ts';
import { sinks } from '#src/sinks/registry.ts';
import { sources } from '#src/sources/registry.ts';

const model = z.object({ model: z.string(), built_in: z.boolean() });
const languageModel = z.object({
  model: z.string().nullable().describe('`builtin`: no model, the built-in part does the work.'),
  built_in: z.boolean(),
  problem: z.string().nullable().describe('Why the model that is chosen cannot work; `model` is null then.'),
});
/** Describes a list of kinds. The types form an enumeration, so that other mounts can translate them. */
const kinds = <Type extends string>(definitions: Readonly<Record<Type, unknown>>) =>
  z.array(z.object({ type: z.enum(Object.keys(definitions) as [Type, ...Type[]]), title: z.string() }));

const capabilitiesBody = z
  .object({
    version: z.string(),
    models: z.object({
      embedding: model.describe('Of pipelines that name no model.'),
      rerank: model.describe('Where no other is asked for.'),
      ocr: model.nullable().describe('null: none, or the parser does not answer just now.'),
      language: z.record(z.enum(LANGUAGE_USES), languageModel).describe('By use, for the project.'),
      language_names: z.array(z.string()).describe('Models that a request or a project may name.'),
    }),
    limits: z.object({
      file_bytes: z.number().describe('Of a file.'),
      json_body_bytes: z.number().int().describe('Of a request with JSON.'),
      query_characters: z.number().int().describe('Of a query or question.'),
      results: z.number().int().describe('Chunks that a query may ask for.'),
      requests_per_minute: z.number().int().nullable().describe('Of one key; null: no limit.'),
      daily_tokens: z
        .number()
        .int()
        .nullable()
        .describe('Of language models, in the project; null: no limit.'),
    }),
    file_types: z
      .array(
        z.object({
          type: z.string(),
          title: z.string(),
          extensions: z.array(z.string()).describe('Usual ends of names, without the dot.'),
          media_types: z.array(z.string()),
        }),
      )
      .describe('What can be parsed. What a file is, its content decides.'),
    data_sources: kinds(sources),
    data_sinks: kinds(sinks),
    embedding_models: kinds(embedders),
  })
  .meta({ id: 'Capabilities' });

const listKinds = <Type extends string>(definitions: Readonly<Record<Type, { title: string }>>) =>
  (Object.keys(definitions) as Type[]).map((type) => ({ type, title: definitions[type].title }));

async function capabilitiesOf(ctx: TenantContext): Promise<z.input<typeof capabilitiesBody>> {
  const { languageNames, dailyTokens, ...models } = await modelsInForce(ctx);
  return {
    version: VERSION,
    models: { ...models, language_names: languageNames },
    limits: {
      file_bytes: maxFileBytes(ctx),
      json_body_bytes: JSON_LIMIT_BYTES,
      query_characters: LONGEST_QUERY,
      results: MOST_RESULTS,
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
    tag: 'Health',
    summary: 'Read what this installation supports',
    description:
      'Returns the version, the models in use, the limits, the file formats, and the kinds of data ' +
      'sinks, data sources and embedding models that you can choose.',
    access: 'project',
    response: { status: 200, json: capabilitiesBody },
    handle: ({ ctx }) => capabilitiesOf(ctx),
  }),
];
