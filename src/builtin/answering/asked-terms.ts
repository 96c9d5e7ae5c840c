import { words } from '#src/search/words.ts';
import type { Analysis } from '../terms.ts';
import type { WordWeight } from '../word-weight.ts';

/** A term of the question, and how much it says. */
export interface AskedTerm {
  term: string;
  weight: number;
  /** A number, or written like a name: what cannot be said in other words. */
  isExact: boolean;
}

/** The terms of a question in their order, as rare as they are among `texts` (each a text's terms) and at large. */
export function askedTerms(
  question: string,
  texts: readonly ReadonlySet<string>[],
  analysis: Analysis,
  wordWeight: WordWeight,
): AskedTerm[] {
  const names = namesIn(question);
  return analysis.tokens(question).map(({ word, term }) => {
    const containing = texts.filter((terms) => terms.has(term)).length;
    const rarity = Math.log(1 + (texts.length + 1) / (containing + 1));
    const isExact = names.has(word) || /\p{N}/u.test(word);
    return { term, weight: rarity * (0.25 + wordWeight(word)), isExact };
  });
}

/** Words with a capital that does not come from standing first. */
function namesIn(question: string): Set<string> {
  const [, rest = ''] = /^[^\p{L}\p{N}]*[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(.*)/su.exec(question) ?? [];
  return new Set((rest.match(/\p{Lu}[\p{L}\p{M}\p{N}]*/gu) ?? []).flatMap((each) => words(each)));
}
