import { describe, expect, test } from 'vitest';
import type { Filter, FilterOperator, Filters, Metadata } from '#src/ports/index-types.ts';
import { matches } from '#src/search/filters.ts';

const metadata: Metadata = {
  year: 2023,
  name: 'Annual Report',
  tags: ['finance', 'Public'],
  pages: [1, 5],
  final: true,
  nothing: null,
  blank: '',
  none: [],
  date: '2023-05-01',
};

const cases: [key: string, operator: FilterOperator, value: Filter['value'], expected: boolean][] = [
  ['year', '==', 2023, true],
  ['year', '==', '2023', false],
  ['tags', '==', 'finance', true],
  ['tags', '==', ['finance', 'Public'], true],
  ['tags', '==', ['Public', 'finance'], false],
  ['final', '==', 'true', true],
  ['missing', '==', null, true],
  ['year', '==', null, false],
  ['year', '!=', 2022, true],
  ['missing', '!=', 2022, true],
  ['tags', '!=', 'finance', false],
  ['year', '>', 2022, true],
  ['year', '>', 2023, false],
  ['year', '>=', 2023, true],
  ['year', '>', '1', false],
  ['pages', '<', 2, true],
  ['pages', '<=', 0, false],
  ['date', '<', '2023-06', true],
  ['missing', '<', 1, false],
  ['name', 'in', ['Annual Report', 'x'], true],
  ['tags', 'in', ['x'], false],
  ['missing', 'in', ['x'], false],
  ['name', 'nin', ['x'], true],
  ['missing', 'nin', ['x'], true],
  ['tags', 'nin', ['Public'], false],
  ['tags', 'any', ['Public', 'x'], true],
  ['tags', 'all', ['Public', 'finance'], true],
  ['tags', 'all', ['Public', 'x'], false],
  ['tags', 'contains', 'finance', true],
  ['pages', 'contains', 5, true],
  ['name', 'contains', 'Report', true],
  ['name', 'contains', 'report', false],
  ['name', 'text_match', 'al Rep', true],
  ['name', 'text_match', 'al rep', false],
  ['name', 'text_match', ['al Rep', 'nowhere'], true],
  ['year', '<', 2023, false],
  ['tags', '>', ['a'], false],
  ['name', '>=', null, false],
  ['year', 'text_match', '20', false],
  ['name', 'text_match_insensitive', 'AL REP', true],
  ['tags', 'text_match_insensitive', 'PUB', true],
  ['missing', 'is_empty', null, true],
  ['nothing', 'is_empty', null, true],
  ['blank', 'is_empty', null, true],
  ['none', 'is_empty', null, true],
  ['year', 'is_empty', null, false],
  ['constructor', 'is_empty', null, true],
  ['__proto__', '==', null, true],
];

test.each(cases)('%s %s %j: %s', (key, operator, value, expected) => {
  expect(matches(metadata, { condition: 'and', filters: [{ key, operator, value }] })).toBe(expected);
});

describe('filter groups', () => {
  const yes: Filter = { key: 'year', operator: '==', value: 2023 };
  const no: Filter = { key: 'year', operator: '==', value: 1999 };
  const group = (condition: Filters['condition'], ...filters: Filters['filters']) =>
    matches(metadata, { condition, filters });

  test('support and, or and not', () => {
    expect([group('and', yes, yes), group('and', yes, no)]).toEqual([true, false]);
    expect([group('or', no, yes), group('or', no, no)]).toEqual([true, false]);
    expect([group('not', yes), group('not', yes, no)]).toEqual([false, true]);
  });

  test('can be nested', () => {
    const inner: Filters = { condition: 'not', filters: [no] };
    expect(group('and', yes, inner)).toBe(true);
    expect(group('not', { condition: 'or', filters: [inner, no] })).toBe(false);
  });

  test('without filters match everything', () => {
    expect([group('and'), group('or'), group('not')]).toEqual([true, true, true]);
  });
});
