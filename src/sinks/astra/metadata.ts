import type { Metadata, MetadataValue } from '#src/ports/index-types.ts';

// The vendor refuses documents with members that it cannot index. What of metadata it would refuse is kept as JSON
// text, which is not looked up, and the keys are named, so that narrowings by them let the document pass.

/** Bytes of a text, elements of a list and members of an object that the vendor indexes; members stay well below. */
const MOST_BYTES = 8_000;
const MOST_ELEMENTS = 1_000;
const MOST_KEYS = 500;
/** The vendor's limit is on whole paths, with what is escaped in them. */
const LONGEST_KEY = 400;

/** Among the keys that cannot be looked up: none can. */
export const EVERY_KEY = '*';

export interface StoredMetadata {
  /** What the vendor indexes. */
  metadata: Metadata;
  /** JSON of the rest. */
  more_metadata: string | null;
  /** Keys of the rest, as far as narrowings may name them. */
  unfilterable: string[];
  /** Keys of lists with numbers: the vendor compares only numbers that stand alone. */
  number_lists: string[];
}

/** Whether the vendor can have, and be asked for, a member of this name. */
export const isFilterable = (key: string): boolean =>
  key !== '' && !key.startsWith('$') && key.length <= LONGEST_KEY && key.isWellFormed();

export function storedMetadata(given: Metadata): StoredMetadata {
  const entries = Object.entries(given);
  const areTooMany = entries.length > MOST_KEYS;
  const fits = ([key, value]: [string, MetadataValue]) =>
    !areTooMany && isFilterable(key) && [value].flat().every(isIndexable) && !isTooLong(value);
  const rest = entries.filter((entry) => !fits(entry));
  const keys = rest.map(([key]) => key).filter(isFilterable);
  return {
    // Assigned one by one, `__proto__` would be no member.
    metadata: Object.fromEntries(entries.filter(fits)),
    more_metadata: rest.length > 0 ? JSON.stringify(Object.fromEntries(rest)) : null,
    unfilterable: areTooMany ? [EVERY_KEY] : keys,
    number_lists: entries.filter((entry) => fits(entry) && isNumberList(entry[1])).map(([key]) => key),
  };
}

const isTooLong = (value: MetadataValue) => Array.isArray(value) && value.length > MOST_ELEMENTS;

const isNumberList = (value: MetadataValue) =>
  Array.isArray(value) && value.some((each) => typeof each === 'number');

function isIndexable(value: string | number | boolean | null): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'string') return true;
  return value.isWellFormed() && new TextEncoder().encode(value).length <= MOST_BYTES;
}
