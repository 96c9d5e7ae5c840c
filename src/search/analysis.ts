import { type LanguageCode, languageOf, resolveLanguage } from './languages.ts';
import { withoutMarks } from './letters.ts';
import { gramsOf, words } from './words.ts';

/**
 * Text to terms. A term carries the language whose rules made it ('en:run'), as if every language were a field
 * of its own: a chunk is matched by the query read in the chunk's language, never by an accident of another.
 */

const REMEMBERED_WORDS = 50_000;

/** `mark` and `at` say whether and where the tally that is under way has met the term. */
interface Term {
  readonly text: string;
  mark: number;
  at: number;
}

/** Tells a part of a word from a word of the same letters. */
const PART = '~';

class Analyser {
  readonly #code: LanguageCode;
  readonly #ofWords = new Map<string, Term[]>();
  readonly #ofTexts = new Map<string, Term>();
  readonly #stopWords: ReadonlySet<string>;

  constructor(code: LanguageCode) {
    this.#code = code;
    this.#stopWords = new Set(languageOf(code).stopWords.flatMap((each) => this.words(each)));
  }

  words(text: string): string[] {
    return words(text, languageOf(this.#code).lower);
  }

  /** What a word is indexed as: its stem first, then its parts in a language that has no stemmer. */
  terms(word: string): Term[] {
    let terms = this.#ofWords.get(word);
    if (terms === undefined) {
      const { stem, keepsMarks, inParts } = languageOf(this.#code);
      const stemmed = keepsMarks ? stem(word) : withoutMarks(stem(word));
      const parts = inParts ? gramsOf(stemmed).map((gram) => PART + gram) : [];
      terms = [stemmed, ...parts].map((each) => this.#term(`${this.#code}:${each}`));
      this.#ofWords.set(word, terms);
    }
    return terms;
  }

  #term(text: string): Term {
    let term = this.#ofTexts.get(text);
    if (term === undefined) {
      term = { text, mark: 0, at: 0 };
      this.#ofTexts.set(text, term);
    }
    return term;
  }

  /** Between texts only: within one, a word has to stay the same term. */
  forgetSome(): void {
    if (this.#ofWords.size < REMEMBERED_WORDS) return;
    this.#ofWords.clear();
    this.#ofTexts.clear();
  }

  isStopWord(word: string): boolean {
    return this.#stopWords.has(word);
  }
}

const analysers = new Map<LanguageCode, Analyser>();

export function analyserOf(code: LanguageCode): Analyser {
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

export function languageOfTerm(term: string): LanguageCode {
  return term.slice(0, term.indexOf(':')) as LanguageCode;
}
