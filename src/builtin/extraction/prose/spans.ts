import { findDates } from '#src/extraction/values/dates.ts';
import { findDurations } from '#src/extraction/values/durations.ts';
import { type Found, findAll, withoutOverlaps } from '#src/extraction/values/found.ts';
import { findNumberWords } from '#src/extraction/values/number-words.ts';
import { findAmounts } from '#src/extraction/values/numbers.ts';
import type { Field } from '../fields.ts';
import { withoutSalutation } from '../parties/names.ts';
import { type Locale, readValues } from '../read.ts';
import { findNames, type Name } from './names.ts';
import type { Answer } from './question.ts';

/** A value of the form that is asked for; `quality` says how well it has that form. */
export interface TypedSpan extends Found {
  /** 0..1: how much it looks like a name, for those that are. */
  name: number;
}

/** Every value of a sentence that has the form asked for. */
export function typedSpans(
  answer: Answer,
  field: Field,
  text: string,
  locale: Locale,
  isSmall: (word: string) => boolean,
): TypedSpan[] {
  // Who somebody is stands in no quotes; what a thing is called does.
  if (answer === 'name' && !field.role) return [...namesOutside(text, locale, isSmall), ...quotedIn(text)];
  if (answer === 'name' || answer === 'place') return namesIn(answer, text, locale, isSmall);
  return foundIn(answer, field, text, locale).map((found) => ({ ...found, name: 0 }));
}

function foundIn(
  answer: Exclude<Answer, 'name' | 'place'>,
  field: Field,
  text: string,
  locale: Locale,
): Found[] {
  if (answer === 'date' || answer === 'kind')
    return readValues(field, text, locale).filter(({ text: own }) => !isYear(own));
  if (answer === 'when') return findTimesOfHistory(text, locale);
  if (answer === 'duration') return findDurations(text);
  if (answer === 'number') return findCounts(field, text, locale);
  const amounts = findAmounts(text, locale.decimalMark);
  if (answer === 'percent') return amounts.filter(({ percent }) => percent);
  return amounts.filter(({ percent, currency, decimals }) => !percent && (currency || decimals === 2));
}

const YEAR = /(?<![\p{L}\d.,/-])(1[0-9]|20)\d{2}s?(?![\p{L}\d]|[.,/]\d)/gu;
const MONTH_YEAR = /(?<!\p{L})(\p{L}{3,12})\.?\s(?:of\s|de\s)?(\d{4})(?!\d)/gu;
const isYear = (text: string) => /^(?:1[0-9]|20)\d{2}$/.test(text);
/** Words that make another time of the one they stand before, in the languages of questions. */
const BOUND =
  /(?<!\p{L})(?:after|before|until|since|by|nach|vor|bis|seit|après|avant|depuis|después de|antes de|desde)\s$/iu;

/** Dates, months and years as running text has them, as printed. */
function findTimesOfHistory(text: string, locale: Locale): Found[] {
  const printed = <Value>(found: Found<Value>): Found => ({ ...found, value: found.text });
  const isMonth = (match: RegExpMatchArray) =>
    findDates(`1 ${match[1]} ${match[2]}`, locale.dateOrder).length > 0 ? match[0] : undefined;
  const found = withoutOverlaps<unknown>([
    ...findDates(text, locale.dateOrder).map(printed),
    ...findAll(text, MONTH_YEAR, 1, isMonth),
    ...findAll(text, YEAR, 0.95, (match) => match[0]),
  ]);
  const bounded = found.flatMap((each) => {
    const before = BOUND.exec(text.slice(Math.max(0, each.start - 14), each.start))?.[0];
    if (!before) return [];
    const start = each.start - before.length;
    const value = text.slice(start, each.end);
    return [{ value, text: value, start, end: each.end, quality: 0.7 }];
  });
  return [...found, ...bounded];
}

/** Numbers that count something: not those of dates, nor years unless a year is asked for. */
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
  return withoutOverlaps([...amounts, ...findNumberWords(text)]).filter(whole);
}

/** "the State of Maryland" is Maryland; a republic is called one. */
const ADMINISTRATION = /^(?:State|Province|Commonwealth|Land|Canton) of (?:the )?(?=\p{Lu})/u;
/** Prepositions of place in the languages of documents; what follows them is rather a place. */
const OF_PLACE = /^(?:in|at|of|from|to|near|im|aus|bei|nach|à|au|aux|en|dans|de|du|a|di|te|w|na|i|på)$/;

function namesIn(
  answer: 'name' | 'place',
  text: string,
  locale: Locale,
  isSmall: (word: string) => boolean,
): TypedSpan[] {
  return namesBesideDates(text, locale, isSmall).map(answer === 'place' ? placeOf : namedOf);
}

/** Names that are no part of a quoted title. */
function namesOutside(text: string, locale: Locale, isSmall: (word: string) => boolean): TypedSpan[] {
  const quoted = quotedIn(text);
  const isPart = (name: TypedSpan) => quoted.some(({ start, end }) => name.start >= start && name.end <= end);
  return namesIn('name', text, locale, isSmall).filter((name) => !isPart(name));
}

const quotedIn = (text: string): TypedSpan[] =>
  findAll(text, QUOTED, 1, (match) => match[1]!).map(({ value }) => {
    const start = text.indexOf(value);
    return { value, text: value, start, end: start + value.length, quality: 1, name: 0.6 };
  });

/** What stands in quotes, two words at least: one alone is a short name or stressed. */
const QUOTED = /["“„«]\s?([^"“”„«»()\s]{1,40}(?: [^"“”„«»()\s]{1,40}){1,11})\s?["”“»]/gu;

/** The names of a text; a month is none, though some languages write it like one: "May 4", "March 2031". */
export function namesBesideDates(text: string, locale: Locale, isSmall: (word: string) => boolean): Name[] {
  const dates = findDates(text, locale.dateOrder);
  const isDate = ({ start, end, value }: Name) =>
    dates.some((date) => start < date.end && date.start < end) ||
    (/\d/.test(value) &&
      [`${value} 2000`, `1 ${value}`].some((dated) => findDates(dated, locale.dateOrder).length > 0));
  return findNames(text, isSmall).filter((name) => !isDate(name));
}

/** "Firma Quill GmbH" addresses a company; "Dr. Quill GmbH" is what it is called. */
const OF_COMPANIES = /^firma\b/i;

function namedOf(found: Name): TypedSpan {
  const isWhole = found.legal > 0 && !OF_COMPANIES.test(found.text);
  const { text, offset } = isWhole ? { text: found.text, offset: 0 } : withoutSalutation(found.text);
  const name = { ...found, value: text, text, start: found.start + offset };
  const after = OF_PLACE.test(name.before) ? 0.6 : 1;
  return {
    ...name,
    quality: name.quality * after,
    name: name.legal > 0 ? 1 : /\s/.test(name.value) ? 0.6 : 0.4,
  };
}

function placeOf(found: Name): TypedSpan {
  const lead = ADMINISTRATION.exec(found.value)?.[0].length ?? 0;
  const value = found.value.slice(lead);
  // "HX-2031" is a number of something.
  const isCode = /\d/.test(value) && !/\s/.test(value);
  const isAfter = OF_PLACE.test(found.before) || (found.before === 'the' && lead > 0);
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
