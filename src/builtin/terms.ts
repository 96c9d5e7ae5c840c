import { detectLanguage } from '#src/languages/detect.ts';
import { getLanguage, resolveLanguage } from '#src/search/languages.ts';
import { splitIntoWords } from '#src/search/words.ts';

export type Analyse = (text: string) => string[];

export interface Analysis {
  terms: Analyse;
  /**
   * Returns the terms of a text without stop words. Returns all terms if the text consists only of stop
   * words.
   */
  meaningful: Analyse;
  /** Returns the same terms as `meaningful`, each with the word from which it was derived. */
  tokens(text: string): { word: string; term: string }[];
  /**
   * Returns all terms of a text, and separately its terms without stop words. The second list may be empty.
   */
  read(text: string): { terms: string[]; meaningful: string[] };
}

const MAX_CACHED_STEMS = 50_000;
const analyses = new Map<string, Analysis>();

/**
 * Returns functions that convert text to the terms of the search index. Words are stemmed, and scripts
 * without spaces yield pairs of letters. If `language` is undefined, the language of `sample` is detected.
 */
export function getAnalysis(language: string | undefined, sample: string): Analysis {
  const code = resolveLanguage(language ?? detectLanguage(sample), sample);
  let analysis = analyses.get(code);
  if (!analysis) {
    const { stem, stopWords } = getLanguage(code);
    const ignored = new Set(stopWords.flatMap((each) => splitIntoWords(each)));
    const stems = new Map<string, string>();
    const getStem = (word: string): string => {
      let known = stems.get(word);
      if (known === undefined) {
        if (stems.size >= MAX_CACHED_STEMS) stems.clear();
        known = stem(word);
        stems.set(word, known);
      }
      return known;
    };
    const read = (text: string) => {
      const all = splitIntoWords(text);
      const terms = all.map(getStem);
      return { terms, meaningful: terms.filter((_, i) => !ignored.has(all[i]!)) };
    };
    analysis = {
      terms: (text) => splitIntoWords(text).map(getStem),
      meaningful(text) {
        const { terms, meaningful } = read(text);
        return meaningful.length > 0 ? meaningful : terms;
      },
      tokens(text) {
        const all = splitIntoWords(text).map((word) => ({ word, term: getStem(word) }));
        const meaningful = all.filter(({ word }) => !ignored.has(word));
        return meaningful.length > 0 ? meaningful : all;
      },
      read,
    };
    analyses.set(code, analysis);
  }
  return analysis;
}
