import { SSF } from '@e965/xlsx';

/** A number format's parts that decide how a value is shown, found once per format. */
interface FormatKind {
  isDate: boolean;
  hasClock: boolean;
  hasDay: boolean;
  /** Percent, currency or words: what is shown says more than the number. */
  isTelling: boolean;
}

const kinds = new Map<string, FormatKind>();

function kindOf(format: string): FormatKind {
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
    isTelling: /%|[$€£¥₹]/.test(format) || /"[^"\s]+"|\[\$[^\]-]/.test(format),
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

/** Up to 15 significant digits, as a sheet stores them: 0.1 + 0.2 reads 0.3. */
export function plainNumber(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(15))) : '';
}

/**
 * A number as a reader should see it: dates as ISO days, percentages and amounts as the sheet shows them,
 * any other number unrounded.
 */
export function formatNumber(value: number, format: string, date1904: boolean): string {
  const kind = kindOf(format);
  try {
    if (kind.isDate && kind.hasDay) return isoFromSerial(value, kind, date1904) ?? plainNumber(value);
    if (kind.isDate || kind.isTelling) return String(SSF.format(format, value, { date1904 })).trim();
  } catch {
    // A format that the formatter cannot read: the number itself is still right.
  }
  return plainNumber(value);
}

/** The built-in formats by number; undefined for the ones a workbook defines. */
export function builtInFormat(id: number): string | undefined {
  return (SSF as unknown as { _table: Record<number, string> })._table[id];
}
