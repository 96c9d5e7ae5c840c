import type { FilterOperator } from '../../../../src/ports/index-types.ts';

/** One comparison; without an operator it is ==. */
export interface Filter {
  key: string;
  operator?: FilterOperator | null;
  value?: string | number | string[] | number[] | null;
}

/** As a request has them: groups may stand in groups. */
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
  text_match: 'has the text',
  text_match_insensitive: 'has the text, in any case',
  is_empty: 'is empty',
} as const satisfies Record<FilterOperator, string>;

const LISTS: ReadonlySet<FilterOperator> = new Set(['in', 'nin', 'any', 'all']);
const TEXTS: ReadonlySet<FilterOperator> = new Set(['text_match', 'text_match_insensitive']);

/** Whether every part is one comparison, as rows can show them. */
export const isFlat = (
  filters: Filters | undefined,
): filters is (Omit<Filters, 'filters'> & { filters: Filter[] }) | undefined =>
  filters === undefined ||
  (Array.isArray(filters.filters) &&
    filters.filters.every((part) => typeof part === 'object' && !('filters' in part)));

/** What is typed as a comparison's value: numbers as such unless in quotes, lists with commas. */
export function operandOf(operator: FilterOperator, typed: string): Filter['value'] {
  if (operator === 'is_empty') return null;
  if (TEXTS.has(operator)) return typed;
  if (!LISTS.has(operator)) return oneOf(typed);
  const parts = typed
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(oneOf);
  return parts.every((part) => typeof part === 'number') ? (parts as number[]) : parts.map(String);
}

function oneOf(typed: string): string | number {
  const text = typed.trim();
  if (text.length > 1 && text.startsWith('"') && text.endsWith('"')) return text.slice(1, -1);
  return text !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** The same back: what would have to be typed. */
export function typedOf(value: Filter['value']): string {
  if (Array.isArray(value)) return value.map((each) => typedOf(each)).join(', ');
  if (typeof value === 'string' && typeof oneOf(value) === 'number') return `"${value}"`;
  return value == null ? '' : String(value);
}

/** "year is at least 2020 and kind is one of letter, memo" */
export function sentenceOf(filters: Filters): string {
  const parts = filters.filters.map((part) =>
    'filters' in part
      ? `(${sentenceOf(part)})`
      : [part.key, OPERATORS[part.operator ?? '=='], typedOf(part.value)].filter(Boolean).join(' '),
  );
  if (filters.condition === 'not') return `not (${parts.join(' and ')})`;
  return parts.join(filters.condition === 'or' ? ' or ' : ' and ');
}
