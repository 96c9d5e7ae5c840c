import type { Metadata } from '#src/ports/index-types.ts';
import { toScalars } from '#src/search/filters.ts';

// Documents may have any metadata keys, and a key may have values of several types. Some stores declare the fields of an
// index. There, a field for each key would exceed the limit of fields, and the first value of a key would decide the type
// of all others. Flattened fields of OpenSearch and Elasticsearch differ, reject some keys, and compare numbers as texts.
// All metadata therefore goes into two fields. One has a term for each key with each of its values, and the other has a
// sortable term for each number.

/** Field with a term for each metadata key and value. */
export const VALUES = 'metadata_values';
/** Field with a sortable term for each metadata key and numeric value. */
export const NUMBERS = 'metadata_numbers';

/**
 * Maximum length of a term and of a key in a sortable term, in characters. Longer ones are cut, so filters cannot
 * distinguish values that begin with the same text. The shortest limit of a store is 8,181 characters.
 */
const LONGEST_TERM = 200;
/** Highest encoded number. No sortable term of the same key comes after it. */
const LARGEST = 'f'.repeat(16);

/** Returns the values of the two metadata fields of a document. */
export function toMetadataTerms(metadata: Metadata): { [VALUES]: string[]; [NUMBERS]: string[] } {
  const pairs = Object.entries(metadata).flatMap(([key, value]) =>
    toScalars(value).map((each) => ({ key, value: each })),
  );
  return {
    [VALUES]: unique(pairs.map(({ key, value }) => encodePair(key, value))),
    [NUMBERS]: unique(
      pairs.flatMap(({ key, value }) => (typeof value === 'number' ? [encodeNumber(key, value)] : [])),
    ),
  };
}

/**
 * Encodes a metadata key and its value as one term. Booleans become strings, because filters pass booleans as
 * strings too.
 */
export function encodePair(key: string, value: string | number | boolean): string {
  return cutTerm(JSON.stringify([key, typeof value === 'boolean' ? String(value) : value]));
}

/** Returns the first and the last sortable term of the numbers of a key between two bounds, which are included. */
export function encodeRange(
  key: string,
  { least, most }: { least?: number; most?: number },
): { gte: string; lte: string } {
  return {
    gte: least === undefined ? startTerm(key) : encodeNumber(key, least),
    lte: most === undefined ? `${startTerm(key)}${LARGEST}` : encodeNumber(key, most),
  };
}

export const unique = (terms: string[]): string[] => [...new Set(terms)];

/** Encodes a number so that the terms of one key sort like their numbers. */
function encodeNumber(key: string, value: number): string {
  const view = new DataView(new ArrayBuffer(8));
  // Adding zero turns negative zero into zero, which equals it.
  view.setFloat64(0, value + 0);
  const bits = view.getBigUint64(0);
  const isNegative = bits >> 63n === 1n;
  const sortable = isNegative ? ~bits & 0xffff_ffff_ffff_ffffn : bits | (1n << 63n);
  return `${startTerm(key)}${sortable.toString(16).padStart(16, '0')}`;
}

/** Returns the beginning of the sortable terms of a key. The closing quote keeps other keys apart. */
const startTerm = (key: string): string => `${cutTerm(JSON.stringify(key))} `;

export const cutTerm = (text: string): string => text.slice(0, LONGEST_TERM).toWellFormed();
