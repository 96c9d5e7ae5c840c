import { z } from 'zod';
import type { EmbeddingPurpose } from '#src/ports/embedder.ts';

/** How a family of models behind InvokeModel, which only passes bodies on, is asked and answers. */
export interface BedrockFamily {
  /** Of one call. */
  texts: number;
  /** The most that a model reads of a text; longer ones are refused. */
  tokensPerText?: number;
  /** The most UTF-16 units of a text; longer ones are refused, whatever the model would read of them. */
  unitsPerText?: number;
  body(texts: string[], purpose: EmbeddingPurpose): Record<string, unknown>;
  answer: z.ZodType<unknown[]>;
}

const INPUT_TYPES = { document: 'search_document', query: 'search_query' } as const;

const titan: BedrockFamily = {
  texts: 1,
  tokensPerText: 8192,
  unitsPerText: 50_000,
  body: ([inputText]) => ({ inputText }),
  answer: z.object({ embedding: z.unknown() }).transform(({ embedding }) => [embedding]),
};

/** The vectors themselves, or by type where types were asked for, which the newer models do by themselves. */
const cohereAnswer = z
  .object({
    embeddings: z.union([z.array(z.unknown()), z.object({ float: z.array(z.unknown()) })]),
  })
  .transform(({ embeddings }) => (Array.isArray(embeddings) ? embeddings : embeddings.float));

const cohereV3: BedrockFamily = {
  texts: 96,
  unitsPerText: 2048,
  body: (texts, purpose) => ({ texts, input_type: INPUT_TYPES[purpose], truncate: 'END' }),
  answer: cohereAnswer,
};

const cohereV4: BedrockFamily = {
  texts: 96,
  tokensPerText: 128_000,
  body: (texts, purpose) => ({ texts, input_type: INPUT_TYPES[purpose], embedding_types: ['float'] }),
  answer: cohereAnswer,
};

const FAMILIES: [name: string, family: BedrockFamily][] = [
  ['amazon.titan-embed-text', titan],
  ['amazon.titan-embed-g1-text', titan],
  ['cohere.embed-v4', cohereV4],
  ['cohere.embed-english-v3', cohereV3],
  ['cohere.embed-multilingual-v3', cohereV3],
];

/** The family of a model, an inference profile (`us.cohere.embed-v4:0`) or an ARN that names one. */
export const familyOf = (model: string) => FAMILIES.find(([name]) => model.includes(name))?.[1];

export const FAMILY_NAMES = FAMILIES.map(([name]) => name);
