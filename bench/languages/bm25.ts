/** Terms of a text with their frequencies. */
export type TermBag = Map<string, number>;

export function countTerms(terms: string[]): TermBag {
  const bag: TermBag = new Map();
  for (const term of terms) bag.set(term, (bag.get(term) ?? 0) + 1);
  return bag;
}

/** BM25 with Lucene's formula. It shares no code with the service. */
export class PlainIndex {
  readonly #postings = new Map<string, [document: number, frequency: number][]>();
  readonly #lengths: number[];
  readonly #meanLength: number;

  constructor(documents: { bag: TermBag; length: number }[]) {
    this.#lengths = documents.map(({ length }) => length);
    this.#meanLength = this.#lengths.reduce((sum, length) => sum + length, 0) / documents.length;
    for (const [document, { bag }] of documents.entries()) {
      for (const [term, frequency] of bag) {
        const postings = this.#postings.get(term) ?? [];
        postings.push([document, frequency]);
        this.#postings.set(term, postings);
      }
    }
  }

  documentFrequency(term: string): number {
    return this.#postings.get(term)?.length ?? 0;
  }

  idf(term: string): number {
    const n = this.documentFrequency(term);
    return Math.log(1 + (this.#lengths.length - n + 0.5) / (n + 0.5));
  }

  /** Returns the indexes of the best ten documents for weighted terms. */
  best(weights: Map<string, number>, k1: number, b: number): number[] {
    return this.search(weights, k1, b, 10).map(([document]) => document);
  }

  /** Returns the best `count` documents for weighted terms with their scores. */
  search(
    weights: Map<string, number>,
    k1: number,
    b: number,
    count: number,
  ): [document: number, score: number][] {
    const scores = new Map<number, number>();
    for (const [term, weight] of weights) {
      for (const [document, frequency] of this.#postings.get(term) ?? []) {
        const norm = k1 * (1 - b + (b * this.#lengths[document]!) / this.#meanLength);
        const score = (weight * frequency) / (frequency + norm);
        scores.set(document, (scores.get(document) ?? 0) + score);
      }
    }
    return [...scores].sort(([one, a], [other, c]) => c - a || one - other).slice(0, count);
  }
}
