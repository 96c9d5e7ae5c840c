import type { TermStatistics } from '#src/ports/shard.ts';
import type { LanguageCode } from '#src/search/languages.ts';
import { analyseQuery } from '#src/search/query.ts';
import { B, K1, weighTerms } from '#src/search/term-weights.ts';
import type { Passage, Question } from './corpus.ts';
import { dot } from './vectors.ts';

/** Ranking of one arm over all shards, best passage first. */
export interface Ranked {
  passages: number[];
  scores: number[];
}

/** Index of the words of all shards together. */
export class WordIndex {
  readonly statistics: TermStatistics;
  readonly #postings = new Map<string, { passage: number; impact: number }[]>();
  readonly #languages: LanguageCode[];

  constructor(passages: Passage[]) {
    const totalLength = passages.reduce((sum, { length }) => sum + length, 0);
    const mean = totalLength / passages.length;
    for (const [passage, { terms, length }] of passages.entries()) {
      const norm = K1 * (1 - B + (B * length) / mean);
      for (const [term, frequency] of terms) {
        const impact = frequency / (frequency + norm);
        const postings = this.#postings.get(term);
        if (postings) postings.push({ passage, impact });
        else this.#postings.set(term, [{ passage, impact }]);
      }
    }
    const documentFrequency = Object.fromEntries(
      [...this.#postings].map(([term, postings]) => [term, postings.length]),
    );
    this.statistics = { documentCount: passages.length, totalLength, documentFrequency };
    this.#languages = [
      ...new Set([...this.#postings.keys()].map((term) => term.slice(0, term.indexOf(':')) as LanguageCode)),
    ];
  }

  get terms(): number {
    return this.#postings.size;
  }

  /**
   * Returns the weights of the terms that find passages. Common words only change the order of found
   * passages, so they do not help to choose shards.
   */
  weights(text: string): Map<string, number> {
    return weighTerms(analyseQuery(text, this.#languages), this.statistics).finding;
  }

  postings(term: string) {
    return this.#postings.get(term) ?? [];
  }

  rank({ text }: Question): Ranked {
    const scores = new Map<number, number>();
    for (const [term, weight] of this.weights(text)) {
      for (const { passage, impact } of this.postings(term)) {
        scores.set(passage, (scores.get(passage) ?? 0) + weight * impact);
      }
    }
    return sortByScore([...scores]);
  }
}

/** Ranks passages by exact similarity, as the shards do. */
export function rankByVector(passages: Passage[], { vector }: Question): Ranked {
  return sortByScore(passages.map((passage, number) => [number, dot(passage.vector, vector)]));
}

/** Number of ranked passages. It is large enough that a twentieth of the shards still fills an arm. */
const DEPTH = 2_000;

/** Sorts by score. Equal scores keep the order of the passages, so every method sees the same order. */
function sortByScore(scored: [number, number][]): Ranked {
  scored.sort(([a, x], [b, y]) => y - x || a - b);
  const best = scored.slice(0, DEPTH);
  return { passages: best.map(([number]) => number), scores: best.map(([, score]) => score) };
}
