import { getAnalyser } from './analysis.ts';
import type { LanguageCode } from './languages.ts';
import { getIdfShare, splitIntoWords } from './words.ts';

/** Term that a query searches in one language. It comes from a query word or from an n-gram of the word. */
export interface QueryTerm {
  text: string;
  /** Factor from 0 to 1 by which the inverse document frequency of the word is multiplied. */
  idfShare: number;
  /** Whether the term is a stop word of its language. */
  isStopWord: boolean;
}

/** One word of a query, or one n-gram of a word. */
export interface QueryWord {
  /** Index terms of the word that score chunks, one for each language. */
  terms: QueryTerm[];
  /**
   * Texts of the index terms in all languages. The word's document frequency is the sum of their document
   * frequencies.
   */
  variants: string[];
  /** If this is an n-gram, the `variants` of the word from which it comes. */
  wordVariants?: string[];
}

/**
 * Maximum number of distinct words of a query that are searched. Each word costs a pass over its postings.
 */
const MAX_QUERY_WORDS = 256;
/** Maximum number of distinct n-grams of a query that are searched. */
const MAX_QUERY_PARTS = 512;

/** Factor for a whole word that also has n-grams, because the n-grams carry most of its weight. */
const WHOLE_SHARE = 0.5;

/** Longest query whose analysis is remembered, in characters. */
const MAX_REMEMBERED = 2_000;

let last: { text: string; languages: string; words: readonly QueryWord[] } | undefined;

/**
 * Returns what `readWords` returns. Remembers the last query, because one search needs it for the statistics, the scores
 * and the counts of words.
 */
export function analyseQuery(text: string, codes: readonly LanguageCode[]): readonly QueryWord[] {
  const languages = codes.join();
  if (last?.text === text && last.languages === languages) return last.words;
  const words = readWords(text, codes);
  if (text.length <= MAX_REMEMBERED) last = { text, languages, words };
  return words;
}

/**
 * Returns the words of a query, analysed in each given language. No word counts as a stop word in a language
 * in which the query consists only of stop words.
 */
function readWords(text: string, languages: readonly LanguageCode[]): QueryWord[] {
  const readings = languages.map((code) => readQuery(text, code));
  const different = new Set<string>();
  const parts = new Set<string>();
  const found: QueryWord[] = [];
  // A text has the same number of words in every language, although their terms differ.
  for (const [at, word] of splitIntoWords(text).entries()) {
    if (different.size < MAX_QUERY_WORDS) different.add(word);
    if (!different.has(word)) continue;
    const read = readings.map((reading) => reading[at]!);
    const variants = read.map(({ whole }) => whole.text);
    found.push({ terms: read.map(({ whole }) => whole), variants });
    for (const part of read.flatMap((each) => each.parts)) {
      if (parts.size < MAX_QUERY_PARTS) parts.add(part.text);
      if (parts.has(part.text)) {
        found.push({ terms: [part], variants: [part.text], wordVariants: variants });
      }
    }
  }
  return found;
}

interface ReadWord {
  whole: QueryTerm;
  parts: QueryTerm[];
}

/**
 * Analyses a query in one language. The weights are scaled so that words and n-grams together weigh as much
 * as the words alone would.
 */
function readQuery(text: string, code: LanguageCode): ReadWord[] {
  const analyser = getAnalyser(code);
  const queryWords = analyser.words(text);
  const hasOnlyStopWords = queryWords.every((word) => analyser.isStopWord(word));
  const read = queryWords.map((word): ReadWord => {
    const [whole, ...parts] = analyser.terms(word).map((term) => term.text);
    const isStopWord = !hasOnlyStopWords && analyser.isStopWord(word);
    const idfShare = getIdfShare(word) * (parts.length > 0 ? WHOLE_SHARE : 1);
    // Without the square root, long words would outweigh all other words, because they have more n-grams.
    const partShare = 1 / Math.sqrt(parts.length);
    return {
      whole: { text: whole!, idfShare, isStopWord },
      parts: parts.map((part) => ({ text: part, idfShare: partShare, isStopWord: false })),
    };
  });
  if (read.every(({ parts }) => parts.length === 0)) return read;
  const totalShare = read.reduce(
    (sum, { whole, parts }) => sum + whole.idfShare + Math.sqrt(parts.length),
    0,
  );
  const scale = queryWords.reduce((sum, word) => sum + getIdfShare(word), 0) / totalShare;
  const scaled = (term: QueryTerm): QueryTerm => ({ ...term, idfShare: term.idfShare * scale });
  return read.map(({ whole, parts }) => ({ whole: scaled(whole), parts: parts.map(scaled) }));
}
