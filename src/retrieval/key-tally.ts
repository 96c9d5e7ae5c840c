import type { Metadata, MetadataValue } from '#src/ports/index-types.ts';

export type MetadataType = 'string' | 'number' | 'boolean' | 'list';
type Scalar = string | number | boolean;

/** A longer name is of no use to anybody who picks it from a list. */
const LONGEST_NAME = 256;
const MOST_VALUES = 10;
/** Characters of a value. */
const LONGEST_VALUE = 100;

interface Key {
  types: Set<MetadataType>;
  count: number;
  values: Set<Scalar>;
  isComplete: boolean;
}

/** Counts the keys of documents' metadata (flat), with their types and a few of their values. */
export class KeyTally {
  readonly #keys = new Map<string, Key>();
  readonly #tooLong = new Set<string>();

  /** `numbered`: keys of which the document's chunks have a number each. */
  add(metadata: Metadata, numbered: readonly string[]): void {
    for (const [name, value] of Object.entries(metadata)) {
      const key = numbered.includes(name) ? undefined : this.#key(name);
      if (!key || value === null) continue;
      key.count++;
      key.types.add(typeOf(value));
      for (const each of Array.isArray(value) ? value : [value]) addValue(key, each);
    }
    for (const name of numbered) {
      const key = this.#key(name)!;
      key.count++;
      key.types.add('number');
      key.isComplete = false;
    }
  }

  /** How many names are not among the keys, because they are too long. */
  get unnamed(): number {
    return this.#tooLong.size;
  }

  /** Those that most documents have first. */
  keys(isWanted: (name: string) => boolean) {
    return [...this.#keys]
      .filter(([name]) => isWanted(name))
      .sort(([a, { count: ofA }], [b, { count: ofB }]) => ofB - ofA || (a < b ? -1 : 1))
      .map(([name, { types, count, values, isComplete }]) => ({
        name,
        types: [...types],
        count,
        values: [...values],
        values_complete: isComplete,
      }));
  }

  /** Undefined for names that no filter can have, or nobody would. */
  #key(name: string): Key | undefined {
    if (name.length > LONGEST_NAME) this.#tooLong.add(name);
    if (name === '' || name.length > LONGEST_NAME) return undefined;
    const known = this.#keys.get(name);
    if (known) return known;
    const key: Key = { types: new Set(), count: 0, values: new Set(), isComplete: true };
    this.#keys.set(name, key);
    return key;
  }
}

function typeOf(value: NonNullable<MetadataValue>): MetadataType {
  if (Array.isArray(value)) return 'list';
  return typeof value as 'string' | 'number' | 'boolean';
}

function addValue(key: Key, value: Scalar): void {
  const shown = typeof value === 'string' ? firstCharacters(value) : value;
  if (shown !== value) key.isComplete = false;
  if (key.values.has(shown)) return;
  if (key.values.size < MOST_VALUES) key.values.add(shown);
  else key.isComplete = false;
}

/** Whole characters: half a surrogate pair is none. */
function firstCharacters(text: string): string {
  if (text.length <= LONGEST_VALUE) return text;
  return [...text.slice(0, 2 * LONGEST_VALUE)].slice(0, LONGEST_VALUE).join('');
}
