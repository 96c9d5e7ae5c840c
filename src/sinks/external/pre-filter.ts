import type { Filter, Filters } from '#src/ports/index-types.ts';
import type { Scalar } from '#src/search/filters.ts';
import { getFilterItems } from '#src/search/filters.ts';
import { isPageKey } from '#src/search/pages.ts';

/**
 * Filter that an external store applies before the index applies the exact filter. It passes every chunk that
 * the exact filter passes, and may pass more. A condition compares all values of a metadata key: the elements
 * of a list, or the single scalar. Types are never converted, and a missing key has no values.
 */
export type PreFilter =
  | { all: PreFilter[] }
  | { any: PreFilter[] }
  /**
   * Condition that a value of the key is one of these. The words `true` and `false` are listed both as
   * strings and as booleans.
   */
  | { key: string; oneOf: (string | number | boolean)[] }
  /** Condition that a value of the key is a number in this range. Both bounds are inclusive. */
  | { key: string; least?: number; most?: number };

/** Kind of comparison that a pre-filter makes with the values of a key. */
export type Lookup = 'oneOf' | 'range';
type IsFilterable = (key: string, how: Lookup) => boolean;

/** Maximum number of values in a list. Longer lists exclude few documents and make requests large. */
const LONGEST_LIST = 100;
/** Maximum number of values in all lists and bounds of a pre-filter together. */
const MAX_VALUES = 1_000;

/**
 * Builds the strictest pre-filter that the store supports. Returns `undefined` if no condition can be
 * converted. Conditions that cannot be converted are left out, which passes more chunks but never fewer.
 */
export function buildPreFilter(filters: Filters, isFilterable: IsFilterable): PreFilter | undefined {
  const preFilter = buildGroupPreFilter(filters, isFilterable);
  return preFilter && countValues(preFilter) <= MAX_VALUES ? preFilter : undefined;
}

function buildGroupPreFilter(group: Filters, isFilterable: IsFilterable): PreFilter | undefined {
  if (group.condition === 'not' || group.filters.length === 0) return undefined;
  const parts = group.filters.map((part) =>
    'filters' in part ? buildGroupPreFilter(part, isFilterable) : buildSinglePreFilter(part, isFilterable),
  );
  const defined = parts.filter((part) => part !== undefined);
  if (group.condition === 'or') return defined.length === parts.length ? combine('any', defined) : undefined;
  return combine('all', defined);
}

function combine(how: 'all' | 'any', parts: PreFilter[]): PreFilter | undefined {
  if (parts.length < 2) return parts[0];
  return how === 'all' ? { all: parts } : { any: parts };
}

/**
 * Converts a single filter. Page filters are left out, because pages belong to a chunk and stores filter by
 * the metadata of the document.
 */
function buildSinglePreFilter(filter: Filter, isFilterable: IsFilterable): PreFilter | undefined {
  const { key, operator, value } = filter;
  if (isPageKey(key)) return undefined;
  const items = isFilterable(key, 'oneOf') ? getFilterItems(filter) : [];
  const bound = typeof value === 'number' && isFilterable(key, 'range') ? value : undefined;
  switch (operator) {
    case '==':
    case 'all':
      // A list that equals these values contains each of them.
      return combine(
        'all',
        items.slice(0, LONGEST_LIST).map((item) => toOneOfCondition(key, [item])),
      );
    case 'in':
    case 'any':
      // An empty list is left out, because some stores do not define its meaning.
      return items.length > 0 && items.length <= LONGEST_LIST ? toOneOfCondition(key, items) : undefined;
    case '>':
    case '>=':
      return bound === undefined ? undefined : { key, least: bound };
    case '<':
    case '<=':
      return bound === undefined ? undefined : { key, most: bound };
    default:
      return undefined;
  }
}

function toOneOfCondition(key: string, items: Scalar[]): PreFilter {
  return {
    key,
    oneOf: items.flatMap<string | number | boolean>((item) =>
      isBooleanWord(item) ? [item, item === 'true'] : item,
    ),
  };
}

function isBooleanWord(item: Scalar): item is 'true' | 'false' {
  return item === 'true' || item === 'false';
}

function countValues(preFilter: PreFilter): number {
  if ('all' in preFilter) return preFilter.all.reduce((sum, part) => sum + countValues(part), 0);
  if ('any' in preFilter) return preFilter.any.reduce((sum, part) => sum + countValues(part), 0);
  return 'oneOf' in preFilter ? preFilter.oneOf.length : 1;
}
