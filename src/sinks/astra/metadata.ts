import type { Metadata, MetadataValue } from '#src/ports/index-types.ts';

// Astra DB rejects documents with metadata that it cannot index. This metadata is stored as unindexed JSON
// text, and its keys are listed. Pre-filters on a listed key accept the document.

/**
 * Maximum size of indexed metadata: bytes per text, elements per list, and keys per object. Astra DB's own
 * limits are higher.
 */
const MAX_BYTES = 8_000;
const MAX_ELEMENTS = 1_000;
const MAX_KEYS = 500;
/**
 * Maximum length of a metadata key in characters. Astra DB limits the length of whole paths, including
 * escapes.
 */
const LONGEST_KEY = 400;

/** Entry in `unfilterable` that stands for every metadata key of the document. */
export const EVERY_KEY = '*';

export interface StoredMetadata {
  metadata: Metadata;
  /** JSON text of the metadata that Astra DB cannot index. `null` if there is none. */
  more_metadata: string | null;
  /** Keys of metadata that is not indexed. Pre-filters on these keys accept the document. */
  unfilterable: string[];
  /**
   * Keys of metadata whose value is a list with numbers. Astra DB compares only single numbers with a range.
   */
  number_lists: string[];
}

/** Returns whether Astra DB can filter by a metadata key of this name. */
export const isFilterable = (key: string): boolean =>
  key !== '' && !key.startsWith('$') && key.length <= LONGEST_KEY && key.isWellFormed();

export function toStoredMetadata(given: Metadata): StoredMetadata {
  const entries = Object.entries(given);
  const areTooMany = entries.length > MAX_KEYS;
  const fits = ([key, value]: [string, MetadataValue]) =>
    !areTooMany && isFilterable(key) && [value].flat().every(isIndexable) && !isTooLong(value);
  const rest = entries.filter((entry) => !fits(entry));
  const keys = rest.map(([key]) => key).filter(isFilterable);
  return {
    // `Object.fromEntries` keeps a key named `__proto__`, which an assignment would lose.
    metadata: Object.fromEntries(entries.filter(fits)),
    more_metadata: rest.length > 0 ? JSON.stringify(Object.fromEntries(rest)) : null,
    unfilterable: areTooMany ? [EVERY_KEY] : keys,
    number_lists: entries.filter((entry) => fits(entry) && isNumberList(entry[1])).map(([key]) => key),
  };
}

const isTooLong = (value: MetadataValue) => Array.isArray(value) && value.length > MAX_ELEMENTS;

const isNumberList = (value: MetadataValue) =>
  Array.isArray(value) && value.some((each) => typeof each === 'number');

function isIndexable(value: string | number | boolean | null): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'string') return true;
  return value.isWellFormed() && new TextEncoder().encode(value).length <= MAX_BYTES;
}
