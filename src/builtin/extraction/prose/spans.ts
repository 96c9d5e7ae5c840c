import { findDates } from '#src/extraction/values/dates.ts';
import { findDurations } from '#src/extraction/values/durations.ts';
import { type Found, findAll, removeOverlaps } from '#src/extraction/values/find-all.ts';
import { findNumberWords } from '#src/extraction/values/number-words.ts';
import { findAmounts } from '#src/extraction/values/numbers.ts';
import type { Field } from '../fields.ts';
import { stripSalutation } from '../parties/names.ts';
import { type Locale, readValues } from '../read.ts';
import { findNames, type Name } from './names.ts';
import type { AnswerForm } from './question.ts';

/**
 * Value of the requested kind in a sentence. `quality` rates from 0 to 1 how well the value fits this kind.
 */
export interface TypedSpan extends Found {
  /** How much the value looks like a company name, from 0 to 1. Values that are not names get 0. */
  name: number;
}

/** Finds all values of the requested kind in a sentence. */
export function findTypedSpans(
  answer: AnswerForm,
  field: Field,
  text: string,
  locale: Locale,
  isStopWord: (word: string) => boolean,
): TypedSpan[] {
  // Names of people and parties are never in quotes, but titles of works may be.
  if (answer === 'name' && !field.role)
    return [...findUnquotedNames(text, locale, isStopWord), ...findQuotedTitles(text)];
  if (answer === 'name' || answer === 'place') return findTypedNames(answer, text, locale, isStopWord);
  return findValues(answer, field, text, locale).map((found) => ({ ...found, name: 0 }));
}

function findValues(
  answer: Exclude<AnswerForm, 'name' | 'place'>,
  field: Field,
  text: string,
  locale: Locale,
): Found[] {
  if (answer === 'date' || answer === 'kind')
    return readValues(field, text, locale).filter(({ text: own }) => !isYear(own));
  if (answer === 'when') return findTimesAndYears(text, locale);
  if (answer === 'duration') return findDurations(text);
  if (answer === 'number') return findCounts(field, text, locale);
  const amounts = findAmounts(text, locale.decimalMark);
  if (answer === 'percent') return amounts.filter(({ percent }) => percent);
  return amounts.filter(({ percent, currency, decimals }) => !percent && (currency || decimals === 2));
}

const YEAR = /(?<![\p{L}\d.,/-])(1[0-9]|20)\d{2}s?(?![\p{L}\d]|[.,/]\d)/gu;
const MONTH_YEAR = /(?<!\p{L})(\p{L}{3,12})\.?\s(?:of\s|de\s)?(\d{4})(?!\d)/gu;
const isYear = (text: string) => /^(?:1[0-9]|20)\d{2}$/.test(text);
/** Words before a time that turn it into a limit, such as "after" in "after 2019". */
const LIMIT_WORD =
  /(?<!\p{L})(?:after|before|until|since|by|nach|vor|bis|seit|après|avant|depuis|después de|antes de|desde)\s$/iu;

/** Finds dates, months and years in running text, as they are printed. */
function findTimesAndYears(text: string, locale: Locale): Found[] {
  const printed = <Value>(found: Found<Value>): Found => ({ ...found, value: found.text });
  const isMonth = (match: RegExpMatchArray) =>
    findDates(`1 ${match[1]} ${match[2]}`, locale.dateOrder).length > 0 ? match[0] : undefined;
  const found = removeOverlaps<unknown>([
    ...findDates(text, locale.dateOrder).map(printed),
    ...findAll(text, MONTH_YEAR, 1, isMonth),
    ...findAll(text, YEAR, 0.95, (match) => match[0]),
  ]);
  const bounded = found.flatMap((each) => {
    const before = LIMIT_WORD.exec(text.slice(Math.max(0, each.start - 14), each.start))?.[0];
    if (!before) return [];
    const start = each.start - before.length;
    const value = text.slice(start, each.end);
    return [{ value, text: value, start, end: each.end, quality: 0.7 }];
  });
  return [...found, ...bounded];
}

/**
 * Finds numbers that count something. Numbers inside dates are left out. Years are left out unless the field
 * asks for a year.
 */
