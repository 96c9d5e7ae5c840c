import { detectLanguage } from '#src/languages/detect.ts';
import { languageOf, resolveLanguage } from '#src/search/languages.ts';
import { words } from '#src/search/words.ts';

export type Analyse = (text: string) => string[];

export interface Analysis {
  terms: Analyse;
  /** As `terms`, without stop words; all of them when nothing else is left. */
  meaningful: Analyse;
  /** The meaningful ones with the words they were made of; all of them when nothing else is left. */
  tokens(text: string): { word: string; term: string }[];
  /** The terms, and those of them that are no stop words, be there none. */
  read(text: string): { terms: string[]; meaningful: string[] };
}

const REMEMBERED_STEMS = 50_000;
const analyses = new Map<string, Analysis>();

/** How the index reads text of a language (the sample's own, unless given): words in order, stemmed, pairs for scripts without spaces. */
export function analysisFor(language: string | undefined, sample: string): Analysis {
  const code = resolveLanguage(language ?? detectLanguage(sample), sample);
  let analysis = analyses.get(code);
  if (!analysis) {
    const { stem, stopWords } = languageOf(code);
    const ignored = new Set(stopWords.flatMap((each) => words(each)));
    const stems = new Map<string, string>();
    const stemOf = (word: string): string => {
      let known = stems.get(word);
      if (known === undefined) {
        if (stems.size >= REMEMBERED_STEMS) stems.clear();
        known = stem(word);
        stems.set(word, known);
      }
      return known;
    };
    const read = (text: string) => {
      const all = words(text);
      const terms = all.map(stemOf);
      return { terms, meaningful: terms.filter((_, i) => !ignored.has(all[i]!)) };
    };
    analysis = {
      terms: (text) => words(text).map(stemOf),
      meaningful(text) {
        const { terms, meaningful } = read(text);
        return meaningful.length > 0 ? meaningful : terms;
      },
      tokens(text) {
        const all = words(text).map((word) => ({ word, term: stemOf(word) }));
        const meaningful = all.filter(({ word }) => !ignored.has(word));
        return meaningful.length > 0 ? meaningful : all;
      },
      read,
    };
    analyses.set(code, analysis);
  }
  return analysis;
}
