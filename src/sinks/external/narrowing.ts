import type { Scalar } from '#src/search/filters.ts';
import { itemsOf } from '#src/search/filters.ts';
import { isPageKey } from '#src/search/pages.ts';
import type { Filter, Filters } from '#src/search/types.ts';

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

/** Longer lists narrow little and are costly to send. */
const LONGEST_LIST = 100;

/**
 * The narrowest that can be said of `filters` with keys that the store can look up; undefined where nothing can. What it
 * cannot say it leaves out, which lets more pass and never less.
 */
export function narrowingOf(filters: Filters, isFilterable: (key: string) => boolean): Narrowing | undefined {
  if (filters.condition === 'not' || filters.filters.length === 0) return undefined;
  const parts = filters.filters.map((part) =>
    'filters' in part ? narrowingOf(part, isFilterable) : narrowingOfOne(part, isFilterable),
  );
  const said = parts.filter((part) => part !== undefined);
  if (filters.condition === 'or') return said.length === parts.length ? combined('any', said) : undefined;
  return combined('all', said);
}

function combined(how: 'all' | 'any', parts: Narrowing[]): Narrowing | undefined {
  if (parts.length < 2) return parts[0];
  return how === 'all' ? { all: parts } : { any: parts };
}

/** Pages are said of a chunk and not of its document, so stores do not hold them among its metadata. */
function narrowingOfOne(filter: Filter, isFilterable: (key: string) => boolean): Narrowing | undefined {
  const { key, operator, value } = filter;
  if (isPageKey(key) || !isFilterable(key)) return undefined;
  const items = itemsOf(filter);
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
      return items.length <= LONGEST_LIST ? oneOf(key, items) : undefined;
    case '>':
    case '>=':
      return typeof value === 'number' ? { key, least: value } : undefined;
    case '<':
    case '<=':
      return typeof value === 'number' ? { key, most: value } : undefined;
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
