import type { Metadata } from '#src/ports/index-types.ts';
import { valuesOf } from '#src/search/filters.ts';
import type { Lookup, Narrowing } from '#src/sinks/external/narrowing.ts';

// Qdrant needs an index for each filtered payload field, with values of one type. Document metadata may have
// any keys and value types, so each key-value pair is stored as one string and all strings go into a single
// field.

export const VALUES = 'metadata_values';
/**
 * Maximum length of a word, in characters. Longer words are cut, so values with the same beginning match each
 * other.
 */
const LONGEST_WORD = 200;

export type Condition =
  | { key: string; match: { value: string } | { any: string[] } }
  | { key: string; range: { lte: number } }
  | { must: Condition[] }
  | { should: Condition[] };

/** Only equality filters are supported. Words have no order, so they cannot be compared as a range. */
export const isFilterable = (_: string, how: Lookup): boolean => how === 'oneOf';

export function wordsOf(metadata: Metadata): string[] {
  return unique(
    Object.entries(metadata).flatMap(([key, value]) => valuesOf(value).map((each) => wordOf(key, each))),
  );
}

export function conditionOf(narrowing: Narrowing): Condition {
  if ('all' in narrowing) return { must: narrowing.all.map(conditionOf) };
  if ('any' in narrowing) return { should: narrowing.any.map(conditionOf) };
  // An empty group matches every point.
  if (!('oneOf' in narrowing)) return { must: [] };
  const { key, oneOf } = narrowing;
  return { key: VALUES, match: { any: unique(oneOf.map((item) => wordOf(key, item))) } };
}

/** Encodes a key and a value as one word. Booleans become strings, because filters pass them as strings. */
function wordOf(key: string, value: string | number | boolean): string {
  const scalar = typeof value === 'boolean' ? String(value) : value;
  return JSON.stringify([key, scalar]).slice(0, LONGEST_WORD).toWellFormed();
}

const unique = (words: string[]): string[] => [...new Set(words)];
