import type { Metadata } from '#src/ports/index-types.ts';
import { valuesOf } from '#src/search/filters.ts';
import type { Lookup, Narrowing } from '#src/sinks/external/narrowing.ts';

// The vendor needs an index for each member that filters name, which holds values of one type, while documents may have
// any keys with values of any. So points hold each key with each of its values as one word, and all words in one member.

export const VALUES = 'metadata_values';
/** Where two longer ones begin alike, both are found. */
const LONGEST_WORD = 200;

export type Condition =
  | { key: string; match: { value: string } | { any: string[] } }
  | { key: string; range: { lte: number } }
  | { must: Condition[] }
  | { should: Condition[] };

/** Words have no order, so they tell nothing of ranges. */
export const isFilterable = (_: string, how: Lookup): boolean => how === 'oneOf';

export function wordsOf(metadata: Metadata): string[] {
  return unique(
    Object.entries(metadata).flatMap(([key, value]) => valuesOf(value).map((each) => wordOf(key, each))),
  );
}

/** The condition that what the narrowing passes fulfils. */
export function conditionOf(narrowing: Narrowing): Condition {
  if ('all' in narrowing) return { must: narrowing.all.map(conditionOf) };
  if ('any' in narrowing) return { should: narrowing.any.map(conditionOf) };
  // A group of nothing passes all.
  if (!('oneOf' in narrowing)) return { must: [] };
  const { key, oneOf } = narrowing;
  return { key: VALUES, match: { any: unique(oneOf.map((item) => wordOf(key, item))) } };
}

/** A boolean is the word for it, as filters have it. */
function wordOf(key: string, value: string | number | boolean): string {
  const scalar = typeof value === 'boolean' ? String(value) : value;
  return JSON.stringify([key, scalar]).slice(0, LONGEST_WORD).toWellFormed();
}

const unique = (words: string[]): string[] => [...new Set(words)];
