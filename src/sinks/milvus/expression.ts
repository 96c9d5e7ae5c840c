import type { PreFilter } from '#src/sinks/external/pre-filter.ts';

// Builds filter expressions of Milvus. Texts are quoted and escaped as in JSON. Characters beyond 16 bits are
// escaped too, because Milvus would truncate some of them to 16 bits.

const BEYOND_16_BITS = /[\u{10000}-\u{10ffff}]/gu;

export const all = (...parts: string[]): string => parts.map((part) => `(${part})`).join(' and ');
const any = (...parts: string[]): string => parts.map((part) => `(${part})`).join(' or ');

const toTextLiteral = (value: string): string =>
  JSON.stringify(value.toWellFormed()).replace(
    BEYOND_16_BITS,
    (character) => `\\U${character.codePointAt(0)!.toString(16).padStart(8, '0')}`,
  );
const toListLiteral = (values: string[]): string => `[${values.map(toTextLiteral).join(', ')}]`;

export const is = (field: string, value: string): string => `${field} == ${toTextLiteral(value)}`;
export const isIn = (field: string, values: string[]): string => `${field} in ${toListLiteral(values)}`;

/**
 * Expression that matches no entity, because every entity has an index name. Milvus has no other way to
 * express this.
 */
const MATCHES_NOTHING = is('sluice_index', '');

/**
 * Matches metadata keys that expressions can compare. Other keys could look like a list index or a path,
 * which Milvus cannot escape.
 */
const PLAIN_KEY = /^[\p{L}_][\p{L}\p{N} _-]{0,199}$/u;

export const isPlainKey = (key: string): boolean => PLAIN_KEY.test(key) && key.search(BEYOND_16_BITS) === -1;

/**
 * Converts a pre-filter to an expression of Milvus. It also accepts documents whose metadata expressions
 * cannot compare completely.
 */
export const toExpression = (preFilter: PreFilter): string =>
  any('sluice_partial == true', convert(preFilter));

function convert(preFilter: PreFilter): string {
  if ('all' in preFilter) return all(...preFilter.all.map(convert));
  if ('any' in preFilter) return any(...preFilter.any.map(convert));
  const field = `metadata[${toTextLiteral(preFilter.key)}]`;
  if (!('oneOf' in preFilter)) {
    const { least, most } = preFilter;
    return all(
      ...(least === undefined ? [] : [`${field} >= ${toNumberLiteral(least)}`]),
      ...(most === undefined ? [] : [`${field} <= ${toNumberLiteral(most)}`]),
    );
  }
  const texts = preFilter.oneOf.filter((value) => typeof value === 'string');
  const others = preFilter.oneOf.filter((value) => typeof value !== 'string');
  const parts = others.map(
    (value) => `${field} == ${typeof value === 'number' ? toNumberLiteral(value) : value}`,
  );
  if (texts.length > 0) {
    parts.push(`${field} in ${toListLiteral(texts)}`, `json_contains_any(${field}, ${toListLiteral(texts)})`);
  }
  return parts.length > 0 ? any(...parts) : MATCHES_NOTHING;
}

/**
 * Formats a number for an expression. Integers beyond 64 bits get an exponent, because Milvus accepts no such
 * integer literals.
 */
const toNumberLiteral = (value: number): string =>
  Number.isSafeInteger(value) ? String(value) : value.toExponential();
