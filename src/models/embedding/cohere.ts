import { createCohere } from '@ai-sdk/cohere';
import { z } from 'zod';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { namingField } from '#src/models/definition/naming-field.ts';
import { batchedEmbedder } from './shared/batched.ts';
import { defineEmbedder, embedderField, QUICK_RETRIES, tryEmbedder } from './shared/definition.ts';
import { sdkBatch, wireFetch } from './shared/sdk.ts';
import { wrongAnswer } from './shared/unit-vector.ts';

/** Encodings of vectors: numbers, bytes, bits, or base64 of floats. */
export const VECTOR_TYPES = ['float', 'int8', 'uint8', 'binary', 'ubinary', 'base64'] as const;

type VectorType = (typeof VECTOR_TYPES)[number];

const HALF = 128;

const BITS = [7, 6, 5, 4, 3, 2, 1, 0];

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

/** Converts an answer to vectors of numbers and adds the usage, which the SDK requires. */
function asFloats(body: unknown, type: VectorType): unknown {
  const { data, success } = answer.safeParse(body);
  if (!success) return body;
  const vectors = data.embeddings[type];
  const float = Array.isArray(vectors) ? vectors.map((vector) => decompressed(vector, type)) : vectors;
  return { ...data, embeddings: { float }, meta: { billed_units: { input_tokens: 0 } } };
}

/** Decodes a vector. Values that are not of the type stay unchanged; bytes out of range are refused. */
function decompressed(vector: unknown, type: VectorType): unknown {
  if (type === 'base64') return typeof vector === 'string' ? floatsOf(vector) : vector;
  if (type === 'float' || !Array.isArray(vector)) return vector;
  const lowest = type === 'int8' || type === 'binary' ? -HALF : 0;
  for (const value of vector) {
    if (!Number.isInteger(value) || value < lowest || value >= lowest + 2 * HALF) {
      throw wrongAnswer(`The model gave a vector with something that is no ${type} number.`);
    }
  }
  const bytes = vector as number[];
  if (type === 'int8') return bytes;
  if (type === 'uint8') return bytes.map((byte) => byte - HALF);
  // Each bit is the sign of a component.
  return bytes.flatMap((byte) => BITS.map((bit) => (((byte - lowest) >> bit) & 1 ? 1 : -1)));
}

function floatsOf(base64: string): number[] {
  let bytes: Uint8Array;
  try {
    bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  } catch {
    throw wrongAnswer('The model gave a vector that is no base64.');
  }
  if (bytes.length % 4 !== 0) throw wrongAnswer('The model gave a vector with a part of a number.');
  const view = new DataView(bytes.buffer);
  return Array.from({ length: bytes.length / 4 }, (_, at) => view.getFloat32(at * 4, true));
}
