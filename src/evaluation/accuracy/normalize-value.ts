import { findDates } from '#src/extraction/values/dates.ts';
import { findAmounts } from '#src/extraction/values/numbers.ts';
import { normalizeText } from '../normalize-text.ts';

/** Maximum length of a text that is read as a number or a date. */
const MAX_VALUE_CHARACTERS = 60;
/** Maximum number of digits of a text that is read as a number. Longer ones are identifiers. */
const MAX_DIGITS = 15;
const SIGNIFICANT_DIGITS = 12;

/** Returns whether a value says that the document has no value: null, blank text, an empty list or an empty object. */
export function isAbsent(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === 'string') return value.trim() === '';
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/**
 * Returns a text that is the same for equal values. Numbers, amounts of money and dates are recognized in texts,
 * so that "€ 1,200.50" equals "1200.5 €" and "5 March 2026" equals "2026-03-05". A text that could mean several
 * numbers or dates stays a text. White space and case of texts are ignored. Lists and objects are compared as JSON.
 */
export function normalizeValue(value: unknown): string {
  if (typeof value === 'number') return toNumberKey(value);
  if (typeof value === 'boolean') return `boolean ${value}`;
  if (typeof value !== 'string') return `json ${JSON.stringify(value)}`;
  const text = normalizeText(value);
  if (text.length > MAX_VALUE_CHARACTERS || !/\d/.test(text)) return `text ${text}`;
  return readAmount(value.trim()) ?? readDate(value.trim()) ?? `text ${text}`;
}

const toNumberKey = (value: number): string => `number ${Number(value.toPrecision(SIGNIFICANT_DIGITS))}`;

/** Returns `undefined` unless the whole text is one number whose value is certain. */
function readAmount(text: string): string | undefined {
  const [amount, ...others] = findAmounts(text);
  if (!amount || others.length > 0 || amount.text !== text) return undefined;
  const digits = text.replace(/\D/g, '');
  // Leading zeros and many digits are signs of an identifier, such as a postal code.
  if (digits.length > MAX_DIGITS || /^\D*0\d/.test(text)) return undefined;
  // "1,234" may be a whole number or a decimal one.
  const marks = text.match(/[.,]/g) ?? [];
  if (marks.length === 1 && /[.,]\d{3}(?!\d)/.test(text)) return undefined;
  const unit = amount.percent ? ' %' : amount.currency ? ` ${amount.currency}` : '';
  return `${toNumberKey(amount.value)}${unit}`;
}

/** Returns `undefined` unless the whole text is one date whose day and month are certain. */
function readDate(text: string): string | undefined {
  if (/^\d+$/.test(text)) return undefined;
  const [dayFirst, monthFirst] = (['dmy', 'mdy'] as const).map((order) => findDates(text, order));
  const [date, ...others] = dayFirst!;
  if (!date || others.length > 0 || date.text.trim() !== text) return undefined;
  return monthFirst?.[0]?.value === date.value ? `date ${date.value}` : undefined;
}
