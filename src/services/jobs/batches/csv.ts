/** Characters with which a spreadsheet program may begin a formula. */
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

/**
 * Converts a value to the text of a cell. Lists of single values are joined by "; ". Objects, and lists of
 * objects or lists, are written as JSON.
 */
function toCellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object' || item === null)) {
    return value.map((item) => toCellText(item)).join('; ');
  }
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
