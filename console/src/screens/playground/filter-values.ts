import type { FilterOperator } from '../../../../src/ports/index-types.ts';

/** Condition that compares the metadata value under `key` with `value`. The default operator is `==`. */
export interface Filter {
  key: string;
  operator?: FilterOperator | null;
  value?: string | number | string[] | number[] | null;
}

/** Metadata filters in the format of the API. Groups of filters may contain other groups. */
export interface Filters {
  condition?: 'and' | 'or' | 'not' | null;
  filters: (Filter | Filters)[];
}

export const OPERATORS = {
  '==': 'is',
  '!=': 'is not',
  '>': 'is more than',
  '>=': 'is at least',
  '<': 'is less than',
  '<=': 'is at most',
  in: 'is one of',
  nin: 'is none of',
  any: 'has any of',
  all: 'has all of',
  contains: 'contains',
  text_match: 'contains the text',
  text_match_insensitive: 'contains the text (ignoring case)',
  is_empty: 'is empty',
} as const satisfies Record<FilterOperator, string>;

const LISTS: ReadonlySet<FilterOperator> = new Set(['in', 'nin', 'any', 'all']);
const TEXTS: ReadonlySet<FilterOperator> = new Set(['text_match', 'text_match_insensitive']);

/** Returns true if the filters contain no nested group, so that they can be edited as rows. */
export const isFlat = (
  filters: Filters | undefined,
): filters is (Omit<Filters, 'filters'> & { filters: Filter[] }) | undefined =>
  filters === undefined ||
  (Array.isArray(filters.filters) &&
    filters.filters.every((part) => typeof part === 'object' && !('filters' in part)));

/**
 * Parses the typed value of a comparison. Numbers become numbers unless quoted, and lists are separated by
 * commas.
 */
export function parseOperand(operator: FilterOperator, typed: string): Filter['value'] {
  if (operator === 'is_empty') return null;
  if (TEXTS.has(operator)) return typed;
  if (!LISTS.has(operator)) return parseScalar(typed);
  const parts = typed
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(parseScalar);
  return parts.every((part) => typeof part === 'number') ? (parts as number[]) : parts.map(String);
}

function parseScalar(typed: string): string | number {
  const text = typed.trim();
  if (text.length > 1 && text.startsWith('"') && text.endsWith('"')) return text.slice(1, -1);
  return text !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** Formats a value as text that `parseOperand` reads back to the same value. */
export function formatOperand(value: Filter['value']): string {
  if (Array.isArray(value)) return value.map((each) => formatOperand(each)).join(', ');
  if (typeof value === 'string' && typeof parseScalar(value) === 'number') return `"${value}"`;
  return value == null ? '' : String(value);
}

/** Describes filters, such as "year is at least 2020 and kind is one of letter, memo". */
export function describeFilters(filters: Filters): string {
  const parts = filters.filters.map((part) =>
    'filters' in part
      ? `(${describeFilters(part)})`
      : [part.key, OPERATORS[part.operator ?? '=='], formatOperand(part.value)].filter(Boolean).join(' '),
  );
  if (filters.condition === 'not') return `not (${parts.join(' and ')})`;
  return parts.join(filters.condition === 'or' ? ' or ' : ' and ');
}
