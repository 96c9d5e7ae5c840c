import { SSF } from '@e965/xlsx';

/**
 * Properties of a spreadsheet's number format that decide how a value is shown. They are determined once per
 * format.
 */
interface FormatKind {
  isDate: boolean;
  hasClock: boolean;
  hasDay: boolean;
  /** True if the format adds a percent sign, a currency symbol or words that the plain number lacks. */
  hasSymbolOrText: boolean;
}

const kinds = new Map<string, FormatKind>();

function getFormatKind(format: string): FormatKind {
  const known = kinds.get(format);
  if (known) return known;
  const bare = format
    .split(';')[0]!
    .replace(/"[^"]*"|\\.|_.|\*./g, '')
    .replace(/\[(?!h+\]|m+\]|s+\])[^[\]]*\]/gi, '');
  const isDate = /[ymdhs]/i.test(bare) && !/general/i.test(bare) && !/[#?]/.test(bare);
  const kind = {
    isDate,
    hasClock: /[hs]/i.test(bare),
    hasDay: /[yd]/i.test(bare),
    hasSymbolOrText: /%|[$€£¥₹]/.test(format) || /"[^"\s]+"|\[\$[^\]-]/.test(format),
  };
  if (kinds.size < 1000) kinds.set(format, kind);
  return kind;
}

const pad = (number: number) => String(number).padStart(2, '0');

function isoFromSerial(serial: number, kind: FormatKind, date1904: boolean): string | undefined {
  const parts = SSF.parse_date_code(serial, { date1904 });
  if (!parts) return undefined;
  const day = `${String(parts.y).padStart(4, '0')}-${pad(parts.m)}-${pad(parts.d)}`;
  const seconds = Math.floor(parts.S);
  const clock = `${pad(parts.H)}:${pad(parts.M)}${seconds > 0 ? `:${pad(seconds)}` : ''}`;
  return kind.hasClock && clock !== '00:00' ? `${day} ${clock}` : day;
}

/**
 * Formats a number with up to 15 significant digits, as spreadsheets store them. For example, 0.1 + 0.2
 * becomes 0.3.
 */
export function plainNumber(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(15))) : '';
}

/**
 * Formats a number for readers. Dates become ISO days, percentages and amounts are formatted as in the sheet,
 * and other numbers are not rounded.
 */
export function formatNumber(value: number, format: string, date1904: boolean): string {
  const kind = getFormatKind(format);
  try {
    if (kind.isDate && kind.hasDay) return isoFromSerial(value, kind, date1904) ?? plainNumber(value);
    if (kind.isDate || kind.hasSymbolOrText) return String(SSF.format(format, value, { date1904 })).trim();
  } catch {
    // The formatter does not support this format, so the plain number is shown.
  }
  return plainNumber(value);
}

/**
 * Returns a built-in number format of spreadsheets by id, or `undefined` if the workbook has to define it.
 */
export function builtInFormat(id: number): string | undefined {
  return (SSF as unknown as { _table: Record<number, string> })._table[id];
}
