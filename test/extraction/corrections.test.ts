import { describe, expect, it } from 'vitest';
import { applyCorrections, checkCorrections } from '#src/extraction/corrections.ts';
import { encodeCell } from '#src/services/jobs/batches/csv.ts';

const schema = {
  type: 'object',
  properties: {
    total: { type: 'number' },
    'a/b': { type: 'string' },
    seller: { type: 'object', properties: { name: { type: 'string' } } },
    lines: { type: 'array', items: { type: 'object', properties: { price: { type: 'number' } } } },
  },
};
const result = { total: 1, 'a/b': 'x', seller: null, lines: [{ price: 1 }] };

describe('corrections', () => {
  it('change a copy, create groups that are null, and extend lists in order', () => {
    const corrections = { '/lines/2/price': 3, '/lines/1': { price: 2 }, '/seller/name': 'A', '/a~1b': 'y' };
    expect(checkCorrections(schema, result, corrections, false)).toEqual([]);
    expect(applyCorrections(result, corrections)).toEqual({
      total: 1,
      'a/b': 'y',
      seller: { name: 'A' },
      lines: [{ price: 1 }, { price: 2 }, { price: 3 }],
    });
    expect(result.lines).toHaveLength(1);
  });

  it('may be null although the schema does not allow null', () => {
    expect(checkCorrections(schema, result, { '/total': null }, false)).toEqual([]);
  });

  it.each([
    ['/lines/0/price', 'much'],
    ['/lines/7', { price: 1 }],
    ['/lines/length', 0],
    ['/lines', [{ price: 'much' }]],
    ['', 1],
  ])('at %s are rejected', (pointer, value) => {
    const issues = checkCorrections(schema, result, { [pointer]: value }, false);
    expect(issues).toMatchObject([{ pointer, message: expect.any(String) }]);
  });

  it('of a list of results are checked for each result', () => {
    const results = [{ total: 1 }, { total: 2 }];
    expect(checkCorrections(schema, results, { '/1/total': 3 }, true)).toEqual([]);
    expect(checkCorrections(schema, results, { '/0/total': 'x' }, true)).toMatchObject([
      { pointer: '/0/total' },
    ]);
  });
});

it.each([
  ['=1+1', '"\'=1+1"'],
  ['+49 30', '"\'+49 30"'],
  ['-5', '"\'-5"'],
  ['@SUM(A1)', '"\'@SUM(A1)"'],
  ['\t=1', '"\'\t=1"'],
  [-5, '-5'],
  ['a "b", c', '"a ""b"", c"'],
  [['a', 'b'], '"a; b"'],
  [null, ''],
])('encodes %j as the cell %s', (value, cell) => {
  expect(encodeCell(value)).toBe(cell);
});
