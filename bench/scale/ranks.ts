import type { TermStatistics } from '#src/ports/shard.ts';
import type { LanguageCode } from '#src/search/languages.ts';
import { analyseQuery } from '#src/search/query.ts';
import { B, K1, weighTerms } from '#src/search/term-weights.ts';
import type { Passage, Question } from './corpus.ts';
import { dot } from './vectors.ts';

/** What one arm finds with all shards asked, best first. */
export interface Ranked {
  passages: number[];
  scores: number[];
}

/** Whole-index figures and postings, as all shards together have them. */
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

  /** Of the terms that find something; common words only order what others have found, and say nothing of where to ask. */
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
    return sorted([...scores]);
  }
}

/** By exact similarity, as the shards' answer is. */
export function rankByVector(passages: Passage[], { vector }: Question): Ranked {
  return sorted(passages.map((passage, number) => [number, dot(passage.vector, vector)]));
}

/** Deep enough that a twentieth of the shards still fills an arm. */
const DEPTH = 2_000;

/** Equal scores in the passages' order: every way of asking sees the same one. */
function sorted(scored: [number, number][]): Ranked {
  scored.sort(([a, x], [b, y]) => y - x || a - b);
  const best = scored.slice(0, DEPTH);
  return { passages: best.map(([number]) => number), scores: best.map(([, score]) => score) };
}
