import type { Filter, Filters } from '#src/ports/index-types.ts';
import { comparisonAt } from './comparison.ts';
import { datesIn } from './dates.ts';
import { find, isFree } from './find.ts';
import { isRange, numberFilters } from './numbers.ts';
import type { Reading, Span } from './reading.ts';
import { type Property, propertiesOf } from './schema.ts';
import { namedFilters, valueFilters } from './values.ts';

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
