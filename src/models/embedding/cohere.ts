import { createCohere } from '@ai-sdk/cohere';
import { z } from 'zod';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { namingField } from '#src/models/definition/naming-field.ts';
import { defineEmbedder, embedderField, QUICK_RETRIES, tryEmbedder } from './definition.ts';
import { batchedEmbedder } from './shared/batched.ts';
import { decompressed, VECTOR_TYPES, type VectorType } from './shared/compressed-vectors.ts';
import { sdkBatch, wireFetch } from './shared/sdk.ts';

const DEFAULT_MODEL = 'embed-english-v3.0';
const MAX_BATCH = 96;
const TIMEOUT_SECONDS = 60;
const PURPOSES = { document: 'search_document', query: 'search_query' } as const;

const answer = z.looseObject({
  embeddings: z.record(z.string(), z.unknown()),
  meta: z.looseObject({ billed_units: z.unknown().optional() }).nullish(),
});

export const cohere = defineEmbedder({
  kind: 'PROVIDER_C_EMBEDDING',
  title: 'API with a key, told documents from queries',
  client: { word: 'COHERE_EMBEDDING', className: 'CohereEmbedding' },
  fields: {
    api_key: secret(),
    embedding_type: z
      .enum(VECTOR_TYPES)
      .nullable()
      .default('float')
      .describe('How vectors travel; those of fewer bits are less exact.'),
    input_type: z
      .enum(['search_document', 'search_query', 'classification', 'clustering'])
      .nullish()
      .describe('search_document and search_query when absent.'),
    model_name: embedderField.model(),
    truncate: z
      .enum(['START', 'END', 'NONE'])
      .nullable()
      .default('END')
      .describe('Which end of a text that is too long is left out; NONE: such a text is refused.'),
  },
  capabilities: { maxBatch: MAX_BATCH, tellsPurpose: true },
  open(settings, deps) {
    const name = 'The embedding endpoint PROVIDER_C_EMBEDDING';
    const type = settings.embedding_type ?? 'float';
    const provider = createCohere({
      apiKey: settings.api_key,
      fetch: wireFetch(
        {
          name,
          timeoutSeconds: TIMEOUT_SECONDS,
          request: (body) => ({ ...body, embedding_types: [type] }),
          answer: (body) => asFloats(body, type),
        },
        deps,
      ),
    });
    return batchedEmbedder({
      modelId: `${settings.model_name || 'default'}@PROVIDER_C_EMBEDDING/${type}`,
      dimension: 0,
      batchSize: Math.min(settings.embed_batch_size ?? 10, MAX_BATCH),
      workers: settings.num_workers ?? 1,
      retries: QUICK_RETRIES,
      log: deps.log,
      embedBatch: sdkBatch(
        provider.embeddingModel(settings.model_name || DEFAULT_MODEL),
        name,
        (purpose) => ({
          cohere: {
            inputType: settings.input_type ?? PURPOSES[purpose],
            truncate: settings.truncate ?? 'END',
          },
        }),
      ),
    });
  },
  check: (embedder) => namingField(tryEmbedder(embedder), { key: 'api_key', model: 'model_name' }),
});

/** The answer with vectors of numbers, which are all that the SDK takes, and what it wants to be told of their price. */
function asFloats(body: unknown, type: VectorType): unknown {
  const { data, success } = answer.safeParse(body);
  if (!success) return body;
  const vectors = data.embeddings[type];
  const float = Array.isArray(vectors) ? vectors.map((vector) => decompressed(vector, type)) : vectors;
  return { ...data, embeddings: { float }, meta: { billed_units: { input_tokens: 0 } } };
}
