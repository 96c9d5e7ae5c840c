import { stem } from 'porter2';
import { fold } from '#src/lib/text/words.ts';
import { getLanguage, resolveLanguage } from '#src/search/languages.ts';
import { Spellings } from './spellings.ts';

/** Minimum spelling similarity, from 0 to 1, of two forms of one word. */
const MIN_LIKENESS = 0.75;

/** Minimum length in letters of a part of a compound word. Shorter parts are usually endings. */
const MIN_PART_LENGTH = 5;

/**
 * Minimum share, from 0 to 1, of a compound's letters that one part must have. Smaller parts may match by
 * chance.
 */
const MIN_PART_SHARE = 0.4;

/** Maximum length of a compound in letters. Longer strings are not words. */
const MAX_COMPOUND_LENGTH = 40;

/**
 * Certainty of a match with another form of a word, multiplied by the spelling similarity. For a part of a
 * compound word, it is multiplied by the part's share of letters.
 */
const INEXACT_CERTAINTY = 0.8;

/** Maximum number of cached look-ups. */
const MAX_CACHED_WORDS = 20_000;

interface Translation {
  /** Row in the table of word vectors that belongs to the English stem. */
  row: number;
  /** Certainty of the translation, from 0 to 1. */
  certainty: number;
}

/** Words of one language with their translations to English stems. */
class Translations {
  readonly #rows = new Map<string, number>();
  readonly #words: string[];
  readonly #spellings: Spellings;
  readonly #stem: (word: string) => string;
  readonly #known = new Map<string, Translation | undefined>();

  /** Unpacks an entry of `TRANSLATIONS` in translations-table.ts. */
  constructor(language: string, packed: string) {
    let row = 0;
    for (const part of packed.split(' ')) {
      if (/^\d+$/.test(part)) row += Number(part);
      else this.#rows.set(part, row);
    }
    this.#words = [...this.#rows.keys()];
    this.#spellings = new Spellings(this.#words, MIN_LIKENESS);
    const { stem } = getLanguage(resolveLanguage(language, ''));
    this.#stem = (word) => fold(stem(word));
  }

  /**
   * Returns the translation of a lower-case word, of another form of it, or of a part of a compound. Returns
   * `undefined` if there is none.
   */
  get(word: string): Translation | undefined {
    if (this.#known.has(word)) return this.#known.get(word);
    if (this.#known.size >= MAX_CACHED_WORDS) this.#known.clear();
    const found = this.#find(word);
    this.#known.set(word, found);
    return found;
  }

  #find(word: string): Translation | undefined {
    const stem = this.#stem(word);
    const row = this.#rows.get(stem) ?? this.#rows.get(fold(word));
    if (row !== undefined) return { row, certainty: 1 };
    const form = this.#spellings.findNearest(stem);
    if (form)
      return { row: this.#rows.get(this.#words[form.index]!)!, certainty: form.likeness * INEXACT_CERTAINTY };
    return this.#findPart(stem);
  }

  /** Returns the translation of the longest known word that a compound ends or begins with. */
  #findPart(word: string): Translation | undefined {
    if (word.length > MAX_COMPOUND_LENGTH) return undefined;
    const shortest = Math.max(MIN_PART_LENGTH, Math.ceil(word.length * MIN_PART_SHARE));
    for (let size = word.length - 1; size >= shortest; size--) {
      const row = this.#rows.get(word.slice(-size)) ?? this.#rows.get(word.slice(0, size));
      if (row !== undefined) return { row, certainty: (size / word.length) * INEXACT_CERTAINTY };
    }
    return undefined;
  }
}

const DIMENSIONS = 100;
/** Packed number from 0 to 14 that represents a vector component of 0. */
const ZERO = 7;
const ENGLISH = /^[a-z]{2,}$/;
/** Certainty that a foreign word means the same as an English word with the same spelling. */
const COGNATE_CERTAINTY = 0.8;
/**
 * Minimum certainty, from 0 to 1, at which a translation is preferred. Below it, an English word with a
 * similar spelling is tried first.
 */
const MIN_TRANSLATION_CERTAINTY = 0.75;
/**
 * Number of the most common English stems, whose vectors are reliable. Rarer stems get a lower certainty and
 * are not matched with similar words of other languages.
 */
export const COMMON_STEMS = 12_000;
const RARE_STEM_CERTAINTY = 0.6;
/**
 * Minimum spelling similarity, from 0 to 1, of words in two languages that count as the same word. Less
 * similar words share letters by accident.
 */
export const MIN_COGNATE_LIKENESS = 0.7;

/**
 * Meaning of a word: the row of an English stem's vector, and the certainty from 0 to 1 that the word has
 * this meaning.
 */
export interface Meaning {
  vector: number;
  certainty: number;
}

/** Vectors of the most common English words, scaled to length 1. */
export class WordVectors {
  readonly #rows: ReadonlyMap<string, number>;
  readonly #values: Float32Array;
  readonly #spellings: Spellings;
  readonly #packed: Record<string, string>;
  readonly #translations = new Map<string, Translations>();
  /** General topics of texts, each as the sum of the vectors of its words. */
  readonly topics: Float64Array[];

