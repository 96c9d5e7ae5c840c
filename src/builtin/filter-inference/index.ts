import type { Filter, Filters } from '#src/ports/index-types.ts';
import { AND, BETWEEN, type Comparison, comparisonAt } from './comparison.ts';
import { datesIn } from './dates.ts';
import { find, isFree, isNamedNear } from './find.ts';
import type { Reading, Span } from './reading.ts';
import { type Property, propertiesOf } from './schema.ts';
import { filterOn, namedFilters, valueFilters } from './values.ts';

/** The digits as English writes 1,000.50, as others write 1.000,50, and without groups. */
const NUMBER =
  /(?<![\p{L}\p{N}.,-])[-−]?(?:([1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?)|([1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?)|(\d+(?:\.\d+|,\d{1,2}(?!\d))?))\s*(k|m|million|thousand|billion|bn|miljoen|millionen|millones|milioni|%)?(?![\p{L}\p{N}])/giu;

const FACTORS: Record<string, number> = { k: 1e3, thousand: 1e3, billion: 1e9, bn: 1e9, '%': 1 };

interface Mention {
  value: number;
  span: Span;
}

const isEquality = (operator: Comparison) => operator === '==' || operator === '!=';

const NEGATED =
  /(?:\b(?:not|non|no|without|isn't|aren't|niet|geen|pas|nicht|kein\w*|sin|no|non|senza|sem|nie|не)|\bun)[\s-]*$/iu;

const READERS: Record<Property['kind'], (property: Property, reading: Reading) => Filter[]> = {
  enum: (property, reading) => {
    const compared = property.values.every((value) => typeof value === 'number')
      ? numberFilters(property, reading)
      : [];
    return compared.length > 0 ? compared : valueFilters(property, reading);
  },
  boolean: booleanFilters,
  number: numberFilters,
  date: dateFilters,
  string: (property, reading) => {
    const known = valueFilters(property, reading);
    return known.length > 0 ? known : namedFilters(property, reading);
  },
};

/** Characters of a query that are read: every number in it is compared with every place that names a property. */
const MOST_CHARACTERS = 2_000;

/**
 * Metadata filters that a query states, by the schema's enums, types, examples and names; undefined when it
 * states none. Only what the query says: a value nobody named is never guessed.
 */
export function inferFilters(query: string, schema: unknown, now = new Date()): Filters | undefined {
  const reading: Reading = { query: query.slice(0, MOST_CHARACTERS).normalize('NFC'), now, taken: [] };
  const filters = byCertainty(propertiesOf(schema), reading.query).flatMap((property) =>
    READERS[property.kind](property, reading),
  );
  return filters.length > 0 ? { condition: 'and', filters } : undefined;
}

/** Properties whose name the query mentions read first, so that a number goes to the one it belongs to. */
function byCertainty(properties: Property[], query: string): Property[] {
  const lower = query.toLowerCase();
  const mentioned = ({ labels }: Property) => labels.some((label) => lower.includes(label));
  return properties.toSorted((a, b) => Number(mentioned(b)) - Number(mentioned(a)));
}

/** A flag the query mentions: true, or false when it is denied. Metadata keeps flags as words. */
function booleanFilters({ key, labels }: Property, { query }: Reading): Filter[] {
  for (const label of labels.map((each) => each.replace(/^(?:is|has|was) /, ''))) {
    const plain = find(query, label)[0];
    const denied = find(query, `un${label}`)[0] ?? find(query, `non${label}`)[0];
    if (!plain && !denied) continue;
    const negative = !plain || NEGATED.test(query.slice(0, plain[0]));
    return [{ key, operator: '==', value: negative ? 'false' : 'true' }];
  }
  return [];
}

/**
 * The dates of a query as bounds on ISO strings, which compare as dates do. Bare days also bound values with a time
 * of day, however it is written: they sort before any time of their day.
 */
function dateFilters({ key }: Property, reading: Reading): Filter[] {
  const { query } = reading;
  const mentions = datesIn(query, reading.now)
    .map((date) => ({ ...date, span: [date.start, date.end] as Span }))
    .filter(({ span }) => isFree(reading, span));
  const [first, second] = mentions;
  if (!first) return [];
  reading.taken.push(first.span);
  const notBefore = (day: string): Filter => ({ key, operator: '>=', value: day });
  const before = (day: string): Filter => ({ key, operator: '<', value: day });
  if (second && isRange(query, first.span, second.span)) {
    reading.taken.push(second.span);
    return [notBefore(first.from), before(second.next)];
  }
  switch (comparisonAt(query, ...first.span)) {
    case '>':
      return [notBefore(first.next)];
    case '>=':
      // "From March 2024" is that month; "since March 2024" has no end.
      return /\bfrom\s*$/i.test(query.slice(0, first.start))
        ? [notBefore(first.from), before(first.next)]
        : [notBefore(first.from)];
    case '<':
      return [before(first.from)];
    case '<=':
      return [before(first.next)];
    case '!=':
      return [];
    case '==':
      return [notBefore(first.from), before(first.next)];
  }
}

/**
 * Numbers that stand by the property's name, years for one that holds years, or known values, with their comparison.
 */
function numberFilters(property: Property, reading: Reading): Filter[] {
  const { key, kind, values } = property;
  const isKnown = ({ value }: Mention) => kind === 'enum' && values.includes(value);
  const mentions = numbersIn(reading.query).filter((mention) => {
    const { value, span } = mention;
    return (
      isFree(reading, span) &&
      value >= property.minimum &&
      value <= property.maximum &&
      (isKnown(mention) ||
        (property.isYear && Number.isInteger(value) && value >= 1900 && value < 2100) ||
        isNamedNear(reading, property, span))
    );
  });
  const [first, second] = mentions;
  if (!first) return [];
  reading.taken.push(first.span);
  if (second && isRange(reading.query, first.span, second.span)) {
    reading.taken.push(second.span);
    return [
      { key, operator: '>=', value: Math.min(first.value, second.value) },
      { key, operator: '<=', value: Math.max(first.value, second.value) },
    ];
  }
  const operator = operatorAt(reading, property, first);
  if (kind !== 'enum' || !isEquality(operator)) return [{ key, operator, value: first.value }];
  const named = (wanted: Comparison) =>
    values.filter((value) =>
      mentions.some((each) => each.value === value && operatorAt(reading, property, each) === wanted),
    );
  for (const each of mentions.filter(isKnown).map(({ span }) => span)) reading.taken.push(each);
  return [...filterOn(key, named('=='), '==', 'in'), ...filterOn(key, named('!='), '!=', 'nin')];
}

function operatorAt({ query }: Reading, { isYear }: Property, { span }: Mention): Comparison {
  const operator = comparisonAt(query, ...span);
  // "From 2020" asks for that year on its own: only a range or "since" is open.
  const exact = operator === '>=' && isYear && /\bfrom\s*$/i.test(query.slice(0, span[0]));
  return exact ? '==' : operator;
}

function isRange(query: string, first: Span, second: Span): boolean {
  return BETWEEN.test(query.slice(0, first[0])) && AND.test(query.slice(first[1], second[0]))
    ? true
    : /^\s*[-–—]\s*$/.test(query.slice(first[1], second[0]));
}

function numbersIn(query: string): Mention[] {
  return [...query.matchAll(NUMBER)].map((match) => {
    const [, english, other, plain = ''] = match;
    const digits = english?.replaceAll(',', '') ?? (other?.replaceAll('.', '') ?? plain).replace(',', '.');
    const unit = match[4]?.toLowerCase() ?? '';
    const factor = unit === '' ? 1 : (FACTORS[unit] ?? 1e6);
    const sign = /^[-−]/.test(match[0]) ? -1 : 1;
    return {
      value: sign * Number(digits) * factor,
      span: [match.index, match.index + match[0].trimEnd().length] as Span,
    };
  });
}
