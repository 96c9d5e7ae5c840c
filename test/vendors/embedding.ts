import { type Answer, Refused, type VendorRequest } from './behaviour.ts';

// What the vendors of embedding models have in common, behind their protocols.

/** Note about each embedding call. */
export interface EmbeddingNote {
  texts: string[];
  /** Purpose of the texts in the request. */
  purpose?: string | undefined;
}

/** Settings that reduce the limits of a vendor. */
export interface EmbeddingLimits {
  mostTexts?: number;
  /** Maximum text length in characters. */
  longestText?: number;
  /** Status of a rejection, which differs by vendor. */
  refusal?: number;
}

type Vectors = unknown[];

/** Invalid answers by name, for faults of the kind `own`. */
export const TROUBLES: Record<string, (vectors: number[][]) => Vectors> = {
  none: () => [],
  'too few': (vectors) => vectors.slice(1),
  'too many': (vectors) => [...vectors, vectors[0]],
  'one of another length': ([first, ...others]) => [first!.slice(1), ...others],
  'one that is empty': ([, ...others]) => [[], ...others],
  'null for one': ([, ...others]) => [null, ...others],
  'a text for one': ([, ...others]) => ['vector', ...others],
  'a text in one': ([, ...others]) => [['1', 2, 3, 4], ...others],
  'no number in one': ([, ...others]) => [[null, 1, 1, 1], ...others],
  'an infinite number in one': ([, ...others]) => [[Number.POSITIVE_INFINITY, 1, 1, 1], ...others],
  'one without a direction': ([first, ...others]) => [first!.map(() => 0), ...others],
};

let calls = 0;

/** Answers with vectors for the texts, or with the planned fault. `write` builds the vendor's answer. */
export async function embeddings(
  request: Pick<VendorRequest, 'trouble' | 'note' | 'settings'>,
  { texts, purpose }: EmbeddingNote,
  dimension: number,
  write: (vectors: Vectors) => Answer,
): Promise<Answer> {
  request.note({ texts, purpose } satisfies EmbeddingNote);
  const { mostTexts = Infinity, longestText = Infinity, refusal = 413 } = request.settings as EmbeddingLimits;
  if (texts.length > mostTexts || texts.some((text) => text.length > longestText)) {
    throw new Refused({ status: refusal, message: 'more than this model takes' });
  }
  // Delays some answers, so that answers arrive out of order.
  calls += 1;
  await new Promise((resolve) => setTimeout(resolve, (calls % 2) * 2));
  const vectors = texts.map((text) => computeVector(text, dimension));
  return write(request.trouble ? TROUBLES[request.trouble]!(vectors) : vectors);
}

/** Returns numbers derived from the text, without a fixed length. */
export function computeVector(text: string, dimension: number): number[] {
  let hash = 7;
  for (const char of text) hash = (hash * 31 + char.codePointAt(0)!) % 1_000_003;
  const four = [1 + (hash % 97), -(hash % 89), hash % 83, 1 + text.length];
  return Array.from({ length: dimension }, (_, at) => four[at % 4]! + Math.trunc(at / 4));
}
