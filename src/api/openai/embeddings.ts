import { z } from 'zod';
import { warningsSchema } from '#src/api/http/warnings.ts';
import { operation } from '#src/api/operation/endpoint.ts';
import { Invalid } from '#src/lib/errors.ts';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { getPipelineEmbedder } from '#src/retrieval/pipeline-embedder.ts';
import { loadTokenDecoder, loadTokenizer, VOCABULARY_SIZE } from '#src/tokenizer/tokenizer.ts';
import { findSearchable, modelName } from './names.ts';

/** Maximum number of texts per request. The OpenAI protocol has the same limit. */
const MAX_TEXTS = 2048;
/**
 * Maximum number of characters of a text to embed. Longer texts are documents, which belong in a pipeline.
 */
const MAX_TEXT_CHARACTERS = 100_000;
const LIMIT_BYTES = 4 * 1024 * 1024;

/** Maximum number of tokens of a text to embed. */
const MAX_TOKENS = 25_000;

const KINDS = 'Input should be a text, a list of texts, a list of tokens, or a list of lists of tokens';
const text = z.string({ error: KINDS }).min(1).max(MAX_TEXT_CHARACTERS);
const tokens = z
  .array(
    z
      .number()
      .int()
      .min(0)
      .max(VOCABULARY_SIZE - 1, { error: `a token of cl100k_base is less than ${VOCABULARY_SIZE}` }),
  )
  .min(1)
  .max(MAX_TOKENS);

const embeddingRequest = z.object({
  model: modelName.describe(
    'Name of a pipeline, or `pipeline-<id>`. The embedding model of the pipeline is used.',
  ),
  input: z
    .union([text, z.array(text).min(1).max(MAX_TEXTS), tokens, z.array(tokens).min(1).max(MAX_TEXTS)], {
      error: KINDS,
    })
    .describe(
      'Texts to embed. Tokens are those of the vocabulary `cl100k_base`, and are embedded as the text that they stand for.',
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
      'Number of dimensions. A smaller number than that of the embedding model shortens its vectors and scales them to the length 1. Only models that were trained for this keep their quality, so `warnings` says it.',
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
  warnings: warningsSchema.shape.warnings,
});

export const embeddingOperations = [
  operation({
    method: 'post',
    path: '/v1/embeddings',
    id: 'createEmbeddings',
    needs: 'retrieve',
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
      const texts = await readTexts(body.input);
      const purpose = body.sluice?.input_type ?? 'document';
      const whole = await embedder.embed(texts, purpose);
      const given = whole[0]!.length;
      requireDimension(wanted, given);
      const isShorter = wanted !== undefined && wanted < given;
      const vectors = isShorter ? whole.map((vector) => shorten(vector, wanted)) : whole;
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
        ...(isShorter && { warnings: [{ field: 'dimensions', reason: getShortReason(given) }] }),
      };
    },
  }),
];

/** Returns the texts of an input. Tokens are decoded. Throws `Invalid` if their text is empty or too long. */
async function readTexts(input: z.output<typeof embeddingRequest>['input']): Promise<string[]> {
  if (typeof input === 'string') return [input];
  if (typeof input[0] === 'string') return input as string[];
  const lists = (typeof input[0] === 'number' ? [input] : input) as number[][];
  const decode = await loadTokenDecoder();
  return lists.map((list, index) => {
    const decoded = decode(list);
    if (decoded !== '' && decoded.length <= MAX_TEXT_CHARACTERS) return decoded;
    const limits = `the tokens stand for a text of ${decoded.length} characters, and 1 to ${MAX_TEXT_CHARACTERS} are allowed`;
    throw Invalid.field(['input', index], limits);
  });
}

const getShortReason = (given: number) =>
  `The first dimensions of ${given} were kept. Vectors of models that were not trained for this are less exact.`;

function requireDimension(wanted: number | undefined, given: number): void {
  if (wanted === undefined || wanted <= given) return;
  throw Invalid.field(
    ['dimensions'],
    `the embedding model of this pipeline has ${given} dimensions and no more`,
  );
}

/** Returns the first dimensions of a vector, scaled to the length 1. */
function shorten(vector: Float32Array, dimensions: number): Float32Array {
  const short = vector.slice(0, dimensions);
  const length = Math.hypot(...short);
  return length === 0 ? short : short.map((value) => value / length);
}

function toBase64(vector: Float32Array): string {
  const bytes = new DataView(new ArrayBuffer(4 * vector.length));
  for (const [at, value] of vector.entries()) bytes.setFloat32(4 * at, value, true);
  return Buffer.from(bytes.buffer).toString('base64');
}
