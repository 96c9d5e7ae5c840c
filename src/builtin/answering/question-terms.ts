import { getOwn } from '#src/lib/get-own.ts';
import type { WordCounts } from '#src/ports/index-types.ts';
import { splitIntoWords } from '#src/search/words.ts';
import type { Analysis } from '../terms.ts';
import type { WordWeight } from '../word-weight.ts';

/** A term of the question, and its weight. */
export interface QuestionTerm {
  term: string;
  weight: number;
  /** True for numbers and names, which cannot be expressed in other words. */
  isExact: boolean;
}

/**
 * Returns the terms of a question in order. A term weighs more if it is rare in the index and if its word is rare
 * in general. If the index has not counted a word, `texts` (the terms of each text) stand for the index.
 */
export function weighQuestionTerms(
  question: string,
  texts: readonly ReadonlySet<string>[],
  analysis: Analysis,
  wordWeight: WordWeight,
  counts?: WordCounts,
): QuestionTerm[] {
  const names = findNames(question);
  return analysis.tokens(question).map(({ word, term }) => {
    const counted = counts && getOwn(counts.containing, word);
    const rarity =
      counted !== undefined
        ? getInverseFrequency(counted, counts!.chunks)
        : getInverseFrequency(texts.filter((terms) => terms.has(term)).length, texts.length);
    const isExact = names.has(word) || /\p{N}/u.test(word);
    return { term, weight: rarity * (0.25 + wordWeight(word)), isExact };
  });
}

/** Returns the inverse document frequency as BM25 computes it. */
const getInverseFrequency = (containing: number, all: number) =>
  Math.log(1 + (Math.max(0, all - containing) + 0.5) / (containing + 0.5));

/** Returns the capitalised words of a question, except its first word. */
function findNames(question: string): Set<string> {
  const [, rest = ''] = /^[^\p{L}\p{N}]*[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(.*)/su.exec(question) ?? [];
  return new Set((rest.match(/\p{Lu}[\p{L}\p{M}\p{N}]*/gu) ?? []).flatMap((each) => splitIntoWords(each)));
}
