import { describe, expect, it } from 'vitest';
import { alignRows } from '#src/evaluation/accuracy/align-rows.ts';
import { addToBins, type Bins, computeCalibration } from '#src/evaluation/accuracy/calibration.ts';
import { judgeFields, sumFields } from '#src/evaluation/accuracy/judge-fields.ts';
import { isAbsent, normalizeValue } from '#src/evaluation/accuracy/normalize-value.ts';
import {
  computeAccuracy,
  computeClassScores,
  computeMacroF1,
  computeScores,
} from '#src/evaluation/accuracy/scores.ts';

const NONE = new Map<string, number>();
const judge = (expected: unknown, actual: unknown, confidences: ReadonlyMap<string, number> = NONE) =>
  judgeFields(expected, actual, confidences);
const counts = (expected: unknown, actual: unknown) =>
  Object.fromEntries(
    Object.entries(judge(expected, actual).fields).map(([name, { correct, wrong, missing, invented }]) => [
      name,
      [correct, wrong, missing, invented],
    ]),
  );
const align = (expected: unknown[], actual: unknown[], left = 1_000_000) =>
  alignRows(expected, actual, { left }).map((pair) => [pair.expected, pair.actual]);

describe('equal values', () => {
  it.each([
    [1200.5, '1,200.50'],
    [1200.5, '1.200,50'],
    ['€ 1,200.50', '1200.50 EUR'],
    [0.1 + 0.2, 0.3],
    ['5 March 2026', '2026-03-05'],
    ['25/12/2026', '2026-12-25'],
    ['  Harbour   AUTHORITY ', 'harbour authority'],
    ['ﬁrst', 'first'],
    [-5, '(5)'],
  ])('%j equals %j', (one, other) => expect(normalizeValue(one)).toBe(normalizeValue(other)));

  it.each([
    // An identifier with leading zeros is no number, and neither is one with many digits.
    ['00123', 123],
    ['12345678901234567', '12345678901234568'],
    ['€5', '$5'],
    ['5 %', 5],
    // Either a thousand or a little more than one.
    ['1,234', 1234],
    // 3 April or 4 March.
    ['03/04/2026', '2026-04-03'],
    ['20260305', '2026-03-05'],
    ['Room 5', 5],
    [true, 'true'],
  ])('%j does not equal %j', (one, other) => expect(normalizeValue(one)).not.toBe(normalizeValue(other)));

  it('take blank texts, empty lists and empty objects as no value', () => {
    expect([null, undefined, ' ', [], {}].map(isAbsent)).toEqual([true, true, true, true, true]);
    expect([0, false, 'a', [0]].map(isAbsent)).toEqual([false, false, false, false]);
  });
});

describe('scores', () => {
  it('are those of the definition', () => {
    // 8 values found, 6 of them correct, and 10 expected.
    const scores = computeScores({ correct: 6, wrong: 1, missing: 3, invented: 1 });
    expect(scores).toEqual({ precision: 6 / 8, recall: 6 / 10, f1: 12 / 18 });
    expect(computeScores({ correct: 0, wrong: 0, missing: 0, invented: 0 })).toEqual({
      precision: null,
      recall: null,
      f1: null,
    });
    expect(computeMacroF1([{ f1: 1 }, { f1: 0.5 }, { f1: null }])).toBe(0.75);
    expect(computeMacroF1([{ f1: null }])).toBeNull();
  });

  it('of classes agree with the example of scikit-learn', () => {
    // y_true = [0, 1, 2, 0, 1, 2] and y_pred = [0, 2, 1, 0, 0, 1]: the documentation of f1_score gives a macro F1 of
    // 0.26666 and F1 scores of 0.8, 0 and 0.
    const cell = (expected: string, actual: string, count = 1) => ({ expected, actual, count });
    const cells = [cell('0', '0', 2), cell('1', '2'), cell('2', '1', 2), cell('1', '0')];
    const scores = computeClassScores(cells);
    expect(scores.map(({ type, f1 }) => [type, f1])).toEqual([
      ['0', 0.8],
      ['1', 0],
      ['2', 0],
    ]);
    expect(computeMacroF1(scores)).toBeCloseTo(0.26666, 4);
    expect(computeAccuracy(cells)).toBeCloseTo(2 / 6, 9);
  });

  it('take unclassified files as a class of its own, and not as the type "null"', () => {
    const scores = computeClassScores([
      { expected: null, actual: null, count: 1 },
      { expected: 'null', actual: null, count: 3 },
    ]);
    expect(scores).toMatchObject([
      { type: 'null', expected: 3, predicted: 0, precision: null, recall: 0, f1: 0 },
      { type: null, expected: 1, predicted: 4, precision: 0.25, recall: 1, f1: 0.4 },
    ]);
    expect(computeAccuracy([])).toBeNull();
  });
});

