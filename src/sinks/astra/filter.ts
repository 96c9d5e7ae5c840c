import type { PreFilter } from '#src/sinks/external/pre-filter.ts';
import { EVERY_KEY } from './metadata.ts';

export type AstraFilter = Record<string, unknown>;

/** Maximum number of values in one `$in` condition, set by Astra DB. */
const MAX_VALUES = 100;
/** Maximum number of comparisons per filter. It stays below Astra DB's limit of 64. */
const MAX_COMPARISONS = 60;

/**
 * Converts a pre-filter to a filter of Astra DB. Returns `undefined` if Astra DB cannot express it. The
 * search is then not filtered by Astra DB.
 */
export function toAstraFilter(preFilter: PreFilter): AstraFilter | undefined {
  const filter = convert(preFilter);
  return filter && countComparisons(filter) <= MAX_COMPARISONS ? filter : undefined;
}

function convert(preFilter: PreFilter): AstraFilter | undefined {
  if ('all' in preFilter) return joinFilters('$and', preFilter.all.map(convert).filter(isDefined));
  if ('any' in preFilter) {
    const parts = preFilter.any.map(convert);
    return parts.every(isDefined) ? joinFilters('$or', parts) : undefined;
  }
  const { key } = preFilter;
  const path = toMetadataPath(key);
  const unfilterable = { unfilterable: { $in: [key, EVERY_KEY] } };
  if ('oneOf' in preFilter) {
    const values = preFilter.oneOf.filter(isComparable);
    return joinFilters('$or', [...splitIntoSlices(values).map(($in) => ({ [path]: { $in } })), unfilterable]);
  }
  const { least, most } = preFilter;
  const range = {
    ...(isBound(least) && { $gte: least }),
    ...(isBound(most) && { $lte: most }),
  };
  if (Object.keys(range).length === 0) return undefined;
  return joinFilters('$or', [{ [path]: range }, { number_lists: key }, unfilterable]);
}

const isDefined = (part: AstraFilter | undefined): part is AstraFilter => part !== undefined;

function joinFilters(how: '$and' | '$or', parts: AstraFilter[]): AstraFilter | undefined {
  return parts.length < 2 ? parts[0] : { [how]: parts };
}

/**
 * Returns the path of a metadata key in a filter. Dots in the key are escaped, because they separate path
 * segments.
 */
const toMetadataPath = (key: string) => `metadata.${key.replaceAll(/[&.]/g, '&$&')}`;

/** Infinite bounds are left out, because JSON cannot represent infinite numbers and they are not indexed. */
const isBound = (bound: number | undefined) => bound !== undefined && Number.isFinite(bound);

function isComparable(value: string | number | boolean): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value === 'boolean' || value.isWellFormed();
}

export function splitIntoSlices<T>(items: T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / MAX_VALUES) }, (_, i) =>
    items.slice(i * MAX_VALUES, (i + 1) * MAX_VALUES),
  );
}

function countComparisons(filter: AstraFilter): number {
  const counts = Object.values(filter).map((value) => {
    if (Array.isArray(value)) return value.reduce<number>((sum, part) => sum + countComparisons(part), 0);
    return typeof value === 'object' ? Object.keys(value as object).length : 1;
  });
  return counts.reduce((sum, count) => sum + count, 0);
}
