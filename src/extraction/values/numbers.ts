import type { Found } from './find-all.ts';

export interface Amount extends Found<number> {
  /** Currency as an ISO 4217 code, derived from a currency code or sign next to the number. */
  currency?: string;
  percent: boolean;
  /** Number of printed decimal places, which is two for most amounts of money. */
  decimals: number;
  grouped: boolean;
}

export type DecimalMark = '.' | ',';

const CODES =
  'EUR|USD|GBP|CHF|PLN|SEK|NOK|DKK|CZK|HUF|RON|BGN|TRY|INR|JPY|CNY|AUD|CAD|NZD|SGD|HKD|ZAR|BRL|MXN|ILS|AED|SAR|THB|KRW|RUB|UAH|IDR|MYR|PHP|VND|TWD|CLP|COP|ARS|EGP|NGN|KES|PKR|BDT|LKR';
const SIGNS: Record<string, string> = {
  '€': 'EUR',
  $: 'USD',
  US$: 'USD',
  A$: 'AUD',
  C$: 'CAD',
  HK$: 'HKD',
  R$: 'BRL',
  S$: 'SGD',
  NT$: 'TWD',
  RM: 'MYR',
  Rp: 'IDR',
  '£': 'GBP',
  '¥': 'JPY',
  '₹': 'INR',
  Rs: 'INR',
  'Rs.': 'INR',
  zł: 'PLN',
  zl: 'PLN',
  Kč: 'CZK',
  Ft: 'HUF',
  Euro: 'EUR',
  euro: 'EUR',
  Euros: 'EUR',
  euros: 'EUR',
  '₺': 'TRY',
  '₩': 'KRW',
  '฿': 'THB',
  '₽': 'RUB',
  '₴': 'UAH',
  '₪': 'ILS',
};
const SIGN = `US\\$|HK\\$|NT\\$|A\\$|C\\$|R\\$|S\\$|[€$£¥₹₺₩฿₽₴₪]|(?:Rs\\.?|RM|Rp|zł|zl|Kč|Ft|[Ee]uros?)(?!\\p{L})`;
const NUMBER = `\\d{1,3}(?:[ \\u00a0\\u202f'’]\\d{3})+(?:[.,]\\d{1,4})?|\\d{1,3}(?:\\.\\d{3})+,\\d{1,4}|\\d{1,3}(?:,\\d{3})+\\.\\d{1,4}|\\d{1,3}(?:,\\d{2,3})+\\.\\d{1,4}|\\d{1,3}(?:[.,]\\d{3}){2,}|\\d+(?:[.,]\\d+)?`;
const AMOUNT = new RegExp(
  `(?<![\\p{L}\\d.,/:#-])(?<open>\\()?(?:(?<minus>[-−–])\\s?)?(?:(?<before>(?:${CODES})\\b|${SIGN})\\s?)?(?:(?<minus2>[-−–])\\s?)?(?<digits>${NUMBER})(?<trail>-(?!\\d))?\\s?(?<after>%|(?:${CODES})\\b|${SIGN})?(?<close>\\))?(?![\\d]|[.,:/]\\d|-\\d)`,
  'gu',
);

/**
 * Detects whether a document uses a point or a comma as its decimal mark. Counts only unambiguous numbers,
 * and the majority decides.
 */
export function detectDecimalMark(text: string): DecimalMark {
  const commas = text.match(/\d,\d{1,2}(?![\d,])/g)?.length ?? 0;
  const points = text.match(/(?<![\d.]\d?)\d\.\d{1,2}(?![\d.])/g)?.length ?? 0;
  return commas > points ? ',' : '.';
}

function parseDigits(
  digits: string,
  decimalMark: DecimalMark,
): { value: number; decimals: number; grouped: boolean } {
  const compact = digits.replace(/[ \u00a0\u202f'’]/g, '');
  const marks = compact.match(/[.,]/g) ?? [];
  const last = Math.max(compact.lastIndexOf('.'), compact.lastIndexOf(','));
  const tail = last < 0 ? 0 : compact.length - last - 1;
  let decimal = last >= 0;
  if (marks.length > 1 && new Set(marks).size === 1) decimal = false;
  else if (marks.length === 1 && tail === 3 && !/^0[.,]/.test(compact))
    decimal = compact[last] === decimalMark;
  const whole = decimal ? compact.slice(0, last) : compact;
  const fraction = decimal ? compact.slice(last + 1) : '';
  const value = Number(`${whole.replace(/[.,]/g, '')}.${fraction || '0'}`);
  return {
    value,
    decimals: fraction.length,
    grouped: compact.length < digits.length || marks.length > (decimal ? 1 : 0),
  };
}

/**
 * Finds all numbers in the text, with their sign, currency and percent sign. Ignores digits in words and
 * dates.
 */
export function findAmounts(text: string, decimalMark: DecimalMark = '.'): Amount[] {
  const found: Amount[] = [];
  for (const match of text.matchAll(AMOUNT)) {
    const groups = match.groups!;
    const { value, decimals, grouped } = parseDigits(groups.digits!, decimalMark);
    if (!Number.isFinite(value)) continue;
    const sign = [groups.before, groups.after].find((mark) => mark && mark !== '%');
    const negative = Boolean(groups.minus ?? groups.minus2 ?? groups.trail ?? (groups.open && groups.close));
    const currency = sign ? (SIGNS[sign] ?? sign) : undefined;
    const balanced = Boolean(groups.open) === Boolean(groups.close);
    const start = match.index + (!balanced && groups.open ? 1 : 0);
    const end = match.index + match[0].trimEnd().length - (!balanced && groups.close ? 1 : 0);
    found.push({
      value: negative && value !== 0 ? -value : value,
      text: text.slice(start, end),
      start,
      end,
      quality: currency ? 1 : decimals === 2 ? 0.95 : 0.75,
      percent: groups.after === '%',
      decimals,
      grouped,
      ...(currency && { currency }),
    });
  }
  return found;
}

const CURRENCY = new RegExp(
  `(?<![\\p{L}\\d])(?:${CODES})(?![\\p{L}\\d])|(?:${SIGN})(?!\\p{L})|US Dollars?`,
  'gu',
);

export function findCurrencies(text: string): Found<string>[] {
  return [...text.matchAll(CURRENCY)].map((match) => {
    const code = SIGNS[match[0]] ?? (match[0].startsWith('US D') ? 'USD' : match[0]);
    const quality = code === match[0] ? 1 : 0.8;
    return { value: code, text: match[0], start: match.index, end: match.index + match[0].length, quality };
  });
}
