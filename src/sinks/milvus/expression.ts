import type { Narrowing } from '#src/sinks/external/narrowing.ts';

// The vendor's filter expressions. Texts are literals in double quotes, whose escapes those of JSON are among.
// Characters beyond 16 bits are escaped: of those that are Chinese the vendor would keep the last 16 bits alone.

const BEYOND_16_BITS = /[\u{10000}-\u{10ffff}]/gu;

export const all = (...parts: string[]): string => parts.map((part) => `(${part})`).join(' and ');
const any = (...parts: string[]): string => parts.map((part) => `(${part})`).join(' or ');

const text = (value: string): string =>
  JSON.stringify(value.toWellFormed()).replace(
    BEYOND_16_BITS,
    (character) => `\\U${character.codePointAt(0)!.toString(16).padStart(8, '0')}`,
  );
const listOf = (values: string[]): string => `[${values.map(text).join(', ')}]`;

export const is = (field: string, value: string): string => `${field} == ${text(value)}`;
export const isIn = (field: string, values: string[]): string => `${field} in ${listOf(values)}`;

/** No empty list is an alternative, and no point is of an index without a name. */
const NOTHING = is('sluice_index', '');

/** Keys as people name them. What looks like a position in a list, or a path, is none. Paths have no escapes. */
const PLAIN_KEY = /^[\p{L}_][\p{L}\p{N} _-]{0,199}$/u;

export const isPlainKey = (key: string): boolean => PLAIN_KEY.test(key) && key.search(BEYOND_16_BITS) === -1;

/** Lets pass what `narrowing` does, and documents whose metadata expressions cannot tell of. */
export const expressionOf = (narrowing: Narrowing): string =>
  any('sluice_partial == true', rendered(narrowing));

function rendered(narrowing: Narrowing): string {
  if ('all' in narrowing) return all(...narrowing.all.map(rendered));
  if ('any' in narrowing) return any(...narrowing.any.map(rendered));
  const field = `metadata[${text(narrowing.key)}]`;
  if (!('oneOf' in narrowing)) {
    const { least, most } = narrowing;
    return all(
      ...(least === undefined ? [] : [`${field} >= ${numberOf(least)}`]),
      ...(most === undefined ? [] : [`${field} <= ${numberOf(most)}`]),
    );
  }
  const texts = narrowing.oneOf.filter((value) => typeof value === 'string');
  const others = narrowing.oneOf.filter((value) => typeof value !== 'string');
  const parts = others.map((value) => `${field} == ${typeof value === 'number' ? numberOf(value) : value}`);
  if (texts.length > 0) {
    parts.push(`${field} in ${listOf(texts)}`, `json_contains_any(${field}, ${listOf(texts)})`);
  }
  return parts.length > 0 ? any(...parts) : NOTHING;
}

/** Whole numbers beyond 64 bits are no literals of the vendor's, with an exponent they are. */
const numberOf = (value: number): string =>
  Number.isSafeInteger(value) ? String(value) : value.toExponential();
