import type { Filter, Filters } from '#src/ports/index-types.ts';
import { booleanFilters } from './booleans.ts';
import { dateFilters } from './date-filters.ts';
import { numberFilters } from './numbers.ts';
import type { Reading } from './reading.ts';
import { type Property, propertiesOf } from './schema.ts';
import { namedFilters, valueFilters } from './values.ts';

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
