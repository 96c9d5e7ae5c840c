import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FILTER_OPERATORS, type Filter, type Filters } from '#src/ports/index-types.ts';
import { matches } from '#src/search/filters.ts';
import { pageMetadata } from '#src/search/pages.ts';
import { buildPreFilter } from '#src/sinks/external/pre-filter.ts';
import { drawnFilters, drawnMetadata } from '#test/suites/sink/drawn.ts';
import { passes } from '#test/suites/sink/passes.ts';
import { runs } from '#test/support/seed.ts';

/** Operators that pre-filters support. Others are left out. */
const TOLD = ['==', 'in', 'any', 'all', '>', '<='] as const;
const always = () => true;
const all = (...filters: (Filter | Filters)[]): Filters => ({ condition: 'and', filters });
const any = (...filters: (Filter | Filters)[]): Filters => ({ condition: 'or', filters });
const one = (operator: Filter['operator'], value: Filter['value'], key = 'a'): Filter => ({
  ...{ key, operator, value },
});

it('pre-filter passes everything that the filters pass', () => {
  const pages = fc.constantFrom({}, { startPage: 0, endPage: 1 });
  const able = fc.func(fc.boolean());
  const operators = [...FILTER_OPERATORS, ...TOLD, ...TOLD];
  const draw = [drawnMetadata, pages, drawnFilters(operators, true), able] as const;
  let said = 0;
  fc.assert(
    fc.property(...draw, (metadata, chunk, filters, isFilterable) => {
      const preFilter = buildPreFilter(filters, isFilterable);
      if (!preFilter) return;
      said++;
      const isFiltered = matches({ ...metadata, ...pageMetadata(chunk) }, filters);
      expect(isFiltered && !passes(metadata, preFilter)).toBe(false);
    }),
    { numRuns: runs(20_000) },
  );
  expect(said).toBeGreaterThan(1_000);
});

it.each<[string, Filters, ReturnType<typeof buildPreFilter>]>([
  ['a value', all(one('==', 'x')), { key: 'a', oneOf: ['x'] }],
  ['a boolean', all(one('==', 'true')), { key: 'a', oneOf: ['true', true] }],
  ['a list', all(one('==', [1, 2])), { all: [1, 2].map((item) => ({ key: 'a', oneOf: [item] })) }],
  ['one of some', all(one('in', ['x', 'false'])), { key: 'a', oneOf: ['x', 'false', false] }],
  ['a bound', all(one('>', 5)), { key: 'a', least: 5 }],
  ['a word as bound', all(one('>', '5')), undefined],
  ['no value', all(one('==', null)), undefined],
  ['one of none', all(one('in', [])), undefined],
  ['what stores lack', all(one('contains', 'x'), one('<=', 5)), { key: 'a', most: 5 }],
  ['one of two, of which a store lacks one', any(one('contains', 'x'), one('<=', 5)), undefined],
  [
    'groups',
    all(one('==', 'x'), any(one('>=', 1), one('==', 'y', 'b'))),
    {
      all: [
        { key: 'a', oneOf: ['x'] },
        {
          any: [
            { key: 'a', least: 1 },
            { key: 'b', oneOf: ['y'] },
          ],
        },
      ],
    },
  ],
  ['a negation', { condition: 'not', filters: [one('==', 'x')] }, undefined],
  ['pages', all(one('==', 3, 'page_label')), undefined],
  [
    'a long list',
    all(
      one(
        'in',
        Array.from({ length: 101 }, (_, i) => i),
      ),
    ),
    undefined,
  ],
  ['very many filters', any(...Array.from({ length: 1_001 }, (_, i) => one('==', i))), undefined],
])('%s', (_, filters, expected) => {
  expect(buildPreFilter(filters, always)).toEqual(expected);
});

it('pre-filter uses a key only in ways that the store supports', () => {
  const filters = all(one('==', 'x'), one('>', 5));
  expect(buildPreFilter(filters, (_, how) => how === 'range')).toEqual({ key: 'a', least: 5 });
  expect(buildPreFilter(filters, (_, how) => how === 'oneOf')).toEqual({ key: 'a', oneOf: ['x'] });
  expect(buildPreFilter(filters, () => false)).toBeUndefined();
});