describe('calibration', () => {
  it('is the weighted difference between confidence and accuracy', () => {
    const bins: Bins = {};
    // Ten values with confidence 0.95, nine of them correct, and ten with 0.55, none of them correct:
    // (10 / 20) * |0.9 - 0.95| + (10 / 20) * |0 - 0.55| = 0.3.
    for (let at = 0; at < 10; at += 1) addToBins(bins, 0.95, at > 0);
    for (let at = 0; at < 10; at += 1) addToBins(bins, 0.55, false);
    const found = computeCalibration(bins)!;
    expect(found.error).toBeCloseTo(0.3, 9);
    expect(found.count).toBe(20);
    expect(found.bins).toMatchObject([
      { low: 0.5, high: 0.6, count: 10, accuracy: 0 },
      { low: 0.9, high: 1, count: 10, accuracy: 0.9 },
    ]);
    expect(computeCalibration({})).toBeUndefined();
  });

  it('sorts bounds of bins into the lower bin, and limits confidences', () => {
    const bins: Bins = {};
    for (const confidence of [0, 0.1, 0.100001, 1, 7, -1]) addToBins(bins, confidence, true);
    expect(Object.entries(bins).map(([index, [count]]) => [index, count])).toEqual([
      ['0', 3],
      ['1', 1],
      ['9', 2],
    ]);
  });
});

describe('rows', () => {
  it('are aligned so that most cells are equal, and not row by row', () => {
    // Taking the best partner for the first row would leave the second without an equal cell.
    const expected = [
      { a: 1, b: 2, c: 9 },
      { a: 1, b: 2, c: 3 },
    ];
    const actual = [
      { a: 1, b: 2, c: 4 },
      { a: 7, b: 8, c: 9 },
    ];
    expect(align(expected, actual)).toEqual([
      [0, 1],
      [1, 0],
    ]);
  });

  it('are paired when they are equal, and in their order when nothing is', () => {
    const rows = ['x', 'y', 'z'].map((name) => ({ name, price: 1 }));
    expect(align(rows, rows.toReversed())).toEqual([
      [0, 2],
      [1, 1],
      [2, 0],
    ]);
    expect(align([{ a: 1 }], [{ a: 2 }, { a: 3 }])).toEqual([
      [0, 0],
      [null, 1],
    ]);
    expect(align([{ a: 1 }, { a: 2 }], [{ a: 2, other: 5 }])).toEqual([
      [0, null],
      [1, 0],
    ]);
    expect(align([], [{ a: 1 }])).toEqual([[null, 0]]);
  });

  it('are aligned with an optimal total', () => {
    // All 24 orders of 4 rows with random cells are tried, and none is better.
    let seed = 1;
    const digit = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % 3;
    };
    for (let round = 0; round < 50; round += 1) {
      const rows = () => Array.from({ length: 4 }, () => ({ a: digit(), b: digit(), c: digit() }));
      const [expected, actual] = [rows(), rows()];
      const total = (order: number[]) =>
        order.reduce((sum, at, index) => {
          const [one, other] = [expected[index]!, actual[at]!];
          return sum + Number(one.a === other.a) + Number(one.b === other.b) + Number(one.c === other.c);
        }, 0);
      const best = Math.max(...permute([0, 1, 2, 3]).map(total));
      expect(total(align(expected, actual).map(([, at]) => at as number))).toBe(best);
    }
  });

  it('are aligned greedily, and in linear time, if they are too many', () => {
    const rows = Array.from({ length: 20_000 }, (_, at) => ({ id: `row ${at}`, value: at % 7, note: 'x' }));
    const changed = rows.map((row) => ({ ...row, value: row.value + 1 })).toReversed();
    const pairs = align(rows, changed, 0);
    expect(pairs.slice(0, 2)).toEqual([
      [0, 19_999],
      [1, 19_998],
    ]);
    expect(new Set(pairs.map(([, at]) => at)).size).toBe(20_000);
  });
});

function permute(items: number[]): number[][] {
  if (items.length < 2) return [items];
  return items.flatMap((item) =>
    permute(items.filter((each) => each !== item)).map((rest) => [item, ...rest]),
  );
}

