import { describe, expect, it } from 'vitest';
import { inferFilters } from '#src/builtin/filter-inference/index.ts';
import { matches } from '#src/search/filters.ts';

const schema = {
  type: 'object',
  properties: {
    department: { type: 'string', enum: ['Finance', 'Legal', 'Human Resources', 'IT'] },
    region: { anyOf: [{ type: 'string', enum: ['New York', 'York', 'EMEA'] }, { type: 'null' }] },
    page_count: { type: 'integer', minimum: 1, description: 'How many pages the file has' },
    fiscal_year: { type: 'integer', description: 'Year the report is about' },
    published: { type: 'string', format: 'date' },
    updatedAt: { type: 'string', format: 'date-time' },
    is_confidential: { type: 'boolean' },
    author: { type: 'string', description: 'Who wrote it' },
    tags: { type: 'array', items: { type: 'string', enum: ['draft', 'final', '发票'] } },
    vendor: { type: 'string', examples: ['Acme Corp', 'Globex'] },
  },
};
const only = (...keys: (keyof typeof schema.properties)[]) => ({
  properties: Object.fromEntries(keys.map((key) => [key, schema.properties[key]])),
});
const infer = (query: string, of: unknown = schema) =>
  inferFilters(query, of, new Date('2026-05-05T12:00:00Z'))?.filters.map((filter) =>
    'key' in filter ? [filter.key, filter.operator, filter.value] : filter,
  );

describe('inferFilters', () => {
  it.each([
    ['What did the finance department decide?', [['department', '==', 'Finance']]],
    ['legal or human resources policies', [['department', 'in', ['Legal', 'Human Resources']]]],
    ['policies not from legal', [['department', '!=', 'Legal']]],
    ['how does it work', undefined],
    ['IT policies', [['department', '==', 'IT']]],
    ['offices in New York', [['region', '==', 'New York']]],
    [
      'draft contracts by Acme Corp',
      [
        ['tags', '==', 'draft'],
        ['vendor', '==', 'Acme Corp'],
      ],
    ],
    ['请显示发票', [['tags', '==', '发票']]],
    ['reports with more than 100 pages', [['page_count', '>', 100]]],
    ['page count at least 1,000', [['page_count', '>=', 1000]]],
    [
      'between 10 and 20 pages',
      [
        ['page_count', '>=', 10],
        ['page_count', '<=', 20],
      ],
    ],
    ['documents with -5 pages', undefined],
    ['confidential memos', [['is_confidential', '==', 'true']]],
    ['not confidential memos', [['is_confidential', '==', 'false']]],
    ['memos by author Jane van der Berg about tax', [['author', '==', 'Jane van der Berg']]],
    ['author: "j. doe"', [['author', '==', 'j. doe']]],
    ['what is the capital', undefined],
    ['', undefined],
  ])('%s', (query, filters) => {
    expect(infer(query)).toEqual(filters);
  });

  it.each([
    ['revenue in 2023', [['fiscal_year', '==', 2023]]],
    ['revenue since 2020', [['fiscal_year', '>=', 2020]]],
    ['revenue before 2020', [['fiscal_year', '<', 2020]]],
    [
      'revenue from 2019 to 2021',
      [
        ['fiscal_year', '>=', 2019],
        ['fiscal_year', '<=', 2021],
      ],
    ],
    ['the 500 largest customers', undefined],
  ])('infers years as numbers: %s', (query, filters) => {
    expect(infer(query, only('fiscal_year', 'page_count'))).toEqual(filters);
  });

  it.each([
    ['news of 2024-03-05', '2024-03-05', '2024-03-06'],
    ['news of March 5, 2024', '2024-03-05', '2024-03-06'],
    ['Nachrichten vom 5. März 2024', '2024-03-05', '2024-03-06'],
    ['noticias del 5 de marzo de 2024', '2024-03-05', '2024-03-06'],
    ['news in December 2024', '2024-12-01', '2025-01-01'],
    ['results of Q2 2024', '2024-04-01', '2024-07-01'],
    ['2024年3月5日', '2024-03-05', '2024-03-06'],
    ['news from 2024', '2024-01-01', '2025-01-01'],
    ['what happened last year', '2025-01-01', '2026-01-01'],
    ['between March 2024 and May 2024', '2024-03-01', '2024-06-01'],
  ])('infers dates: %s', (query, from, next) => {
    expect(infer(query, only('published'))).toEqual([
      ['published', '>=', from],
      ['published', '<', next],
    ]);
  });

  it.each([
    ['news after March 2024', [['updatedAt', '>=', '2024-04-01']]],
    ['news since 2024', [['updatedAt', '>=', '2024-01-01']]],
    ['news before 12 March 2024', [['updatedAt', '<', '2024-03-12']]],
    ['news until 2024-03-12', [['updatedAt', '<', '2024-03-13']]],
  ])('infers open-ended date ranges with times: %s', (query, filters) => {
    expect(infer(query, only('updatedAt'))).toEqual(filters);
  });

  it('applies date bounds to timestamps in any format', () => {
    const filters = inferFilters('news in January 2024', only('updatedAt'))!;
    for (const [updatedAt, isIn] of [
      ['2023-12-31T23:59:59.999Z', false],
      ['2024-01-01T00:00:00.000Z', true],
      ['2024-01-31T23:59:59Z', true],
      ['2024-02-01T00:00:00.000Z', false],
    ] as const) {
      expect([updatedAt, matches({ updatedAt }, filters)]).toEqual([updatedAt, isIn]);
    }
  });

  it.each([
    ['reports after 2023', [['year', '>', 2023]]],
    [
      'reports from 2020 to 2022',
      [
        ['year', '>=', 2020],
        ['year', '<=', 2022],
      ],
    ],
    ['reports of 2023 or 2022, 2023 above all', [['year', 'in', [2022, 2023]]]],
    ['reports not from 2022', [['year', '!=', 2022]]],
    ['reports of 1999', undefined],
  ])('infers numbers listed in an enum: %s', (query, filters) => {
    expect(infer(query, { year: { type: 'integer', enum: [2022, 2023, 2024] } })).toEqual(filters);
  });

  it.each([
    ['price below 1.000,50', 1000.5],
    ['price below 1,000.50', 1000.5],
    ['price below 2.500.000', 2_500_000],
    ['price below 12,5', 12.5],
    ['price below 0.125', 0.125],
  ])('parses numbers in English and other notations: %s', (query, value) => {
    expect(infer(query, { price: { type: 'number' } })).toEqual([['price', '<', value]]);
  });

  it('matches enum values that contain regular expression characters', () => {
    const kind = { enum: ['non-profit', 'e-commerce', 'a/b (c) [d] {e}^$|?*+.\\'] };
    expect(infer('A non-profit foundation', { kind })).toEqual([['kind', '==', 'non-profit']]);
    expect(infer('on e-commerce', { kind })).toEqual([['kind', '==', 'e-commerce']]);
  });

  it('accepts a bare map of properties and ignores values that are not schemas', () => {
    expect(infer('the legal team', { department: schema.properties.department })).toEqual([
      ['department', '==', 'Legal'],
    ]);
    for (const odd of [null, 'x', 3, [], { a: null }, { a: [1] }, { properties: 'no' }]) {
      expect(infer('legal 2024', odd)).toBeUndefined();
    }
  });
});
