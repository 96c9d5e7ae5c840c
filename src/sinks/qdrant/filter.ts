import type { Metadata } from '#src/ports/index-types.ts';
import { toScalars } from '#src/search/filters.ts';
import type { Lookup, PreFilter } from '#src/sinks/external/pre-filter.ts';

// Qdrant needs an index for each filtered payload field, with values of one type. Document metadata may have
// any keys and value types. Each key-value pair is therefore stored as one string, and all strings go into a
// single field.

export const VALUES = 'metadata_values';
/**
 * Maximum length of an encoded key-value pair, in characters. Longer pairs are cut. Filters therefore cannot
 * distinguish long values that begin with the same text.
 */
const LONGEST_WORD = 200;

export type Condition =
  | { key: string; match: { value: string } | { any: string[] } }
  | { key: string; range: { gte?: number; lte: number } }
  | { must: Condition[] }
  | { should: Condition[] };

/**
 * Returns whether Qdrant can apply a filter on metadata. Only comparisons for equality are supported, because
 * the encoded key-value pairs have no order.
 */
export const isFilterable = (_: string, how: Lookup): boolean => how === 'oneOf';

export function encodeMetadata(metadata: Metadata): string[] {
  return unique(
    Object.entries(metadata).flatMap(([key, value]) => toScalars(value).map((each) => encodePair(key, each))),
  );
}

export function toCondition(preFilter: PreFilter): Condition {
  if ('all' in preFilter) return { must: preFilter.all.map(toCondition) };
  if ('any' in preFilter) return { should: preFilter.any.map(toCondition) };
  // A group without conditions matches every point.
  if (!('oneOf' in preFilter)) return { must: [] };
  const { key, oneOf } = preFilter;
  return { key: VALUES, match: { any: unique(oneOf.map((item) => encodePair(key, item))) } };
}

/**
 * Encodes a metadata key and its value as one string. Booleans become strings, because filters pass booleans
 * as strings too.
 */
function encodePair(key: string, value: string | number | boolean): string {
  const scalar = typeof value === 'boolean' ? String(value) : value;
  return JSON.stringify([key, scalar]).slice(0, LONGEST_WORD).toWellFormed();
}

const unique = (words: string[]): string[] => [...new Set(words)];
