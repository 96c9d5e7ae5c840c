import { fold } from '#src/lib/text/words.ts';
import { type Found, findAll, removeOverlaps } from './find-all.ts';

export type DateOrder = 'dmy' | 'mdy';

// Month names and abbreviations in the supported languages, one line per month, in lower case and without
// accents.
const MONTHS = [
  'jan|janv|janvier|january|januar|januari|jaenner|enero|gennaio|sty|stycznia|styczen',
  'feb|fev|fevr|fevrier|february|februar|februari|febrero|febbraio|lut|lutego|luty',
  'mar|mars|march|marz|maerz|mrz|maart|mrt|marzo|marca|marzec',
  'apr|avr|avril|april|abril|aprile|kwi|kwietnia|kwiecien',
  'may|mai|mei|mayo|maggio|maj|maja',
  'jun|juin|june|juni|junio|giugno|cze|czerwca|czerwiec',
  'jul|juil|juillet|july|juli|julio|luglio|lip|lipca|lipiec',
  'aug|aout|august|augustus|agosto|sie|sierpnia|sierpien',
  'sep|sept|septembre|september|septiembre|settembre|wrz|wrzesnia|wrzesien',
  'oct|octobre|october|okt|oktober|octubre|ottobre|paz|pazdziernika|pazdziernik',
  'nov|novembre|november|noviembre|lis|listopada|listopad',
  'dec|decembre|december|dez|dezember|diciembre|dicembre|gru|grudnia|grudzien',
].map((names) => new Set(names.split('|')));

const ISO = /(?<![\d-])(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/g;
const COMPACT = /(?<!\d)((?:19|20)\d{2})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?!\d)/g;
const NUMERIC = /(?<![\d.,/-])(\d{1,2})\s?([./-])\s?(\d{1,2})\s?\2\s?(\d{4}|\d{2})(?![\d/]|[.,-]\d)/g;
const DAY_MONTH =
  /(?<!\d)(\d{1,2})(?:\s?(?:st|nd|rd|th)|er|e)?\.?[\s/-]+(?:day\s+)?(?:of\s+|de\s+)?(\p{L}{3,12})\.?[\s,/-]+(?:(?:de|del|of)\s+)?(\d{4})(?!\d)/gu;
const MONTH_DAY =
  /(?<!\p{L})(\p{L}{3,12})\.?\s+(\d{1,2})(?:\s?(?:st|nd|rd|th))?(?:\s*,\s*|\s+)(\d{4})(?!\d)/gu;
const DAY_MONTH_SHORT_YEAR = /(?<!\d)(\d{1,2})[- ](\p{L}{3,4})\.?[- ]'?(\d{2})(?!\d)/gu;