function findCounts(field: Field, text: string, locale: Locale): Found[] {
  const asksYear = /\byears?\b|\bjahr/i.test(`${field.name.replace(/_/g, ' ')} ${field.description}`);
  const years = findAll(text, YEAR, 1, (match) => Number.parseInt(match[0], 10));
  if (asksYear && !/how many|how much/i.test(field.description)) return years;
  const dates = findDates(text, locale.dateOrder);
  const inDate = ({ start, end }: Found) => dates.some((date) => start >= date.start && end <= date.end);
  const amounts = findAmounts(text, locale.decimalMark)
    .filter((amount) => !amount.percent && !inDate(amount))
    .map((amount) => ({ ...amount, quality: isYear(amount.text) ? 0.3 : 0.9 }));
  const whole = (found: Found<number>) => field.type !== 'integer' || Number.isInteger(found.value);
  return removeOverlaps([...amounts, ...findNumberWords(text)]).filter(whole);
}

/**
 * Matches "the State of" and similar words before the name of a place, because "the State of Maryland" is
 * Maryland.
 */
const ADMINISTRATION = /^(?:State|Province|Commonwealth|Land|Canton) of (?:the )?(?=\p{Lu})/u;
/** Prepositions of place, in the languages of documents. A name after one of them is probably a place. */
const PLACE_PREPOSITION =
  /^(?:in|at|of|from|to|near|im|aus|bei|nach|à|au|aux|en|dans|de|du|a|di|te|w|na|i|på)$/;

function findTypedNames(
  answer: 'name' | 'place',
  text: string,
  locale: Locale,
  isStopWord: (word: string) => boolean,
): TypedSpan[] {
  return findNamesExceptDates(text, locale, isStopWord).map(answer === 'place' ? toPlaceSpan : toNameSpan);
}

/** Finds names that are not part of a quoted title. */
function findUnquotedNames(text: string, locale: Locale, isStopWord: (word: string) => boolean): TypedSpan[] {
  const quoted = findQuotedTitles(text);
  const isPart = (name: TypedSpan) => quoted.some(({ start, end }) => name.start >= start && name.end <= end);
  return findTypedNames('name', text, locale, isStopWord).filter((name) => !isPart(name));
}

const findQuotedTitles = (text: string): TypedSpan[] =>
  findAll(text, QUOTED, 1, (match) => match[1]!).map(({ value }) => {
    const start = text.indexOf(value);
    return { value, text: value, start, end: start + value.length, quality: 1, name: 0.6 };
  });

/** Matches quoted text of at least two words. A single quoted word is a short name or an emphasis. */
const QUOTED = /["“„«]\s?([^"“”„«»()\s]{1,40}(?: [^"“”„«»()\s]{1,40}){1,11})\s?["”“»]/gu;

/** Finds the names of a text, without months, which some languages capitalise. */
export function findNamesExceptDates(
  text: string,
  locale: Locale,
  isStopWord: (word: string) => boolean,
): Name[] {
  const dates = findDates(text, locale.dateOrder);
  const isDate = ({ start, end, value }: Name) =>
    dates.some((date) => start < date.end && date.start < end) ||
    (/\d/.test(value) &&
      [`${value} 2000`, `1 ${value}`].some((dated) => findDates(dated, locale.dateOrder).length > 0));
  return findNames(text, isStopWord).filter((name) => !isDate(name));
}

/** Matches "Firma" before the name of a company, which is an address and not part of the name. */
const COMPANY_PREFIX = /^firma\b/i;

function toNameSpan(found: Name): TypedSpan {
  const isWhole = found.legal > 0 && !COMPANY_PREFIX.test(found.text);
  const { text, offset } = isWhole ? { text: found.text, offset: 0 } : stripSalutation(found.text);
  const name = { ...found, value: text, text, start: found.start + offset };
  const after = PLACE_PREPOSITION.test(name.before) ? 0.6 : 1;
  return {
    ...name,
    quality: name.quality * after,
    name: name.legal > 0 ? 1 : /\s/.test(name.value) ? 0.6 : 0.4,
  };
}

function toPlaceSpan(found: Name): TypedSpan {
  const lead = ADMINISTRATION.exec(found.value)?.[0].length ?? 0;
  const value = found.value.slice(lead);
  // A code such as "HX-2031" is an identifier and not a place, so it gets a lower quality.
  const isCode = /\d/.test(value) && !/\s/.test(value);
  const isAfter = PLACE_PREPOSITION.test(found.before) || (found.before === 'the' && lead > 0);
  const quality = found.quality * (isAfter || lead > 0 ? 1 : 0.5) * (found.legal > 0 || isCode ? 0.3 : 1);
  return {
    ...found,
    value,
    text: value,
    start: found.start + lead,
    quality,
    name: lead > 0 ? 1 : 0.5,
  };
}
