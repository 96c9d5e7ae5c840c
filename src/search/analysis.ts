import type { IndexedChunk } from '#src/ports/index-types.ts';
import { getLanguage, type LanguageCode, resolveLanguage } from './languages.ts';
import { quantizeWeights } from './learned-terms.ts';
import { stripMarks } from './letters.ts';
import { splitIntoNgrams, splitIntoWords } from './words.ts';

/**
 * Turns text into search terms. A term starts with the language whose rules produced it, for example
 * 'en:run'. A chunk is therefore matched only by query terms that were analysed in the chunk's language.
 */

const MAX_CACHED_WORDS = 50_000;

/**
 * An index term. `mark` is the number of the last `Tally` that counted the term, and `at` is the term's index
 * in that tally.
 */
interface Term {
  readonly text: string;
  mark: number;
  at: number;
}

/** Prefix that distinguishes an n-gram of a word from a whole word with the same letters. */
const PART_PREFIX = '~';

class Analyser {
  readonly #code: LanguageCode;
  readonly #termsByWord = new Map<string, Term[]>();
  readonly #termByText = new Map<string, Term>();
  readonly #stopWords: ReadonlySet<string>;

  constructor(code: LanguageCode) {
    this.#code = code;
    this.#stopWords = new Set(getLanguage(code).stopWords.flatMap((each) => this.words(each)));
  }

  words(text: string): string[] {
    return splitIntoWords(text, getLanguage(this.#code).lower);
  }

  /** Returns the index terms of a word: its stem first, then its n-grams if the language has no stemmer. */
  terms(word: string): Term[] {
    let terms = this.#termsByWord.get(word);
    if (terms === undefined) {
      const { stem, keepsMarks, usesNgrams } = getLanguage(this.#code);
      const stemmed = keepsMarks ? stem(word) : stripMarks(stem(word));
      const parts = usesNgrams ? splitIntoNgrams(stemmed).map((gram) => PART_PREFIX + gram) : [];
      terms = [stemmed, ...parts].map((each) => this.#term(`${this.#code}:${each}`));
      this.#termsByWord.set(word, terms);
    }
    return terms;
  }

  #term(text: string): Term {
    let term = this.#termByText.get(text);
    if (term === undefined) {
      term = { text, mark: 0, at: 0 };
      this.#termByText.set(text, term);
    }
    return term;
  }

  /**
   * Empties the caches once they hold `MAX_CACHED_WORDS` words. Must not be called while a text is counted,
   * because counting relies on one object per term.
   */
  clearFullCaches(): void {
    if (this.#termsByWord.size < MAX_CACHED_WORDS) return;
    this.#termsByWord.clear();
    this.#termByText.clear();
  }

  isStopWord(word: string): boolean {
    return this.#stopWords.has(word);
  }
}

const analysers = new Map<LanguageCode, Analyser>();

export function getAnalyser(code: LanguageCode): Analyser {
  let analyser = analysers.get(code);
  if (analyser === undefined) {
    analyser = new Analyser(code);
    analysers.set(code, analyser);
  }
  return analyser;
}

/** Weight of one occurrence in a heading or title. An occurrence in the text has weight 1. */
export const BOOSTS = { headings: 2, title: 2 };

const HIGHEST_FREQUENCY = 255;

export interface TermCounts {
  /** Distinct terms. */
  terms: string[];
  /**
   * Number of occurrences of each term in `terms`, at most 255. Occurrences in headings and titles count more
   * than once.
   */
  frequencies: number[];
}

let tallies = 0;

/**
 * Counts the terms of one text. Marking the term objects is many times cheaper than creating a map for each
 * text.
 */
class Tally implements TermCounts {
  readonly terms: string[] = [];
  readonly frequencies: number[] = [];
  /** Number of counted words, including repetitions. */
  length = 0;
  readonly #analyser: Analyser;
  readonly #mark = ++tallies;

  constructor(analyser: Analyser) {
    this.#analyser = analyser;
    analyser.clearFullCaches();
  }

  add(text: string, weight: number): void {
    for (const word of this.#analyser.words(text)) {
      this.length++;
      for (const term of this.#analyser.terms(word)) {
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
}

export interface AnalysedChunk extends TermCounts {
  language: LanguageCode;
  /**
   * Number of words in the text and the headings. For a chunk with weights of a learned model, its largest weight.
   */
  length: number;
}

export function analyseChunk(
  chunk: Pick<IndexedChunk, 'text' | 'headings' | 'language' | 'weights'>,
): AnalysedChunk {
  const language = resolveLanguage(chunk.language, chunk.text);
  if (chunk.weights) {
    const { largest, ...counts } = quantizeWeights(chunk.weights);
    return { language, ...counts, length: largest };
  }
  const tally = new Tally(getAnalyser(language));
  tally.add(chunk.text, 1);
  for (const heading of chunk.headings ?? []) tally.add(heading, BOOSTS.headings);
  const { terms, frequencies, length } = tally;
  return { language, terms, frequencies, length };
}

const EXTENSION = /\.[a-z0-9]{1,5}$/i;

/** Returns the terms of a document's title or file name, and of its keywords, in one language. */
export function analyseTitle(title: string, language: LanguageCode, keywords = ''): TermCounts {
  const tally = new Tally(getAnalyser(language));
  tally.add(title.replace(EXTENSION, ''), BOOSTS.title);
  tally.add(keywords, 1);
  const { terms, frequencies } = tally;
  return { terms, frequencies };
}

export function getTermLanguage(term: string): LanguageCode {
  return term.slice(0, term.indexOf(':')) as LanguageCode;
}
