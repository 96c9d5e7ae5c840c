import { type Answer, Refused, type VendorRequest } from './behaviour.ts';

// What the vendors of embedding models have in common, behind their protocols.

/** What a test is told about each call. */
export interface EmbeddingNote {
  texts: string[];
  /** What the vendor was told that the texts are for. */
  purpose?: string | undefined;
}

/** Settings by which a vendor is made to refuse more than it is said to take. */
export interface EmbeddingLimits {
  mostTexts?: number;
  /** Characters. */
  longestText?: number;
  /** Of a refusal; each vendor has its own. */
  refusal?: number;
}

type Vectors = unknown[];

/** Wrong answers by their names, for faults of the kind `own`. */
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

/** Vectors for the texts, or what the planned trouble makes of them; `write` puts them into the vendor's answer. */
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
  // Some take longer, so that answers overtake each other.
  calls += 1;
  await new Promise((resolve) => setTimeout(resolve, (calls % 2) * 2));
  const vectors = texts.map((text) => vectorOf(text, dimension));
  return write(request.trouble ? TROUBLES[request.trouble]!(vectors) : vectors);
}

/** Numbers that follow from the text and are of no particular length. */
export function vectorOf(text: string, dimension: number): number[] {
  let hash = 7;
  for (const char of text) hash = (hash * 31 + char.codePointAt(0)!) % 1_000_003;
  const four = [1 + (hash % 97), -(hash % 89), hash % 83, 1 + text.length];
  return Array.from({ length: dimension }, (_, at) => four[at % 4]! + Math.trunc(at / 4));
}
