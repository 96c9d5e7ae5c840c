import { foldWord } from './text/fold.ts';
import type { Token } from './text/tokens.ts';

/** A date in a text, with all calendar days that it can mean, as YYYY-MM-DD. */
export interface DateMention {
  /** Index of the date's first token. `end` is the index after its last token. */
  first: number;
  end: number;
  days: string[];
}

const LANGUAGES =
  'en nl fr de es it pt pl sv da no fi tr ro cs hu vi ru uk el ar fa he hi th id hr sk sl lt lv et bg ca';
let months: Map<string, number> | undefined;

/**
 * Returns the number of each month, keyed by its folded name. Includes long, short and inflected names in
 * many languages.
 */
function monthNames(): Map<string, number> {
  if (months) return months;
  months = new Map();
  for (const language of LANGUAGES.split(' ')) {
    for (const month of ['long', 'short'] as const) {
      for (const options of [{ month }, { month, day: 'numeric' }] as const) {
        const format = new Intl.DateTimeFormat(`${language}-u-ca-gregory`, { ...options, timeZone: 'UTC' });
        for (let index = 0; index < 12; index++) {
          const parts = format.formatToParts(Date.UTC(2001, index, 15));
          const name = foldWord(parts.find((part) => part.type === 'month')?.value ?? '').replace(
            /\P{L}/gu,
            '',
          );
          if (name.length >= 3 && !months.has(name)) months.set(name, index + 1);
        }
      }
    }
  }
  return months;
}

/**
 * Maximum number of characters between two parts of a date. Wider gaps usually separate the cells of a table.
 */
const MAX_GAP = 6;
const NUMERIC_GAP = /^\s?[./\-–年月]\s?$/;
const WORD_GAP = /^[\s.,\-–/]*(?:de |of |d[ae] |del )?$/;

interface Part {
  year?: number;
  month?: number;
  small?: number;
  /** Whether the number is an ordinal such as "14th". An ordinal cannot be a short year. */
  isOrdinal?: boolean;
}

export function findDates(text: string, tokens: readonly Token[]): DateMention[] {
  const names = monthNames();
  const dates: DateMention[] = [];
  for (let index = 0; index + 2 < tokens.length; index++) {
    const found = readDateAt(text, tokens, index, names);
    if (!found) continue;
    dates.push(found);
    index = found.end - 1;
  }
  return dates;
}

function readDateAt(
  text: string,
  tokens: readonly Token[],
  first: number,
  names: Map<string, number>,
): DateMention | undefined {
  const parts: Part[] = [];
  let isNumeric = true;
  let isOverLines = false;
  let end = first;
  let last = first;
  while (parts.length < 3 && end < tokens.length && end < first + 7) {
    const token = tokens[end]!;
    if (parts.length > 0) {
      const from = tokens[last]!.end;
      if (token.start - from > 40) return undefined;
      const gap = text.slice(from, token.start);
      if (gap.length > MAX_GAP && !WORD_GAP.test(gap)) return undefined;
      if (gap.includes('\t')) return undefined;
      if (gap.includes('\n')) isOverLines = true;
      if (!NUMERIC_GAP.test(gap)) isNumeric = false;
    }
    const part = parseDatePart(token, names);
    if (!part) {
      // Skips connecting words and signs inside a date, as in "3 de mayo de 2024", "3rd of May" or
      // "2024年3月5日".
      if (parts.length === 0 || token.letters.length > 3 || /\d/.test(token.letters)) return undefined;
      end++;
      continue;
    }
    parts.push(part);
    last = end;
    end++;
  }
  if (parts.length < 3) return undefined;
  const hasName = parts.some((part) => part.month !== undefined);
  const isIdeographic = /[年년]/.test(text.slice(tokens[first]!.start, tokens[last]!.end));
  // Numbers on several lines are not a date. Only a date with the name of a month may continue on the next
  // line.
  if (!hasName && (isOverLines || (!isNumeric && !isIdeographic))) return undefined;
  const days = listPossibleDays(parts);
  return days.length > 0 ? { first, end: last + 1, days } : undefined;
}

const ORDINAL = /^(\d{1,2})(?:st|nd|rd|th|er|e|o|a)$/;

function parseDatePart({ key, letters, kind }: Token, names: Map<string, number>): Part | undefined {
  const digits = kind === 'number' && key.length <= 4 ? letters : ORDINAL.exec(letters)?.[1];
  if (digits !== undefined) {
    if (!/^\d+$/.test(digits)) return undefined;
    const value = Number(digits);
    if (digits.length === 4) return value >= 1000 ? { year: value } : undefined;
    return digits.length <= 2 ? { small: value, isOrdinal: kind !== 'number' } : undefined;
  }
  const month = kind === 'word' ? names.get(letters) : undefined;
  return month === undefined ? undefined : { month };
}

function listPossibleDays(parts: Part[]): string[] {
  const [a, b, c] = parts as [Part, Part, Part];
  const readings: [number | undefined, number | undefined, number | undefined][] = [];
  const year = (part: Part) =>
    part.year ?? (part.small === undefined || part.isOrdinal ? undefined : expandYear(part.small));
  if (a.year !== undefined) {
    readings.push([a.year, b.month ?? b.small, c.small]);
    if (c.month !== undefined) readings.push([a.year, c.month, b.small]);
  } else {
    if (a.month !== undefined) readings.push([year(c), a.month, b.small]);
    else if (b.month !== undefined) readings.push([year(c), b.month, a.small]);
    else readings.push([year(c), b.small, a.small], [year(c), a.small, b.small]);
    if (c.year === undefined && b.month === undefined && a.month === undefined) {
      readings.push([year(a), b.small, c.small]);
    }
  }
  const days = readings.flatMap(([y, m, d]) =>
    y && m && d && isValidDay(y, m, d) ? [formatDay(y, m, d)] : [],
  );
  return [...new Set(days)];
}

const expandYear = (year: number) => (year < 70 ? 2000 + year : 1900 + year);
const formatDay = (year: number, month: number, day: number) =>
  `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
const isValidDay = (year: number, month: number, day: number) =>
  month <= 12 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
