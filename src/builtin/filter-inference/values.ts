import type { Filter } from '#src/ports/index-types.ts';
import { comparisonAt } from './comparison.ts';
import { find, isFree } from './find.ts';
import type { Reading } from './reading.ts';
import type { Property } from './schema.ts';

/** The known values of a property that a query names: one is ==, several are in; "not" makes them != and nin. */
export function valueFilters({ key, values }: Property, reading: Reading): Filter[] {
  const wanted: (string | number)[] = [];
  const unwanted: (string | number)[] = [];
  // Longer values first: "New York Times" is not "New York".
  for (const value of values.toSorted((a, b) => String(b).length - String(a).length)) {
    const span = find(reading.query, String(value), true).find((each) => isFree(reading, each));
    if (!span) continue;
    reading.taken.push(span);
    (comparisonAt(reading.query, ...span) === '!=' ? unwanted : wanted).push(value);
  }
  const inOrder = (found: (string | number)[]) => values.filter((value) => found.includes(value));
  return [...filterOn(key, inOrder(wanted), '==', 'in'), ...filterOn(key, inOrder(unwanted), '!=', 'nin')];
}

/** One value is `single`, more are `several`, none is no filter. */
export function filterOn(
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

/** A value that follows the property's name: in quotes, capitalised, or after = or a colon. */
export function namedFilters({ key, labels }: Property, reading: Reading): Filter[] {
  for (const label of labels) {
    for (const [start, end] of find(reading.query, label)) {
      const rest = reading.query.slice(end, end + 200);
      const value = (QUOTED.exec(rest) ?? NAMED.exec(rest) ?? EXPLICIT.exec(rest))?.[1]?.replace(
        /(?<![.?])[.?]+$/,
        '',
      );
      if (!value) continue;
      const at = reading.query.indexOf(value, end);
      if (!isFree(reading, [at, at + value.length])) continue;
      reading.taken.push([start, at + value.length]);
      return [{ key, operator: '==', value }];
    }
  }
  return [];
}
