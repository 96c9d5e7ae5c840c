import type { Filter, Filters, Metadata, MetadataValue } from '#src/ports/index-types.ts';
import { compareCodePoints } from './text-order.ts';

/**
 * Returns whether metadata passes the filters. The values of a key are the elements of its array, or its
 * single scalar. A missing key, null and [] have no values. Types are never converted ('5' does not equal 5),
 * except that booleans are compared as the strings 'true' and 'false'. The metadata of a chunk is its
 * document's metadata, overridden by the metadata of its pages (`pageMetadata`).
 *
 * - `==`, `>`, `>=`, `<`, `<=`: at least one value compares so. `== null`: the key has no value. `==` with a
 *   list: the values equal the list, in the same order. Strings are compared by code point, so ISO dates
 *   compare as dates.
 * - `!=`, `nin`: negations of `==` and `in`. Documents without the key match.
 * - `in`, `any`: at least one value is in the list. `all`: every item of the list is a value.
 * - `contains`: a value equals the item, or is a string that contains the item. With a list, this must be
 * true
 *   for every item.
 * - `text_match`, `text_match_insensitive`: at least one value is a string that contains the text, or one of
 *   the texts in a list.
 * - `is_empty`: the key has no value other than ''.
 *
 * A group without filters matches everything.
 */
export function matches(metadata: Metadata, filters: Filters): boolean {
  if (filters.filters.length === 0) return true;
  const holds = (part: Filter | Filters) =>
    'filters' in part ? matches(metadata, part) : matchesFilter(ownValue(metadata, part.key), part);
  if (filters.condition === 'or') return filters.filters.some(holds);
  const all = filters.filters.every(holds);
  return filters.condition === 'not' ? !all : all;
}

/**
 * Returns the value of a metadata key. Properties that every object inherits, such as `constructor`, are
 * ignored.
 */
function ownValue(metadata: Metadata, key: string): MetadataValue | undefined {
  return Object.hasOwn(metadata, key) ? metadata[key] : undefined;
}

/** Returns the metadata keys that the filters compare. */
export function listFilterKeys({ filters }: Filters): Set<string> {
  return new Set(filters.flatMap((part) => ('filters' in part ? [...listFilterKeys(part)] : [part.key])));
}

export type Scalar = string | number;

/** Returns the comparable values of a metadata value. The index stores one row for each value. */
export function toScalars(value: MetadataValue | undefined): Scalar[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value.map(toScalar);
  return [toScalar(value)];
}

export function getFilterItems(filter: Filter): Scalar[] {
  return toScalars(filter.value);
}

function toScalar(value: string | number | boolean): Scalar {
  return typeof value === 'boolean' ? String(value) : value;
}

export function matchesFilter(value: MetadataValue | undefined, filter: Filter): boolean {
  const values = toScalars(value);
  const items = getFilterItems(filter);
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
  const items = getFilterItems(filter);
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
