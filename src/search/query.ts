import { analyserOf } from './analysis.ts';
import type { LanguageCode } from './languages.ts';
import { shareOf, words } from './words.ts';

/** What a word of a query, or a part of one, is looked for as in one language. */
export interface QueryTerm {
  text: string;
  /** How much of the word's rarity it counts. */
  share: number;
  /** Common words rank what others have found. */
  isStopWord: boolean;
}

/** One word of a query, or one part of a word. */
export interface QueryWord {
  /** The terms that chunks score by, one for each language. */
  terms: QueryTerm[];
  /** The same terms' texts: how common the word is shows in all languages together. */
  variants: string[];
}

/** Different words of a query that are looked for: its first ones. Each costs a pass over its postings. */
const MOST_QUERY_WORDS = 256;
/** Different parts of words, likewise. */
const MOST_QUERY_PARTS = 512;

/**
 * Lists of stop words have words in them that some question is about. With a third of its weight such a word still
 * tells passages apart, and a "the" does no harm.
 */
const STOP_WORD_SHARE = 0.3;
/** Of a word that has parts: they say the most of it. */
const WHOLE_SHARE = 0.5;

/**
 * The words of a query, read in every given language. A stop word counts little in its language, unless the query has
 * nothing else to offer in it.
 */
export function analyseQuery(text: string, languages: readonly LanguageCode[]): QueryWord[] {
  const readings = languages.map((code) => readQuery(text, code));
  const different = new Set<string>();
  const parts = new Set<string>();
  const found: QueryWord[] = [];
  // Languages differ in what the words are, never in how many there are.
  for (const [at, word] of words(text).entries()) {
    if (different.size < MOST_QUERY_WORDS) different.add(word);
    if (!different.has(word)) continue;
    const read = readings.map((reading) => reading[at]!);
    found.push({ terms: read.map(({ whole }) => whole), variants: read.map(({ whole }) => whole.text) });
    for (const part of read.flatMap((each) => each.parts)) {
      if (parts.size < MOST_QUERY_PARTS) parts.add(part.text);
      if (parts.has(part.text)) found.push({ terms: [part], variants: [part.text] });
    }
  }
  return found;
}

interface ReadWord {
  whole: QueryTerm;
  parts: QueryTerm[];
}

/** The words of a query in one language; with their parts they count as much together as they would without. */
function readQuery(text: string, code: LanguageCode): ReadWord[] {
  const analyser = analyserOf(code);
  const asked = analyser.words(text);
  const isSpared = asked.every((word) => analyser.isStopWord(word));
  const read = asked.map((word): ReadWord => {
    const [whole, ...parts] = analyser.terms(word).map((term) => term.text);
    const isStopWord = !isSpared && analyser.isStopWord(word);
    const share = shareOf(word) * (isStopWord ? STOP_WORD_SHARE : parts.length > 0 ? WHOLE_SHARE : 1);
    // Long words would outweigh all others by the number of their parts.
    const ofPart = 1 / Math.sqrt(parts.length);
    return {
      whole: { text: whole!, share, isStopWord },
      parts: parts.map((part) => ({ text: part, share: ofPart, isStopWord: false })),
    };
  });
  if (read.every(({ parts }) => parts.length === 0)) return read;
  const inAll = read.reduce((sum, { whole, parts }) => sum + whole.share + Math.sqrt(parts.length), 0);
  const scale = asked.reduce((sum, word) => sum + shareOf(word), 0) / inAll;
  const scaled = (term: QueryTerm): QueryTerm => ({ ...term, share: term.share * scale });
  return read.map(({ whole, parts }) => ({ whole: scaled(whole), parts: parts.map(scaled) }));
}
