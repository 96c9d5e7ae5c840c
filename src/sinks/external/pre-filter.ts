import type { Filter, Filters } from '#src/ports/index-types.ts';
import type { Scalar } from '#src/search/filters.ts';
import { getFilterItems } from '#src/search/filters.ts';
import { isPageKey } from '#src/search/pages.ts';

/**
 * Filter that a vector store applies before the index applies the exact filter. It may accept more chunks
 * than the exact filter, but never fewer. A condition compares each value of a metadata key, and a missing
 * key has no values.
 */
export type PreFilter =
  | { all: PreFilter[] }
  | { any: PreFilter[] }
  /**
   * Condition that a metadata value equals one of the listed values. The words `true` and `false` are listed
   * both as strings and as booleans.
   */
  | { key: string; oneOf: (string | number | boolean)[] }
  /** Condition that a metadata value is a number in this range, including both bounds. */
  | { key: string; least?: number; most?: number };

/** Kind of comparison in a pre-filter: equality with listed values, or a range of numbers. */
export type Lookup = 'oneOf' | 'range';
type IsFilterable = (key: string, how: Lookup) => boolean;

/**
 * Maximum number of values in a list of a pre-filter. Longer lists exclude few documents and make requests
 * large.
 */
const LONGEST_LIST = 100;
/** Maximum number of values in all conditions of a pre-filter together. */
const MAX_VALUES = 1_000;

/**
 * Builds the strictest pre-filter that the store supports. Conditions that cannot be converted are left out,
 * so that more chunks are accepted. Returns `undefined` if no condition is left.
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
 * Converts a single filter. Page filters are left out, because stores filter by the document's metadata,
 * which contains no pages.
 */
function buildSinglePreFilter(filter: Filter, isFilterable: IsFilterable): PreFilter | undefined {
  const { key, operator, value } = filter;
  if (isPageKey(key)) return undefined;
  const items = isFilterable(key, 'oneOf') ? getFilterItems(filter) : [];
  const bound = typeof value === 'number' && isFilterable(key, 'range') ? value : undefined;
  switch (operator) {
    case '==':
    case 'all':
      // If a list equals the given values, it contains each of them, so the pre-filter requires each one.
      return combine(
        'all',
        items.slice(0, LONGEST_LIST).map((item) => toOneOfCondition(key, [item])),
      );
    case 'in':
    case 'any':
      // An empty list becomes no condition, because some stores do not define its meaning.
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
