import { describe, expect, it } from 'vitest';
import { metadataFilters, toFilters } from '#src/retrieval-contract/filter-schema.ts';

const parse = (input: unknown) => toFilters(metadataFilters.parse(input));
const messages = (input: unknown) =>
  metadataFilters.safeParse(input).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('metadata filters in a request', () => {
  it('default to the operator == and the condition and', () => {
    expect(parse({ filters: [{ key: 'year', value: 2024 }] })).toEqual({
      condition: 'and',
      filters: [{ key: 'year', operator: '==', value: 2024 }],
    });
    expect(parse({ condition: null, filters: [{ key: 'a', operator: null, value: null }] })).toEqual({
      condition: 'and',
      filters: [{ key: 'a', operator: '==', value: null }],
    });
  });

  it('can be nested', () => {
    const input = {
      condition: 'not',
      filters: [
        { condition: 'or', filters: [{ key: 'a', operator: 'in', value: ['x'] }] },
        { key: 'b', operator: '>=', value: 3 },
      ],
    };
    expect(parse(input)).toEqual(input);
  });

  it('reject unknown members of the outermost group', () => {
    expect(messages({ filters: [], operator: 'or' })?.join()).toContain('only condition and filters');
  });

  it('ignore the class name that clients send', () => {
    const input = { class_name: 'MetadataFilters', filters: [{ class_name: null, key: 'a', value: 1 }] };
    expect(parse(input)).toEqual({ condition: 'and', filters: [{ key: 'a', operator: '==', value: 1 }] });
  });

  it('accept is_empty without a value', () => {
    expect(parse({ filters: [{ key: 'a', operator: 'is_empty' }] }).filters).toEqual([
      { key: 'a', operator: 'is_empty', value: null },
    ]);
  });

  it.each([
    [{ key: 'a', operator: 'in', value: 'x' }, 'operator in takes a list of strings or numbers as value'],
    [{ key: 'a', operator: '>', value: ['x'] }, 'operator > takes a string or a number as value'],
    [{ key: 'a', operator: 'text_match', value: 3 }, 'operator text_match takes a string as value'],
    [{ key: 'a' }, 'value is required for operator =='],
    [{ key: 'a', operator: 'like', value: 'x' }, 'operator must be one of ==, !=, >'],
    [{ key: 'a', value: true }, 'value must be a string, a number, null, or a list'],
    [{ key: 'a', value: [1, 'x'] }, 'value must be a string, a number, null, or a list'],
    [{ value: 1 }, 'a filter needs key and value'],
    [{ condition: 'xor', filters: [] }, 'condition must be one of and, or, not'],
    ['a', 'a filter must be an object'],
    [{ key: 'year', op: '>', value: 2020 }, 'unknown op: only key, value and operator are allowed'],
    [{ key: 'a', value: 1, filters: [] }, 'unknown key, value: only condition and filters are allowed'],
    [{ conditions: 'or', filters: [] }, 'unknown conditions: only condition and filters are allowed'],
  ])('reject %j and name the allowed values', (filter, message) => {
    expect(messages({ filters: [filter] })?.join('\n')).toContain(message);
    expect(messages({ filters: [{ filters: [filter] }] })?.join('\n')).toContain(message);
  });

  const shapes = { string: 'x', number: 1, list: ['x'], numbers: [1, 2], null: null };
  const all = ['string', 'number', 'list', 'numbers', 'null'];
  it.each([
    ['==', all],
    ['!=', all],
    ['>', ['string', 'number']],
    ['>=', ['string', 'number']],
    ['<', ['string', 'number']],
    ['<=', ['string', 'number']],
    ['in', ['list', 'numbers']],
    ['nin', ['list', 'numbers']],
    ['any', ['list', 'numbers']],
    ['all', ['list', 'numbers']],
    ['contains', ['string', 'number', 'list', 'numbers']],
    ['text_match', ['string']],
    ['text_match_insensitive', ['string']],
    ['is_empty', all],
  ])('operator %s accepts these values: %j', (operator, allowed) => {
    const taken = Object.entries(shapes).filter(
      ([, value]) => messages({ filters: [{ key: 'a', operator, value }] }) === undefined,
    );
    expect(taken.map(([shape]) => shape)).toEqual(allowed);
  });

  it('are limited in depth and number', () => {
    const nested = (levels: number): unknown =>
      levels === 1 ? { filters: [{ key: 'a', value: 1 }] } : { filters: [nested(levels - 1)] };
    expect(messages(nested(16))).toBeUndefined();
    expect(messages(nested(17))?.join()).toContain('16 levels');
    const many = (count: number) => ({
      filters: Array.from({ length: count }, () => ({ key: 'a', value: 1 })),
    });
    expect(messages({ filters: [many(500), many(500)] })).toBeUndefined();
    expect(messages({ filters: [many(500), many(501)] })?.join()).toContain('at most 1000');
  });

  it('are limited in list values and characters', () => {
    const list = (count: number) => ({
      key: 'a',
      operator: 'in',
      value: Array.from({ length: count }, () => 1),
    });
    expect(messages({ filters: [list(5_000), { filters: [list(5_000)] }] })).toBeUndefined();
    expect(messages({ filters: [list(5_000), { filters: [list(5_001)] }] })).toEqual([
      'filters: at most 10000 values are allowed in all filters together, not 10001',
    ]);
    const text = (characters: number) => ({ key: 'k'.repeat(10), value: 'v'.repeat(characters) });
    expect(messages({ filters: [text(499_990), text(499_990)] })).toBeUndefined();
    expect(messages({ filters: [text(499_990), text(499_991)] })?.join()).toContain('not 1000001');
  });
});
