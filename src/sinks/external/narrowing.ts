import type { Filter, Filters } from '#src/ports/index-types.ts';
import type { Scalar } from '#src/search/filters.ts';
import { itemsOf } from '#src/search/filters.ts';
import { isPageKey } from '#src/search/pages.ts';

/**
 * What a store is told of a filter: it passes every chunk that the filter passes, and may pass more. Each kind of
 * condition means the same wherever metadata is kept as JSON: a key's values are its array's elements or its one scalar,
 * types never mix, and a missing key has none.
 */
export type Narrowing =
  | { all: Narrowing[] }
  | { any: Narrowing[] }
  /** Some value of the key is one of these. A word that reads as a boolean comes as the word and as the boolean. */
  | { key: string; oneOf: (string | number | boolean)[] }
  /** Some value of the key is a number between these, both included. */
  | { key: string; least?: number; most?: number };

/** How a store is asked about the values of a key. */
export type Lookup = 'oneOf' | 'range';
type IsFilterable = (key: string, how: Lookup) => boolean;

/** Longer lists narrow little and are costly to send. */
const LONGEST_LIST = 100;
/** Of all lists and bounds together. */
const MOST_VALUES = 1_000;

/**
 * The narrowest that can be said of `filters` with what the store can look up; undefined where nothing can. What it
 * cannot say it leaves out, which lets more pass and never less.
 */
export function narrowingOf(filters: Filters, isFilterable: IsFilterable): Narrowing | undefined {
  const narrowing = narrowingOfGroup(filters, isFilterable);
  return narrowing && valuesIn(narrowing) <= MOST_VALUES ? narrowing : undefined;
}

function narrowingOfGroup(group: Filters, isFilterable: IsFilterable): Narrowing | undefined {
  if (group.condition === 'not' || group.filters.length === 0) return undefined;
  const parts = group.filters.map((part) =>
    'filters' in part ? narrowingOfGroup(part, isFilterable) : narrowingOfOne(part, isFilterable),
  );
  const said = parts.filter((part) => part !== undefined);
  if (group.condition === 'or') return said.length === parts.length ? combined('any', said) : undefined;
  return combined('all', said);
}

function combined(how: 'all' | 'any', parts: Narrowing[]): Narrowing | undefined {
  if (parts.length < 2) return parts[0];
  return how === 'all' ? { all: parts } : { any: parts };
}

/** Pages are said of a chunk and not of its document, so stores do not hold them among its metadata. */
function narrowingOfOne(filter: Filter, isFilterable: IsFilterable): Narrowing | undefined {
  const { key, operator, value } = filter;
  if (isPageKey(key)) return undefined;
  const items = isFilterable(key, 'oneOf') ? itemsOf(filter) : [];
  const bound = typeof value === 'number' && isFilterable(key, 'range') ? value : undefined;
  switch (operator) {
    case '==':
    case 'all':
      // A list with all of these has each of them.
      return combined(
        'all',
        items.slice(0, LONGEST_LIST).map((item) => oneOf(key, [item])),
      );
    case 'in':
    case 'any':
      // A list of nothing has no meaning in some stores.
      return items.length > 0 && items.length <= LONGEST_LIST ? oneOf(key, items) : undefined;
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

function oneOf(key: string, items: Scalar[]): Narrowing {
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

function valuesIn(narrowing: Narrowing): number {
  if ('all' in narrowing) return narrowing.all.reduce((sum, part) => sum + valuesIn(part), 0);
  if ('any' in narrowing) return narrowing.any.reduce((sum, part) => sum + valuesIn(part), 0);
  return 'oneOf' in narrowing ? narrowing.oneOf.length : 1;
}
