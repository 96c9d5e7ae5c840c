import type { FilterOperator } from '../../../../src/ports/index-types.ts';
import { t } from '../../i18n/messages.ts';

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

export const getOperators = () =>
  ({
    '==': t('is'),
    '!=': t('is not'),
    '>': t('is more than'),
    '>=': t('is at least'),
    '<': t('is less than'),
    '<=': t('is at most'),
    in: t('is one of'),
    nin: t('is none of'),
    any: t('has any of'),
    all: t('has all of'),
    contains: t('contains'),
    text_match: t('contains the text'),
    text_match_insensitive: t('contains the text (ignoring case)'),
    is_empty: t('is empty'),
  }) as const satisfies Record<FilterOperator, string>;

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

type Comparison = Record<'key' | 'value', string>;

/** Whole sentences, because the order of their words differs by language. */
const DESCRIPTIONS: Record<FilterOperator, (comparison: Comparison) => string> = {
  '==': (comparison) => t('{key} is {value}', comparison),
  '!=': (comparison) => t('{key} is not {value}', comparison),
  '>': ({ key, value }) => `${key} > ${value}`,
  '>=': ({ key, value }) => `${key} ≥ ${value}`,
  '<': ({ key, value }) => `${key} < ${value}`,
  '<=': ({ key, value }) => `${key} ≤ ${value}`,
  in: (comparison) => t('{key} is one of: {value}', comparison),
  nin: (comparison) => t('{key} is none of: {value}', comparison),
  any: (comparison) => t('{key} has any of: {value}', comparison),
  all: (comparison) => t('{key} has all of: {value}', comparison),
  contains: (comparison) => t('{key} contains {value}', comparison),
  text_match: (comparison) => t('{key} contains the text "{value}"', comparison),
  text_match_insensitive: (comparison) => t('{key} contains the text "{value}" (ignoring case)', comparison),
  is_empty: ({ key }) => t('{key} is empty', { key }),
};

/** Describes filters, such as "year ≥ 2020 and kind is one of: letter, memo". */
export function describeFilters(filters: Filters): string {
  const parts = filters.filters.map((part) =>
    'filters' in part
      ? `(${describeFilters(part)})`
      : DESCRIPTIONS[part.operator ?? '==']({ key: part.key, value: formatOperand(part.value) }),
  );
  if (filters.condition === 'or')
    return join(parts, (left, right) => t('{left} or {right}', { left, right }));
  const all = join(parts, (left, right) => t('{left} and {right}', { left, right }));
  return filters.condition === 'not' ? t('not ({parts})', { parts: all }) : all;
}

const join = (parts: readonly string[], connect: (left: string, right: string) => string): string =>
  parts.length > 0 ? parts.reduce(connect) : '';
