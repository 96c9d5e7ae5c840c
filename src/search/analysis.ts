import { type LanguageCode, languageOf, resolveLanguage } from './languages.ts';

/**
 * Text to terms. A term carries the language whose rules made it ('en:run'), as if every language were a field
 * of its own: a chunk is matched by the query read in the chunk's language, never by an accident of another.
 */

/** Scripts whose letters mean much (and Hangul, whose words are compounds): indexed as letters and overlapping pairs. */
const PAIRED = '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}';
/** Alphabets written without spaces, where one letter means nothing: indexed as overlapping pairs and triples. */
const UNSPACED = '\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}';
const WORD = new RegExp(
  `([${PAIRED}ー]+)|([${UNSPACED}]+)|(?:(?![${PAIRED}${UNSPACED}])[\\p{L}\\p{M}\\p{N}])+`,
  'gu',
);
/**
 * What readers supply themselves and writers mostly leave out: the vowel points of Arabic and Hebrew, and the stroke
 * that only stretches an Arabic word. The dot of a small İ is lost elsewhere too.
 */
const POINTS = /[\u0640\u064b-\u065f\u0670\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]|(?<=i)\u0307/g;
const ASCII = /^[\x20-\x7e\s]*$/;
const ASCII_WORD = /[a-z0-9]+/g;
const FOLDED = /[\p{sc=Latin}\p{sc=Greek}]/u;
/** Longer ones are encoded data, not words; the term table's keys stay short. */
const LONGEST_WORD = 64;

/** The words of a text in order, lower-cased; letters and pairs for scripts without spaces. */
export function words(text: string): string[] {
  if (ASCII.test(text))
    return (text.toLowerCase().match(ASCII_WORD) ?? []).filter((w) => w.length <= LONGEST_WORD);
  const found: string[] = [];
  for (const match of text.normalize('NFKC').toLowerCase().replace(POINTS, '').matchAll(WORD)) {
    const [word, paired, unspaced] = match;
    if (paired !== undefined) addRuns(found, paired, [1, 2]);
    else if (unspaced !== undefined) addRuns(found, unspaced, [2, 3]);
    else if (word.length <= LONGEST_WORD) found.push(word);
  }
  return found;
}

/** All runs of so many letters, by where they start; a text shorter than any of them is its own. */
function addRuns(found: string[], text: string, sizes: number[]): void {
  const letters = [...text];
  const shortest = Math.min(sizes[0]!, letters.length);
  for (let at = 0; at + shortest <= letters.length; at++) {
    found.push(letters.slice(at, at + shortest).join(''));
    for (const size of sizes.slice(1)) {
      if (at + size <= letters.length) found.push(letters.slice(at, at + size).join(''));
    }
  }
}

/** "cafe" for "café"; a dotless ı becomes the i that whoever has another keyboard types. */
function withoutMarks(stem: string): string {
  if (!FOLDED.test(stem)) return stem;
  return stem.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ı', 'i');
}

const REMEMBERED_WORDS = 50_000;

/** `mark` and `at` say whether and where the tally that is under way has met the term. */
interface Term {
  readonly text: string;
  mark: number;
  at: number;
}

class Analyser {
  readonly #code: LanguageCode;
  readonly #ofWords = new Map<string, Term>();
  readonly #ofStems = new Map<string, Term>();
  readonly #stopWords: ReadonlySet<string>;

  constructor(code: LanguageCode) {
    this.#code = code;
    this.#stopWords = new Set(languageOf(code).stopWords.flatMap(words));
  }