function toIsoDay(year: number, month: number, day: number): string | undefined {
  if (month < 1 || month > 12 || day < 1 || year < 1000) return undefined;
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
  if (day > days) return undefined;
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

function expandYear(text: string): number {
  const year = Number(text);
  if (text.length > 2) return year;
  return year < 70 ? 2000 + year : 1900 + year;
}

function parseMonth(name: string): number | undefined {
  const index = MONTHS.findIndex((names) => names.has(fold(name)));
  return index < 0 ? undefined : index + 1;
}

/**
 * Returns all calendar dates in the text as YYYY-MM-DD. `order` decides dates such as 03/04/2020. If that
 * order gives an impossible date, day and month are swapped.
 */
export function findDates(text: string, order: DateOrder = 'dmy'): Found<string>[] {
  const found = [
    ...findAll(text, ISO, 1, (m) => toIsoDay(Number(m[1]), Number(m[2]), Number(m[3]))),
    ...findAll(text, COMPACT, 0.6, (m) => toIsoDay(Number(m[1]), Number(m[2]), Number(m[3]))),
    ...findAll(text, NUMERIC, 0.95, (m) => {
      const [first, second, year] = [Number(m[1]), Number(m[3]), expandYear(m[4]!)];
      const monthFirst = m[2] !== '.' && order === 'mdy';
      return monthFirst
        ? (toIsoDay(year, first, second) ?? toIsoDay(year, second, first))
        : (toIsoDay(year, second, first) ?? toIsoDay(year, first, second));
    }),
    ...findAll(text, DAY_MONTH, 1, (m) => toIsoDay(Number(m[3]), parseMonth(m[2]!) ?? 0, Number(m[1]))),
    ...findAll(text, MONTH_DAY, 1, (m) => toIsoDay(Number(m[3]), parseMonth(m[1]!) ?? 0, Number(m[2]))),
    ...findAll(text, DAY_MONTH_SHORT_YEAR, 0.9, (m) =>
      toIsoDay(expandYear(m[3]!), parseMonth(m[2]!) ?? 0, Number(m[1])),
    ),
  ];
  return removeOverlaps(found);
}

/**
 * Infers the order of day and month from unambiguous dates such as 25/12/2020. Returns `undefined` if there
 * are none, or equally many of each order.
 */
export function inferDateOrder(text: string): DateOrder | undefined {
  let dayFirst = 0;
  let monthFirst = 0;
  for (const match of text.matchAll(/(?<![\d/])(\d{1,2})\/(\d{1,2})\/(?:\d{4}|\d{2})(?![\d/])/g)) {
    if (Number(match[1]) > 12) dayFirst++;
    if (Number(match[2]) > 12) monthFirst++;
  }
  return dayFirst === monthFirst ? undefined : dayFirst > monthFirst ? 'dmy' : 'mdy';
}

/**
 * Matches signs of a North American document: US dollars, places with states before ZIP codes, Canadian postal codes and
 * telephone numbers.
 */
const AMERICAN =
  /\bUSD\b|US\$|\bUnited States\b|[A-Za-z]{3},?\s{1,4}(?!N[or]\b|I[dD]\b)[A-Z][A-Za-z]\s{1,4}\d{5}\b|\b[A-Z]{2},?\s{1,4}[A-Z]\d[A-Z] ?\d[A-Z]\d\b|(?<![\d+.-])(?:\(\d{3}\) {0,3}|\d{3}[-.])\d{3}[-.]\d{4}(?![\d.-])/;

/**
 * Returns the date order that the document's dates imply. If they imply none, returns month first for
 * American documents and day first for others.
 */
export function detectDateOrder(text: string): DateOrder {
  return inferDateOrder(text) ?? (AMERICAN.test(text) ? 'mdy' : 'dmy');
}

/**
 * Returns all dates that a text can mean, as YYYY-MM-DD. If `order` is undefined, tries both orders of day
 * and month.
 */
export function listPossibleDates(text: string, order: DateOrder | undefined): Set<string> {
  const orders: DateOrder[] = order ? [order] : ['dmy', 'mdy'];
  return new Set(orders.flatMap((each) => findDates(text, each).map(({ value }) => value)));
}

const TIME = /(?<![\d:.])([01]?\d|2[0-3])[:h.]([0-5]\d)(?::([0-5]\d))?\s*([ap]m)?(?![\d:.]\d)/gi;
const MILITARY_TIME = /(?<![\d/.,-])([01]\d|2[0-3])([0-5]\d)(?=\s*(?:[A-Z]{3,4}\b|hours|hrs|h\b))/g;

export function findTimes(text: string): Found<string>[] {
  const clock = (hours: number, minutes: string, seconds = '00') =>
    `${String(hours).padStart(2, '0')}:${minutes}:${seconds}`;
  return removeOverlaps([
    ...findAll(text, TIME, 0.9, (m) => {
      const half = m[4]?.toLowerCase();
      const hours = Number(m[1]) + (half === 'pm' && Number(m[1]) < 12 ? 12 : 0);
      return clock(half === 'am' && hours === 12 ? 0 : hours, m[2]!, m[3]);
    }),
    ...findAll(text, MILITARY_TIME, 0.8, (m) => clock(Number(m[1]), m[2]!)),
  ]);
}
