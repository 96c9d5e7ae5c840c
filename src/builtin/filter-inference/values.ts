import type { Filter } from '#src/ports/index-types.ts';
import { findComparison } from './comparison.ts';
import { findPhrase, isUnused } from './find.ts';
import type { QueryState } from './query-state.ts';
import type { Property } from './schema.ts';

/**
 * Returns filters for the known values of a property that a query contains. One value gives `==` and several
 * values give `in`. Negated values give `!=` or `nin`.
 */
export function readValueFilters({ key, values }: Property, reading: QueryState): Filter[] {
  const wanted: (string | number)[] = [];
  const unwanted: (string | number)[] = [];
  // Longer values are tested first, so that "New York Times" is not read as "New York".
  for (const value of values.toSorted((a, b) => String(b).length - String(a).length)) {
    const span = findPhrase(reading.query, String(value), true).find((each) => isUnused(reading, each));
    if (!span) continue;
    reading.used.push(span);
    (findComparison(reading.query, ...span) === '!=' ? unwanted : wanted).push(value);
  }
  const inOrder = (found: (string | number)[]) => values.filter((value) => found.includes(value));
  return [
    ...buildFilters(key, inOrder(wanted), '==', 'in'),
    ...buildFilters(key, inOrder(unwanted), '!=', 'nin'),
  ];
}

/**
 * Builds a filter with the operator `single` for one value, or with the operator `several` for more values.
 * Returns an empty array without values.
 */
export function buildFilters(
  key: string,
  values: (string | number)[],
  single: '==' | '!=',
  several: 'in' | 'nin',
): Filter[] {
  const [first, second] = values;
  if (first === undefined) return [];
  return [
    second === undefined
      ? { key, operator: single, value: first }
      : { key, operator: several, value: values },
  ];
}

const QUOTED = /^\s*(?:(?:is|=|:|called|named|heet|est|ist|es)\s*)?["“«'‘]([^"”»'’]{1,100})["”»'’]/u;
const NAMED =
  /^\s*(?:(?:is|=|:)\s*)?((?:\p{Lu}[\p{L}\p{N}.'’-]*)(?:\s+(?:(?:van|de|der|von|of)\s+)*\p{Lu}[\p{L}\p{N}.'’-]*){0,4})/u;
const EXPLICIT = /^\s*(?:=|:|is)\s*([^\s,;?!]{1,100})/u;

/**
 * Returns a filter for the value after a property's name in the query. The value must be quoted, capitalised,
 * or follow an equals sign or colon.
 */
export function readNamedFilters({ key, labels }: Property, reading: QueryState): Filter[] {
  for (const label of labels) {
    for (const [start, end] of findPhrase(reading.query, label)) {
      const rest = reading.query.slice(end, end + 200);
      const value = (QUOTED.exec(rest) ?? NAMED.exec(rest) ?? EXPLICIT.exec(rest))?.[1]?.replace(
        /(?<![.?])[.?]+$/,
        '',
      );
      if (!value) continue;
      const at = reading.query.indexOf(value, end);
      if (!isUnused(reading, [at, at + value.length])) continue;
      reading.used.push([start, at + value.length]);
      return [{ key, operator: '==', value }];
    }
  }
  return [];
}
