import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { Invalid } from '#src/lib/errors.ts';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { getPipelineEmbedder } from '#src/retrieval/pipeline-embedder.ts';
import { loadTokenizer } from '#src/tokenizer/tokenizer.ts';
import { findSearchable, modelName } from './names.ts';

/** Maximum number of texts per request. The OpenAI protocol has the same limit. */
const MAX_TEXTS = 2048;
/**
 * Maximum number of characters of a text to embed. Longer texts are documents, which belong in a pipeline.
 */
const MAX_TEXT_CHARACTERS = 100_000;
const LIMIT_BYTES = 4 * 1024 * 1024;

const TOKENS = 'Input should be a text, or a list of texts: tokens mean nothing to the embedding model';
const text = z.string({ error: TOKENS }).min(1).max(MAX_TEXT_CHARACTERS);

const embeddingRequest = z.object({
  model: modelName.describe(
    'Name of a pipeline, or `pipeline-<id>`. The embedding model of the pipeline is used.',
  ),
  input: z
    .union([text, z.array(text).min(1).max(MAX_TEXTS)])
    .describe(
      'Texts to embed. Arrays of tokens are rejected, because their text depends on another model’s tokenizer.',
    ),
  encoding_format: z
    .enum(['float', 'base64'])
    .nullish()
    .describe('`float`, or `base64` of 32-bit floats in little-endian order.'),
  dimensions: z
    .number()
    .int()
    .min(1)
    .nullish()
    .describe(
      'Number of dimensions. Values other than that of the embedding model are rejected, because vectors are not shortened.',
    ),
  user: withoutEffect(z.string().nullish(), 'Nothing is kept of who the end user is.'),
  sluice: z
    .object({
      input_type: z
        .enum(['document', 'query'])
        .nullish()
        .describe('Kind of the texts. Some models embed questions and passages differently.'),
    })
    .nullish()
    .describe('Additional options of this service.'),
});

const embeddingResponse = z.object({
  object: z.literal('list'),
  data: z.array(
    z.object({
      object: z.literal('embedding'),
      index: z.number().int(),
      embedding: z.union([z.array(z.number()), z.string()]),
    }),
  ),
  model: z.string(),
  usage: z.object({ prompt_tokens: z.number().int(), total_tokens: z.number().int() }),
  sluice: z.object({
    embedding_model: z
      .string()
      .describe('Id of the embedding model. Vectors of the same model can be compared.'),
  }),
});

export const embeddingOperations = [
  operation({
    method: 'post',
    path: '/v1/embeddings',
    id: 'createEmbeddings',
    effect: 'read',
    tag: 'Embeddings',
    access: 'project',
    summary: 'Create embeddings',
    description:
      'Embeds texts with the embedding model of a pipeline, for example to compare them with its chunks.',
    body: { json: embeddingRequest, limit: LIMIT_BYTES },
    response: { status: 200, json: embeddingResponse },
    errors: [502],
    async handle({ ctx, body }) {
      const { kind, id } = await findSearchable(ctx, body.model);
      if (kind === 'retriever') {
        throw Invalid.field(
          ['model'],
          'a retriever has no embedding model of its own: name one of its pipelines',
        );
      }
      const embedder = await getPipelineEmbedder(ctx, id);
      const wanted = body.dimensions ?? undefined;
      if (embedder.dimension > 0) requireDimension(wanted, embedder.dimension);
      const texts = [body.input].flat();
      const purpose = body.sluice?.input_type ?? 'document';
      const vectors = await embedder.embed(texts, purpose);
      requireDimension(wanted, vectors[0]!.length);
      const tokenizer = await loadTokenizer();
      const tokens = texts.reduce((sum, each) => sum + tokenizer.count(each), 0);
      const encode = body.encoding_format === 'base64' ? toBase64 : (vector: Float32Array) => [...vector];
      return {
        object: 'list' as const,
        data: vectors.map((vector, index) => ({
          object: 'embedding' as const,
          index,
          embedding: encode(vector),
        })),
        model: body.model,
        usage: { prompt_tokens: tokens, total_tokens: tokens },
        sluice: { embedding_model: embedder.modelId },
      };
    },
  }),
];

function requireDimension(wanted: number | undefined, given: number): void {
  if (wanted === undefined || wanted === given) return;
  throw Invalid.field(['dimensions'], `the embedding model of this pipeline gives ${given} and no other`);
}

function toBase64(vector: Float32Array): string {
  const bytes = new DataView(new ArrayBuffer(4 * vector.length));
  for (const [at, value] of vector.entries()) bytes.setFloat32(4 * at, value, true);
  return Buffer.from(bytes.buffer).toString('base64');
}
