import type { Filter, Filters } from '#src/ports/index-types.ts';
import { AND, BETWEEN, type Comparison, findComparison } from './comparison.ts';
import { findDates } from './dates.ts';
import { findPhrase, isNamedNear, isUnused } from './find.ts';
import type { QueryState, Span } from './query-state.ts';
import { listProperties, type Property } from './schema.ts';
import { buildFilters, readNamedFilters, readValueFilters } from './values.ts';

/**
 * Matches numbers in English notation (1,000.50), in the notation of other languages (1.000,50), and without
 * groups.
 */
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

const READERS: Record<Property['kind'], (property: Property, reading: QueryState) => Filter[]> = {
  enum: (property, reading) => {
    const compared = property.values.every((value) => typeof value === 'number')
      ? readNumberFilters(property, reading)
      : [];
    return compared.length > 0 ? compared : readValueFilters(property, reading);
  },
  boolean: readBooleanFilters,
  number: readNumberFilters,
  date: readDateFilters,
  string: (property, reading) => {
    const known = readValueFilters(property, reading);
    return known.length > 0 ? known : readNamedFilters(property, reading);
  },
};

/**
 * Maximum number of characters of a query that are read. Every number in them is compared with every mention
 * of a property name.
 */
const MAX_CHARACTERS = 2_000;

/**
 * Infers metadata filters from a query, using the property names, types, enums and examples of a schema.
 * Values that the query does not contain are never guessed. Returns `undefined` if no filter is found.
 */
export function inferFilters(query: string, schema: unknown, now = new Date()): Filters | undefined {
  const reading: QueryState = { query: query.slice(0, MAX_CHARACTERS).normalize('NFC'), now, used: [] };
  const filters = sortByMention(listProperties(schema), reading.query).flatMap((property) =>
    READERS[property.kind](property, reading),
  );
  return filters.length > 0 ? { condition: 'and', filters } : undefined;
}

/**
 * Sorts properties that the query mentions by name first. A number in the query is then assigned to the
 * property that is mentioned with it.
 */
function sortByMention(properties: Property[], query: string): Property[] {
  const lower = query.toLowerCase();
  const mentioned = ({ labels }: Property) => labels.some((label) => lower.includes(label));
  return properties.toSorted((a, b) => Number(mentioned(b)) - Number(mentioned(a)));
}

/**
 * Returns a filter for a boolean property that the query mentions. The value is 'true', or 'false' if the
 * query negates the property. Metadata stores booleans as strings.
 */
function readBooleanFilters({ key, labels }: Property, { query }: QueryState): Filter[] {
  for (const label of labels.map((each) => each.replace(/^(?:is|has|was) /, ''))) {
    const plain = findPhrase(query, label)[0];
    const denied = findPhrase(query, `un${label}`)[0] ?? findPhrase(query, `non${label}`)[0];
    if (!plain && !denied) continue;
    const negative = !plain || NEGATED.test(query.slice(0, plain[0]));
    return [{ key, operator: '==', value: negative ? 'false' : 'true' }];
  }
  return [];
}

/**
 * Returns filters for the dates in a query. Dates are compared as ISO strings, which sort in chronological
 * order. A day also works as a limit for values with a time, because it sorts before all times of that day.
 */
function readDateFilters({ key }: Property, reading: QueryState): Filter[] {
  const { query } = reading;
  const mentions = findDates(query, reading.now)
    .map((date) => ({ ...date, span: [date.start, date.end] as Span }))
    .filter(({ span }) => isUnused(reading, span));
  const [first, second] = mentions;
  if (!first) return [];
  reading.used.push(first.span);
  const notBefore = (day: string): Filter => ({ key, operator: '>=', value: day });
  const before = (day: string): Filter => ({ key, operator: '<', value: day });
  if (second && isRange(query, first.span, second.span)) {
    reading.used.push(second.span);
    return [notBefore(first.from), before(second.next)];
  }
  switch (findComparison(query, ...first.span)) {
    case '>':
      return [notBefore(first.next)];
    case '>=':
      // "From March 2024" means only that month, while "since March 2024" has no end.
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
 * Returns filters for the numbers in a query that stand near the property's name. Years also count if the
 * property contains years, and numbers also count if the enum lists them.
 */
function readNumberFilters(property: Property, reading: QueryState): Filter[] {
  const { key, kind, values } = property;
  const isKnown = ({ value }: Mention) => kind === 'enum' && values.includes(value);
  const mentions = findNumbers(reading.query).filter((mention) => {
    const { value, span } = mention;
    return (
      isUnused(reading, span) &&
      value >= property.minimum &&
      value <= property.maximum &&
      (isKnown(mention) ||
        (property.isYear && Number.isInteger(value) && value >= 1900 && value < 2100) ||
        isNamedNear(reading, property, span))
    );
  });
  const [first, second] = mentions;
  if (!first) return [];
  reading.used.push(first.span);
  if (second && isRange(reading.query, first.span, second.span)) {
    reading.used.push(second.span);
    return [
      { key, operator: '>=', value: Math.min(first.value, second.value) },
      { key, operator: '<=', value: Math.max(first.value, second.value) },
    ];
  }
  const operator = findOperator(reading, property, first);
  if (kind !== 'enum' || !isEquality(operator)) return [{ key, operator, value: first.value }];
  const named = (wanted: Comparison) =>
    values.filter((value) =>
      mentions.some((each) => each.value === value && findOperator(reading, property, each) === wanted),
    );
  for (const each of mentions.filter(isKnown).map(({ span }) => span)) reading.used.push(each);
  return [...buildFilters(key, named('=='), '==', 'in'), ...buildFilters(key, named('!='), '!=', 'nin')];
}

function findOperator({ query }: QueryState, { isYear }: Property, { span }: Mention): Comparison {
  const operator = findComparison(query, ...span);
  // "From 2020" means the year 2020 only, while "since 2020" and ranges include other years.
  const exact = operator === '>=' && isYear && /\bfrom\s*$/i.test(query.slice(0, span[0]));
  return exact ? '==' : operator;
}

function isRange(query: string, first: Span, second: Span): boolean {
  return BETWEEN.test(query.slice(0, first[0])) && AND.test(query.slice(first[1], second[0]))
    ? true
    : /^\s*[-–—]\s*$/.test(query.slice(first[1], second[0]));
}

function findNumbers(query: string): Mention[] {
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
