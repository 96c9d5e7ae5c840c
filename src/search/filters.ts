import type { Filter, Filters, Metadata, MetadataValue } from '#src/ports/index-types.ts';
import { compareCodePoints } from './text-order.ts';

/**
 * What a filter means, for every operator. A key's values are its array's elements or its one scalar; a missing
 * key, null and [] have none. Types never mix ('5' is not 5), except that booleans are the words true and false.
 * A chunk's metadata is its document's under that of its pages (`pageMetadata`).
 *
 * - `==`, `>`, `>=`, `<`, `<=`: some value compares so. `== null`: there is no value. `==` with a list: the
 *   values are that list, in order. Strings compare by code point, so ISO dates compare as dates.
 * - `!=`, `nin`: exactly not `==`, not `in`: documents without the key match.
 * - `in`, `any`: some value is in the list. `all`: every item of the list is a value.
 * - `contains`: a value equals the item, or is a string with it as a substring; with a list, so for every item.
 * - `text_match`, `text_match_insensitive`: some value is a string that contains the text.
 * - `is_empty`: there is no value other than ''.
 *
 * A group without filters restricts nothing.
 */
export function matches(metadata: Metadata, filters: Filters): boolean {
  if (filters.filters.length === 0) return true;
  const holds = (part: Filter | Filters) =>
    'filters' in part ? matches(metadata, part) : matchesOne(ownValue(metadata, part.key), part);
  if (filters.condition === 'or') return filters.filters.some(holds);
  const all = filters.filters.every(holds);
  return filters.condition === 'not' ? !all : all;
}

/** What every object inherits (`constructor`) is no metadata. */
function ownValue(metadata: Metadata, key: string): MetadataValue | undefined {
  return Object.hasOwn(metadata, key) ? metadata[key] : undefined;
}

export type Scalar = string | number;

/** The comparable values of a metadata value: what the index stores one row for. */
export function valuesOf(value: MetadataValue | undefined): Scalar[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.map(scalar);
  return [scalar(value)];
}

/** The items a filter compares with. */
export function itemsOf(filter: Filter): Scalar[] {
  return valuesOf(filter.value);
}

function scalar(value: string | number | boolean): Scalar {
  return typeof value === 'boolean' ? String(value) : value;
}

export function matchesOne(value: MetadataValue | undefined, filter: Filter): boolean {
  const values = valuesOf(value);
  const items = itemsOf(filter);
  switch (filter.operator) {
    case '==':
      return equals(values, filter);
    case '!=':
      return !equals(values, filter);
    case '>':
      return compares(values, filter, (order) => order > 0);
    case '>=':
      return compares(values, filter, (order) => order >= 0);
    case '<':
      return compares(values, filter, (order) => order < 0);
    case '<=':
      return compares(values, filter, (order) => order <= 0);
    case 'in':
    case 'any':
      return values.some((each) => items.includes(each));
    case 'nin':
      return !values.some((each) => items.includes(each));
    case 'all':
      return items.every((item) => values.includes(item));
    case 'contains':
      return items.every((item) => values.some((each) => each === item || includesText(each, item)));
    case 'text_match':
      return items.some((item) => values.some((each) => includesText(each, item)));
    case 'text_match_insensitive':
      return items.some((item) => values.some((each) => includesText(fold(each), fold(item))));
    case 'is_empty':
      return values.every((each) => each === '');
  }
}

function equals(values: Scalar[], filter: Filter): boolean {
  if (filter.value === null) return values.length === 0;
  const items = itemsOf(filter);
  if (!Array.isArray(filter.value)) return values.includes(items[0]!);
  return values.length === items.length && values.every((each, i) => each === items[i]);
}

function compares(values: Scalar[], filter: Filter, test: (order: number) => boolean): boolean {
  const { value } = filter;
  return values.some((each) => {
    if (typeof each === 'number') return typeof value === 'number' && test(each - value);
    return typeof value === 'string' && test(compareCodePoints(each, value));
  });
}

function includesText(value: Scalar, text: Scalar): boolean {
  return typeof value === 'string' && typeof text === 'string' && value.includes(text);
}

function fold(value: Scalar): Scalar {
  return typeof value === 'string' ? value.toLowerCase() : value;
}