  term(word: string): Term {
    let term = this.#ofWords.get(word);
    if (term === undefined) {
      const { stem, keepsMarks } = languageOf(this.#code);
      const text = `${this.#code}:${keepsMarks ? stem(word) : withoutMarks(stem(word))}`;
      term = this.#ofStems.get(text) ?? { text, mark: 0, at: 0 };
      this.#ofStems.set(text, term);
      this.#ofWords.set(word, term);
    }
    return term;
  }

  /** Between texts only: within one, a word has to stay the same term. */
  forgetSome(): void {
    if (this.#ofWords.size < REMEMBERED_WORDS) return;
    this.#ofWords.clear();
    this.#ofStems.clear();
  }

  isStopWord(word: string): boolean {
    return this.#stopWords.has(word);
  }
}

const analysers = new Map<LanguageCode, Analyser>();

function analyserOf(code: LanguageCode): Analyser {
  let analyser = analysers.get(code);
  if (analyser === undefined) {
    analyser = new Analyser(code);
    analysers.set(code, analyser);
  }
  return analyser;
}

/** How much one occurrence in each field counts; the text counts 1. */
export const BOOSTS = { headings: 2, title: 2 };

const HIGHEST_FREQUENCY = 255;

export interface TermCounts {
  /** Each term once. */
  terms: string[];
  /** How often each of them occurs, weighted by field, at most 255. */
  frequencies: number[];
}

let tallies = 0;

/** Counts the terms of one text at a time. A mark on the term is many times cheaper than a map for each text. */
class Tally implements TermCounts {
  readonly terms: string[] = [];
  readonly frequencies: number[] = [];
  /** Words counted, repeated ones as often as they came. */
  length = 0;
  readonly #analyser: Analyser;
  readonly #mark = ++tallies;

  constructor(analyser: Analyser) {
    this.#analyser = analyser;
    analyser.forgetSome();
  }

  add(text: string, weight: number): void {
    for (const word of words(text)) {
      this.length++;
      const term = this.#analyser.term(word);
      if (term.mark === this.#mark) {
        this.frequencies[term.at] = Math.min(HIGHEST_FREQUENCY, this.frequencies[term.at]! + weight);
      } else {
        term.mark = this.#mark;
        term.at = this.terms.push(term.text) - 1;
        this.frequencies.push(weight);
      }
    }
  }
}

export interface AnalysedChunk extends TermCounts {
  language: LanguageCode;
  /** Words of text and headings. */
  length: number;
}

export function analyseChunk(chunk: { text: string; headings?: string[]; language?: string }): AnalysedChunk {
  const language = resolveLanguage(chunk.language, chunk.text);
  const tally = new Tally(analyserOf(language));
  tally.add(chunk.text, 1);
  for (const heading of chunk.headings ?? []) tally.add(heading, BOOSTS.headings);
  const { terms, frequencies, length } = tally;
  return { language, terms, frequencies, length };
}

const EXTENSION = /\.[a-z0-9]{1,5}$/i;

/** The terms of a title or file name, and of the document's keywords, in one language. */
export function analyseTitle(title: string, language: LanguageCode, keywords = ''): TermCounts {
  const tally = new Tally(analyserOf(language));
  tally.add(title.replace(EXTENSION, ''), BOOSTS.title);
  tally.add(keywords, 1);
  const { terms, frequencies } = tally;
  return { terms, frequencies };
}

/** One word of a query. */
export interface QueryWord {
  /** The terms that chunks score by, one for each language in which the word means something. */
  terms: string[];
  /** The term it is in every language, also where it is a stop word: how common it is shows in all of them. */
  variants: string[];
}

/** Different words of a query that are looked for: its first ones. Each costs a pass over its postings. */
const MOST_QUERY_WORDS = 256;

/**
 * The words of a query, read in every given language. A word that is a stop word in a language stands for
 * nothing there, unless the query has nothing else to offer in it.
 */
export function analyseQuery(text: string, languages: readonly LanguageCode[]): QueryWord[] {
  const different = new Set<string>();
  const asked = words(text).filter((word) => {
    if (different.size < MOST_QUERY_WORDS) different.add(word);
    return different.has(word);
  });
  const spared = new Set<LanguageCode>();
  for (const code of languages) {
    if (asked.every((word) => analyserOf(code).isStopWord(word))) spared.add(code);
  }
  return asked
    .map((word) => ({
      terms: languages
        .filter((code) => spared.has(code) || !analyserOf(code).isStopWord(word))
        .map((code) => analyserOf(code).term(word).text),
      variants: languages.map((code) => analyserOf(code).term(word).text),
    }))
    .filter(({ terms }) => terms.length > 0);
}

export function languageOfTerm(term: string): LanguageCode {
  return term.slice(0, term.indexOf(':')) as LanguageCode;
}
