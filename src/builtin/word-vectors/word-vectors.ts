import { stem } from 'porter2';
import { fold } from '#src/lib/text/words.ts';
import { languageOf, resolveLanguage } from '#src/search/languages.ts';
import { Spellings } from './spellings.ts';

/** Words less alike than this are no forms of one. */
const LEAST_LIKENESS = 0.75;

/** Shorter parts of words are endings. */
const SHORTEST_PART = 5;

/** A part of a longer word tells as much of it as it takes of its letters, less than this and it is chance. */
const LEAST_PART = 0.4;

/** Longer ones are no words. */
const LONGEST = 40;

/** How sure another form or a part is of what the word means, for as much of it as is alike. */
const AS_SURE = 0.8;

/** What is looked up is remembered, up to so many words. */
const REMEMBERED = 20_000;

interface Translation {
  /** The English stem's place in the table of vectors. */
  row: number;
  /** 0..1 */
  sureness: number;
}

/** The words of a language whose English stem is known. */
class Translations {
  readonly #rows = new Map<string, number>();
  readonly #words: string[];
  readonly #spellings: Spellings;
  readonly #stem: (word: string) => string;
  readonly #known = new Map<string, Translation | undefined>();

  /** `packed` is an entry of translations-table.ts. */
  constructor(language: string, packed: string) {
    let row = 0;
    for (const part of packed.split(' ')) {
      if (/^\d+$/.test(part)) row += Number(part);
      else this.#rows.set(part, row);
    }
    this.#words = [...this.#rows.keys()];
    this.#spellings = new Spellings(this.#words, LEAST_LIKENESS);
    const { stem } = languageOf(resolveLanguage(language, ''));
    this.#stem = (word) => fold(stem(word));
  }

  /** Of a word in lower case: its own, that of another form of it, or that of a word which it is made of. */
  of(word: string): Translation | undefined {
    if (this.#known.has(word)) return this.#known.get(word);
    if (this.#known.size >= REMEMBERED) this.#known.clear();
    const found = this.#find(word);
    this.#known.set(word, found);
    return found;
  }

  #find(word: string): Translation | undefined {
    const stem = this.#stem(word);
    const row = this.#rows.get(stem) ?? this.#rows.get(fold(word));
    if (row !== undefined) return { row, sureness: 1 };
    const form = this.#spellings.nearest(stem);
    if (form) return { row: this.#rows.get(this.#words[form.index]!)!, sureness: form.likeness * AS_SURE };
    return this.#partOf(stem);
  }

  /** The longest word that a compound ends in or begins with. */
  #partOf(word: string): Translation | undefined {
    if (word.length > LONGEST) return undefined;
    const shortest = Math.max(SHORTEST_PART, Math.ceil(word.length * LEAST_PART));
    for (let size = word.length - 1; size >= shortest; size--) {
      const row = this.#rows.get(word.slice(-size)) ?? this.#rows.get(word.slice(0, size));
      if (row !== undefined) return { row, sureness: (size / word.length) * AS_SURE };
    }
    return undefined;
  }
}

const DIMENSIONS = 100;
/** The middle of the fifteen steps that a number of the table has. */
const ZERO = 7;
const ENGLISH = /^[a-z]{2,}$/;
/** How sure it is that a word of another language means what the English one does that is written like it. */
const SAME_IN_ENGLISH = 0.8;
/** A translation that is less sure than this is asked for last: many words are written much as in English. */
const SURE = 0.75;
/** So many of the commonest stems have vectors of many uses; those of rarer ones are less sure, and no cognates. */
export const WELL_KNOWN = 12_000;
const RARE = 0.6;
/** Words less alike than this share their letters by accident. */
export const LEAST_COGNATE = 0.7;

/** What a word means: the vector of an English stem, and how sure that is the word's, 0..1. */
export interface Meaning {
  vector: number;
  sureness: number;
}

/** Vectors of the commonest English words, of a length of 1. */
export class WordVectors {
  readonly #rows: ReadonlyMap<string, number>;
  readonly #values: Float32Array;
  readonly #spellings: Spellings;
  readonly #packed: Record<string, string>;
  readonly #translations = new Map<string, Translations>();
  /** What texts in general are about, each as the sum of its words. */
  readonly topics: Float64Array[];

  constructor(stems: string[], packed: string, topics: string[], translations: Record<string, string>) {
    this.#packed = translations;
    this.#rows = new Map(stems.map((stem, row) => [stem, row]));
    this.#values = unpacked(packed);
    this.topics = topics.map((topic) =>
      this.sum(topic.split(' ').map((stem) => ({ vector: this.#rows.get(stem)!, sureness: 1, weight: 1 }))),
    );
    this.#spellings = new Spellings(stems.slice(0, WELL_KNOWN), LEAST_COGNATE);
  }

  /** `word` is in lower case. Of other languages those words are found that have a translation, or that many languages share. */
  meaningOf(word: string, language: string): Meaning | undefined {
    const folded = fold(word);
    if (language === 'en') return this.#english(folded);
    const translation = this.#translationsOf(language)?.of(word);
    if (translation && translation.sureness >= SURE) return asMeaning(translation);
    const english = this.#english(folded);
    if (english) return { ...english, sureness: english.sureness * SAME_IN_ENGLISH };
    const cognate = this.#spellings.nearest(folded);
    if (cognate) return { vector: cognate.index, sureness: cognate.likeness * SAME_IN_ENGLISH };
    return translation && asMeaning(translation);
  }

  #english(word: string): Meaning | undefined {
    const row = ENGLISH.test(word) ? this.#rows.get(stem(word)) : undefined;
    return row === undefined ? undefined : { vector: row, sureness: row < WELL_KNOWN ? 1 : RARE };
  }

  #translationsOf(language: string): Translations | undefined {
    const packed = this.#packed[language];
    let translations = this.#translations.get(language);
    if (!translations && packed !== undefined) {
      translations = new Translations(language, packed);
      this.#translations.set(language, translations);
    }
    return translations;
  }

  /** Cosine of two vectors. */
  likeness(left: number, right: number): number {
    const values = this.#values;
    let sum = 0;
    let a = left * DIMENSIONS;
    let b = right * DIMENSIONS;
    for (const end = a + DIMENSIONS; a < end; a++, b++) sum += values[a]! * values[b]!;
    return sum;
  }

  /** The weighted sum of vectors. */
  sum(parts: Iterable<Meaning & { weight: number }>): Float64Array {
    const total = new Float64Array(DIMENSIONS);
    for (const { vector, sureness, weight } of parts) {
      const start = vector * DIMENSIONS;
      const share = weight * sureness;
      for (let k = 0; k < DIMENSIONS; k++) total[k]! += this.#values[start + k]! * share;
    }
    return total;
  }
}

const asMeaning = ({ row, sureness }: Translation): Meaning => ({ vector: row, sureness });

/** Cosine; 0 beside nothing. */
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

function unpacked(base64: string): Float32Array {
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

/** Once an isolate, when the first document is classified. */
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
