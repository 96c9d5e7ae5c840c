import type { Metadata, MetadataValue } from '#src/ports/index-types.ts';

// Astra DB rejects documents with fields that it cannot index. Metadata that it would reject is stored as
// JSON text, which is not indexed. The keys of this metadata are listed, so that pre-filters on them accept
// the document.

/**
 * Limits of indexed metadata, which are stricter than Astra DB's own limits: bytes per text, elements per
 * list, and keys per object.
 */
const MAX_BYTES = 8_000;
const MAX_ELEMENTS = 1_000;
const MAX_KEYS = 500;
/** Maximum length of a key in characters. Astra DB limits the length of whole paths, including escapes. */
const LONGEST_KEY = 400;

/** Entry in `unfilterable` which means that no key of the document can be filtered by. */
export const EVERY_KEY = '*';

export interface StoredMetadata {
  /** Metadata that Astra DB indexes. */
  metadata: Metadata;
  /** JSON text of the metadata that Astra DB cannot index. `null` if there is none. */
  more_metadata: string | null;
  /** Keys of the metadata that is not indexed, as far as pre-filters may compare them. */
  unfilterable: string[];
  /** Keys whose value is a list with numbers. Astra DB compares only single numbers with a range. */
  number_lists: string[];
}

/** Returns whether Astra DB accepts a field with this name and can filter by it. */
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
