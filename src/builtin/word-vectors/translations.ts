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

export interface Translation {
  /** The English stem's place in the table of vectors. */
  row: number;
  /** 0..1 */
  sureness: number;
}

/** The words of a language whose English stem is known. */
export class Translations {
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