  constructor(stems: string[], packed: string, topics: string[], translations: Record<string, string>) {
    this.#packed = translations;
    this.#rows = new Map(stems.map((stem, row) => [stem, row]));
    this.#values = unpackVectors(packed);
    this.topics = topics.map((topic) =>
      this.sum(topic.split(' ').map((stem) => ({ vector: this.#rows.get(stem)!, certainty: 1, weight: 1 }))),
    );
    this.#spellings = new Spellings(stems.slice(0, COMMON_STEMS), MIN_COGNATE_LIKENESS);
  }

  /**
   * Returns the meaning of a lower-case word, or `undefined` if it is unknown. In other languages than
   * English, a word needs a translation or an English word of similar spelling.
   */
  findMeaning(word: string, language: string): Meaning | undefined {
    const folded = fold(word);
    if (language === 'en') return this.#findEnglish(folded);
    const translation = this.#getTranslations(language)?.get(word);
    if (translation && translation.certainty >= MIN_TRANSLATION_CERTAINTY) return toMeaning(translation);
    const english = this.#findEnglish(folded);
    if (english) return { ...english, certainty: english.certainty * COGNATE_CERTAINTY };
    const cognate = this.#spellings.findNearest(folded);
    if (cognate) return { vector: cognate.index, certainty: cognate.likeness * COGNATE_CERTAINTY };
    return translation && toMeaning(translation);
  }

  #findEnglish(word: string): Meaning | undefined {
    const row = ENGLISH.test(word) ? this.#rows.get(stem(word)) : undefined;
    return row === undefined
      ? undefined
      : { vector: row, certainty: row < COMMON_STEMS ? 1 : RARE_STEM_CERTAINTY };
  }

  #getTranslations(language: string): Translations | undefined {
    const packed = this.#packed[language];
    let translations = this.#translations.get(language);
    if (!translations && packed !== undefined) {
      translations = new Translations(language, packed);
      this.#translations.set(language, translations);
    }
    return translations;
  }

  /** Returns the cosine similarity of two vectors, which are given by their rows. */
  likeness(left: number, right: number): number {
    const values = this.#values;
    let sum = 0;
    let a = left * DIMENSIONS;
    let b = right * DIMENSIONS;
    for (const end = a + DIMENSIONS; a < end; a++, b++) sum += values[a]! * values[b]!;
    return sum;
  }

  sum(parts: Iterable<Meaning & { weight: number }>): Float64Array {
    const total = new Float64Array(DIMENSIONS);
    for (const { vector, certainty, weight } of parts) {
      const start = vector * DIMENSIONS;
      const share = weight * certainty;
      for (let k = 0; k < DIMENSIONS; k++) total[k]! += this.#values[start + k]! * share;
    }
    return total;
  }
}

const toMeaning = ({ row, certainty }: Translation): Meaning => ({
  vector: row,
  certainty,
});

/** Returns the cosine similarity, or 0 if either vector is zero. */
export function cosine(left: Float64Array, right: Float64Array): number {
  let product = 0;
  let leftSquare = 0;
  let rightSquare = 0;
  for (let k = 0; k < left.length; k++) {
    product += left[k]! * right[k]!;
    leftSquare += left[k]! * left[k]!;
    rightSquare += right[k]! * right[k]!;
  }
  return product / (Math.sqrt(leftSquare * rightSquare) || 1);
}

function unpackVectors(base64: string): Float32Array {
  const bytes = atob(base64);
  const values = new Float32Array(bytes.length * 2);
  for (let at = 0; at < bytes.length; at++) {
    const pair = bytes.charCodeAt(at);
    values[2 * at] = (pair >> 4) - ZERO;
    values[2 * at + 1] = (pair & 15) - ZERO;
  }
  for (let start = 0; start < values.length; start += DIMENSIONS) {
    const row = values.subarray(start, start + DIMENSIONS);
    const length = Math.hypot(...row) || 1;
    for (let k = 0; k < DIMENSIONS; k++) row[k]! /= length;
  }
  return values;
}

let loading: Promise<WordVectors> | undefined;

/** Loads the vectors once per isolate, when the first document is classified. */
export function loadWordVectors(): Promise<WordVectors> {
  loading ??= Promise.all([
    import('./table.ts'),
    import('./topics.ts'),
    import('./translations-table.ts'),
  ]).then(
    ([{ STEMS, VALUES }, { TOPICS }, { TRANSLATIONS }]) =>
      new WordVectors(STEMS.split(' '), VALUES, TOPICS, TRANSLATIONS),
  );
  return loading;
}
