import { toCellText } from './flatten.ts';

/** Characters with which a spreadsheet program may begin a formula, according to OWASP. */
const FORMULA_START = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/**
 * Encodes a value as a cell of a CSV file (RFC 4180). Text that a spreadsheet program could run as a formula
 * is preceded by an apostrophe. Numbers are not changed, because a negative number is no formula.
 */
export function encodeCell(value: unknown): string {
  const text = toCellText(value);
  const safe = typeof value !== 'number' && FORMULA_START.test(text) ? `'${text}` : text;
  return /[",\r\n;']/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const encodeCsvRow = (values: readonly unknown[]): string => `${values.map(encodeCell).join(',')}\r\n`;
