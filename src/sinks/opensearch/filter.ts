import { encodePair, encodeRange, NUMBERS, unique, VALUES } from '#src/sinks/external/metadata-terms.ts';
import type { PreFilter } from '#src/sinks/external/pre-filter.ts';
import type { Clause } from './engine.ts';

export const equals = (field: string, value: string | number): Clause => ({ term: { [field]: { value } } });
export const isAmong = (field: string, values: string[]): Clause => ({ terms: { [field]: values } });
export const isAtMost = (field: string, most: number): Clause => ({ range: { [field]: { lte: most } } });
export const isAtLeast = (field: string, least: number): Clause => ({ range: { [field]: { gte: least } } });
export const all = (...clauses: Clause[]): Clause => ({ bool: { filter: clauses } });

interface Capabilities {
  /** Whether the cluster allows ranges of keywords. Some clusters forbid expensive queries. */
  ranges: boolean;
}

/**
 * Converts a pre-filter to a query clause. Conditions that the cluster forbids are left out. Returns `undefined` if
 * nothing is left, so that the search is not filtered.
 */
export function toClause(preFilter: PreFilter, can: Capabilities): Clause | undefined {
  if ('all' in preFilter) {
    const clauses = preFilter.all.map((part) => toClause(part, can)).filter((clause) => clause !== undefined);
    return clauses.length === 0 ? undefined : all(...clauses);
  }
  if ('any' in preFilter) {
    const clauses = preFilter.any.map((part) => toClause(part, can)).filter((clause) => clause !== undefined);
    if (clauses.length === 0 || clauses.length < preFilter.any.length) return undefined;
    return { bool: { should: clauses, minimum_should_match: 1 } };
  }
  const { key } = preFilter;
  if ('oneOf' in preFilter) {
    return isAmong(VALUES, unique(preFilter.oneOf.map((item) => encodePair(key, item))));
  }
  return can.ranges ? { range: { [NUMBERS]: encodeRange(key, preFilter) } } : undefined;
}