describe('fields', () => {
  it('are counted as correct, wrong, missing or invented', () => {
    expect(
      counts(
        { total: 12.5, date: '2026-03-05', tax: null, note: 'x', vendor: { name: 'Harbour', city: null } },
        {
          total: '12.50',
          date: '2026-03-06',
          tax: 3,
          vendor: { name: null, city: null },
          other: 'not judged',
        },
      ),
    ).toEqual({
      total: [1, 0, 0, 0],
      date: [0, 1, 0, 0],
      tax: [0, 0, 0, 1],
      note: [0, 0, 1, 0],
      'vendor.name': [0, 0, 1, 0],
      'vendor.city': [0, 0, 0, 0],
    });
  });

  it('of rows are compared after the alignment', () => {
    const expected = {
      items: [
        { name: 'Rope', price: 5 },
        { name: 'Paint', price: 8 },
      ],
    };
    const actual = {
      items: [
        { name: 'Paint', price: 9, sku: 1 },
        { name: 'Rope', price: 5 },
        { name: 'Oil', sku: 2 },
      ],
    };
    expect(counts(expected, actual)).toEqual({ 'items[].name': [2, 0, 0, 1], 'items[].price': [1, 1, 0, 0] });
    expect(counts(expected, {})).toEqual({ 'items[].name': [0, 0, 2, 0], 'items[].price': [0, 0, 2, 0] });
    expect(counts({ items: [] }, actual)['items[].price']).toEqual([0, 0, 0, 2]);
    expect(counts([{ a: 1 }], [{ a: 1 }, { a: 2 }])).toEqual({ '[].a': [1, 0, 0, 1] });
  });

  it('of lists of values are compared as sets with repetitions', () => {
    expect(counts({ tags: ['a', 'B', 'b'] }, { tags: ['b', 'c', 'a'] })).toEqual({ 'tags[]': [2, 0, 1, 1] });
    expect(counts({ tags: ['a'] }, { tags: 'a' })).toEqual({ 'tags[]': [0, 0, 1, 0], tags: [0, 0, 0, 1] });
  });

  it('have the confidences of their values, and differences with them', () => {
    const confidences = new Map([
      ['/items/1/a', 0.9],
      ['/items/0/a', 0.3],
      ['/x~1y', 0.7],
    ]);
    const found = judge(
      { items: [{ a: 1 }], 'x/y': 2 },
      { items: [{ a: 5 }, { a: 1 }], 'x/y': 3 },
      confidences,
    );
    expect(found.fields['items[].a']).toEqual({
      correct: 1,
      wrong: 0,
      missing: 0,
      invented: 1,
      bins: { 8: [1, 0.9, 1], 2: [1, 0.3, 0] },
    });
    expect(found.differences).toEqual([
      { field: 'items[].a', kind: 'invented', expected: null, actual: 5, confidence: 0.3 },
      { field: 'x/y', kind: 'wrong', expected: 2, actual: 3, confidence: 0.7 },
    ]);
  });

  it('are limited in number, and values in length', () => {
    const many = Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`field ${at}`, 'x'.repeat(400)]));
    const { fields, differences } = judge(many, {});
    expect(Object.keys(fields)).toHaveLength(501);
    expect(fields['(other fields)']).toMatchObject({ missing: 100 });
    expect(differences).toHaveLength(100);
    expect(differences[0]?.expected).toHaveLength(301);
    expect(sumFields(fields)).toEqual({ correct: 0, wrong: 0, missing: 600, invented: 0 });
  });

  it('may have any names and types', () => {
    const hostile = JSON.parse('{"__proto__": 1, "constructor": {"a": 2}}');
    expect(counts(hostile, {})).toEqual(
      Object.fromEntries([
        ['__proto__', [0, 0, 1, 0]],
        ['constructor.a', [0, 0, 1, 0]],
      ]),
    );
    expect(counts({ a: { b: 1 } }, { a: 'text' })).toEqual({ 'a.b': [0, 0, 1, 0], a: [0, 0, 0, 1] });
    expect(counts({ a: 1 }, { a: { b: [2] } })).toEqual({ a: [0, 0, 1, 0], 'a.b[]': [0, 0, 0, 1] });
    // Every row has columns of its own, so that a table of all columns and rows would be too large.
    const rows = Array.from({ length: 8_000 }, (_, at) => ({ [`c${at}`]: at }));
    expect(sumFields(judge({ rows }, { rows: rows.toReversed() }).fields).correct).toBe(8_000);
  });
});
