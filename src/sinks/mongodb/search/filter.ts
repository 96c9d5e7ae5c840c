import type { Document } from 'mongodb';
import { encodePair, unique, VALUES } from '#src/sinks/external/metadata-terms.ts';
import type { Lookup, PreFilter } from '#src/sinks/external/pre-filter.ts';

// A pre-filter is needed in two languages: operators of full-text search, and match expressions of vector search.

/** Ranges of numbers are not filterable, because a term contains a key together with one value. */
export const isFilterable = (_key: string, how: Lookup): boolean => how === 'oneOf';

export const equals = (path: string, value: string) => ({ equals: { path, value } });
export const isAmong = (path: string, value: string[]) => ({ in: { path, value } });

/** Converts a pre-filter to an operator of full-text search. */
export function toOperator(preFilter: PreFilter): object {
  if ('all' in preFilter) return { compound: { filter: preFilter.all.map(toOperator) } };
  if ('any' in preFilter) {
    return { compound: { should: preFilter.any.map(toOperator), minimumShouldMatch: 1 } };
  }
  return isAmong(VALUES, toTerms(preFilter));
}

/** Converts a pre-filter to a match expression of vector search. */
export function toMatch(preFilter: PreFilter): Document {
  if ('all' in preFilter) return { $and: preFilter.all.map(toMatch) };
  if ('any' in preFilter) return { $or: preFilter.any.map(toMatch) };
  return { [VALUES]: { $in: toTerms(preFilter) } };
}

/** Returns the terms of the values of a condition. There are no conditions of ranges, see `isFilterable`. */
const toTerms = (condition: Extract<PreFilter, { key: string }>): string[] =>
  'oneOf' in condition ? unique(condition.oneOf.map((item) => encodePair(condition.key, item))) : [];
