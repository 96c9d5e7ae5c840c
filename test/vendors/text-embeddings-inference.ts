import { type Answer, type Behaviour, bearer, Refused, type VendorRequest } from './behaviour.ts';

/** Size of the vocabulary of BERT, which SPLADE models have. */
const VOCABULARY = 30_522;
/** Default of `--max-client-batch-size`. */
const MAX_INPUTS = 32;

interface SparseSettings {
  /** Groups of words with the same meaning. The model gives a weight to all words of a group that a text contains. */
  synonyms: string[][];
  /** Whether the server runs a model without SPLADE pooling. */
  isDense?: boolean;
}

const WEIGHTS = { own: 2.5, synonym: 1.25 };

/** Returns the number of a word in the vocabulary. */
export function numberWord(word: string): number {
  let hash = 7;
  for (const char of word) hash = (hash * 31 + char.codePointAt(0)!) % 1_000_003;
  return hash % VOCABULARY;
}

function weighText(text: string, synonyms: string[][]): { index: number; value: number }[] {
  const words = new Set(text.toLowerCase().match(/\p{L}+/gu));
  const weights = new Map<number, number>();
  for (const word of words) {
    for (const synonym of synonyms.find((group) => group.includes(word)) ?? []) {
      weights.set(numberWord(synonym), WEIGHTS.synonym);
    }
  }
  for (const word of words) weights.set(numberWord(word), WEIGHTS.own);
  return [...weights].map(([index, value]) => ({ index, value }));
}

function answer({ body, settings, note }: VendorRequest): Answer {
  const texts = [(body as { inputs: string | string[] }).inputs].flat();
  note({ texts });
  const { synonyms, isDense } = settings as unknown as SparseSettings;
  if (isDense)
    throw new Refused({ status: 424, message: 'Model is not an embedding model with SPLADE pooling' });
  if (texts.length > MAX_INPUTS) {
    throw new Refused({
      status: 413,
      message: `batch size ${texts.length} > maximum allowed batch size ${MAX_INPUTS}`,
    });
  }
  if (texts.includes('')) throw new Refused({ status: 413, message: '`inputs` cannot be empty' });
  return { body: texts.map((text) => weighText(text, synonyms)) };
}

export const textEmbeddingsInference: Behaviour = {
  name: 'text-embeddings-inference',
  error: (status, error) => ({ error, error_type: status === 424 ? 'backend' : 'validation' }),
  ...bearer,
  settings: { key: 'key-of-the-vendor', synonyms: [] },
  operations: {
    'POST /embed_sparse': {
      sample: { body: { inputs: ['a'], truncate: true, prompt_name: null, truncation_direction: 'Right' } },
      answer,
    },
  },
};
