import { createCohere } from '@ai-sdk/cohere';
import { z } from 'zod';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { nameWrongField } from '#src/models/definition/name-wrong-field.ts';
import { createBatchedEmbedder } from './shared/batched.ts';
import { defineEmbedder, embedderField, QUICK_RETRIES, testEmbedder } from './shared/definition.ts';
import { createSdkBatch, createWireFetch } from './shared/sdk.ts';
import { createAnswerError } from './shared/unit-vector.ts';

/** Encodings in which Cohere can return vectors: numbers, bytes, bits, or base64 of floats. */
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
  title: 'Hosted API that distinguishes documents from queries',
  client: { word: 'COHERE_EMBEDDING', className: 'CohereEmbedding' },
  fields: {
    api_key: secret(),
    embedding_type: z
      .enum(VECTOR_TYPES)
      .nullable()
      .default('float')
      .describe('Encoding of vectors in answers. Encodings with fewer bits are less exact.'),
    input_type: z
      .enum(['search_document', 'search_query', 'classification', 'clustering'])
      .nullish()
      .describe('Kind of the texts. Default: search_document for chunks and search_query for queries.'),
    model_name: embedderField.model(),
    truncate: z
      .enum(['START', 'END', 'NONE'])
      .nullable()
      .default('END')
      .describe('End at which too long texts are cut. With NONE, such texts are rejected.'),
  },
  capabilities: { maxBatch: MAX_BATCH, distinguishesPurpose: true },
  open(settings, deps) {
    const name = 'The embedding endpoint PROVIDER_C_EMBEDDING';
    const type = settings.embedding_type ?? 'float';
    const provider = createCohere({
      apiKey: settings.api_key,
      fetch: createWireFetch(
        {
          name,
          timeoutSeconds: TIMEOUT_SECONDS,
          request: (body) => ({ ...body, embedding_types: [type] }),
          answer: (body) => toFloats(body, type),
        },
        deps,
      ),
    });
    return createBatchedEmbedder({
      modelId: `${settings.model_name || 'default'}@PROVIDER_C_EMBEDDING/${type}`,
      dimension: 0,
      batchSize: Math.min(settings.embed_batch_size ?? 10, MAX_BATCH),
      workers: settings.num_workers ?? 1,
      retries: QUICK_RETRIES,
      log: deps.log,
      embedBatch: createSdkBatch(
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
  check: (embedder) => nameWrongField(testEmbedder(embedder), { key: 'api_key', model: 'model_name' }),
});

/** Converts Cohere's answer to vectors of numbers and adds the token usage, which the SDK requires. */
function toFloats(body: unknown, type: VectorType): unknown {
  const { data, success } = answer.safeParse(body);
  if (!success) return body;
  const vectors = data.embeddings[type];
  const float = Array.isArray(vectors) ? vectors.map((vector) => decodeVector(vector, type)) : vectors;
  return { ...data, embeddings: { float }, meta: { billed_units: { input_tokens: 0 } } };
}

/**
 * Decodes a vector. A value that is not a vector of this type is returned unchanged and rejected later.
 * Throws if a byte is out of range.
 */
function decodeVector(vector: unknown, type: VectorType): unknown {
  if (type === 'base64') return typeof vector === 'string' ? decodeFloats(vector) : vector;
  if (type === 'float' || !Array.isArray(vector)) return vector;
  const lowest = type === 'int8' || type === 'binary' ? -HALF : 0;
  for (const value of vector) {
    if (!Number.isInteger(value) || value < lowest || value >= lowest + 2 * HALF) {
      throw createAnswerError(
        `The model returned a vector with a value that is not a number of the type ${type}.`,
      );
    }
  }
  const bytes = vector as number[];
  if (type === 'int8') return bytes;
  if (type === 'uint8') return bytes.map((byte) => byte - HALF);
  // In a binary vector, each bit is the sign of one component.
  return bytes.flatMap((byte) => BITS.map((bit) => (((byte - lowest) >> bit) & 1 ? 1 : -1)));
}

function decodeFloats(base64: string): number[] {
  let bytes: Uint8Array;
  try {
    bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  } catch {
    throw createAnswerError('The model returned a vector that is not valid base64.');
  }
  if (bytes.length % 4 !== 0)
    throw createAnswerError('The model returned a vector that ends within a number.');
  const view = new DataView(bytes.buffer);
  return Array.from({ length: bytes.length / 4 }, (_, at) => view.getFloat32(at * 4, true));
}
