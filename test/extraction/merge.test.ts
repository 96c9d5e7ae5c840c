import { describe, expect, it } from 'vitest';
import { appendPieces, joinParts, mergePieces } from '#src/extraction/merge.ts';

const evidence = (entries: Record<string, number>) =>
  new Map(Object.entries(entries).map(([at, confidence]) => [at, { confidence, citations: [] }]));

describe('mergePieces', () => {
  it('takes the scalar with the highest confidence, the earlier one on a tie, with its evidence', () => {
    const merged = mergePieces([
      { value: { a: 1, b: null, c: 'x' }, evidence: evidence({ '/a': 0.4, '/c': 0.5 }) },
      { value: { a: 2, b: 3, c: 'y' }, evidence: evidence({ '/a': 0.9, '/b': 0.2, '/c': 0.5 }) },
    ]);
    expect(merged.value).toEqual({ a: 2, b: 3, c: 'x' });
    expect([...merged.evidence].map(([at, { confidence }]) => [at, confidence])).toEqual([
      ['/a', 0.9],
      ['/b', 0.2],
      ['/c', 0.5],
    ]);
  });

  it('removes repeated items of later chunks, except items that contain numbers', () => {
    const merged = mergePieces([
      {
        value: { people: [{ n: 'a' }, { n: 'a' }], lines: [{ n: 'Shipping', sum: 5 }] },
        evidence: evidence({ '/people/0/n': 0.1, '/people/1/n': 0.2 }),
      },
      {
        value: { people: [{ n: 'a' }, { n: 'b' }], lines: [{ n: 'Shipping', sum: 5 }] },
        evidence: evidence({ '/people/1/n': 0.3, '/lines/0/sum': 0.4 }),
      },
    ]);
    const line = { n: 'Shipping', sum: 5 };
    expect(merged.value).toEqual({ people: [{ n: 'a' }, { n: 'a' }, { n: 'b' }], lines: [line, line] });
    expect(merged.evidence.get('/people/2/n')?.confidence).toBe(0.3);
    expect(merged.evidence.get('/lines/1/sum')?.confidence).toBe(0.4);
  });

  it('prefers a cited value to an uncited value with higher confidence', () => {
    const cited = new Map([['/a', { confidence: 0.8, citations: [{ page: 2, matching_text: '42' }] }]]);
    const merged = mergePieces([
      { value: { a: 7 }, evidence: evidence({ '/a': 1 }) },
      { value: { a: 42 }, evidence: cited },
    ]);
    expect(merged.value).toEqual({ a: 42 });
  });

  it('keeps equal items of lists if every item has a source', () => {
    const parts = [
      { a: null, rows: [{ n: 1 }], tags: ['x'] },
      { a: 2, rows: [{ n: 1 }], tags: ['x', 'y'] },
    ];
    const pieces = parts.map((value) => ({ value, evidence: evidence({ '/rows/0/n': 0.5 }) }));
    const { value, evidence: found } = appendPieces(pieces);
    expect(value).toEqual({ a: 2, rows: [{ n: 1 }, { n: 1 }], tags: ['x', 'y'] });
    expect([...found.keys()]).toEqual(['/rows/0/n', '/rows/1/n']);
  });

  it('merges objects member by member', () => {
    const merged = mergePieces([
      { value: { party: { name: 'A', city: null } }, evidence: new Map() },
      { value: { party: { name: null, city: 'B' } }, evidence: new Map() },
    ]);
    expect(merged.value).toEqual({ party: { name: 'A', city: 'B' } });
  });
});

describe('joinParts', () => {
  it('matches list items, including nested ones, by their shared members', () => {
    const joined = joinParts([
      {
        value: {
          orders: [
            { n: 'A', x: 1, lines: [{ s: 1, q: 5 }] },
            { n: 'B', x: 2, lines: [] },
          ],
        },
        evidence: evidence({ '/orders/0/x': 0.4, '/orders/0/lines/0/q': 0.3 }),
      },
      {
        value: {
          orders: [
            { n: 'B', y: 20, lines: [{ s: 9, p: 7 }] },
            { n: 'A', y: 10, lines: [{ s: 1, p: 6 }] },
          ],
        },
        evidence: evidence({ '/orders/1/y': 0.8, '/orders/1/lines/0/p': 0.9 }),
      },
    ]);
    expect(joined.value).toEqual({
      orders: [
        { n: 'A', x: 1, y: 10, lines: [{ s: 1, q: 5, p: 6 }] },
        { n: 'B', x: 2, y: 20, lines: [{ s: 9, p: 7 }] },
      ],
    });
    expect([...joined.evidence].map(([at, { confidence }]) => [at, confidence])).toEqual([
      ['/orders/0/x', 0.4],
      ['/orders/0/lines/0/q', 0.3],
      ['/orders/0/lines/0/p', 0.9],
      ['/orders/0/y', 0.8],
    ]);
  });

  it.each([
    [
      'by position when they share nothing',
      [{ a: 1 }, { a: 2 }],
      [{ b: 3 }, { b: 4 }],
      [
        { a: 1, b: 3 },
        { a: 2, b: 4 },
      ],
    ],
    [
      'one by one when they are alike',
      [
        { k: 1, a: 1 },
        { k: 1, a: 2 },
      ],
      [
        { k: 1, b: 3 },
        { k: 1, b: 4 },
      ],
      [
        { k: 1, a: 1, b: 3 },
        { k: 1, a: 2, b: 4 },
      ],
    ],
    [
      'with a new item for what the others do not know',
      [{ k: 'A', a: 1 }],
      [
        { k: 'A', b: 1 },
        { k: 'Z', b: 2 },
      ],
      [
        { k: 'A', a: 1, b: 1 },
        { k: 'Z', b: 2 },
      ],
    ],
    [
      'but not what contradicts',
      [
        { k: 'A', a: 1 },
        { k: 'B', a: 2 },
        { k: 'C', a: 3 },
      ],
      [
        { k: 'A', b: 1 },
        { k: 'Z', b: 2 },
      ],
      [
        { k: 'A', a: 1, b: 1 },
        { k: 'B', a: 2 },
        { k: 'C', a: 3 },
        { k: 'Z', b: 2 },
      ],
    ],
    [
      'although they are spelled a little differently',
      [{ k: 'A 1', a: 1 }],
      [{ k: 'a1', b: 1 }],
      [{ k: 'A 1', a: 1, b: 1 }],
    ],
  ])('joins items %s', (_, left, right, expected) => {
    const pieces = [left, right].map((list) => ({ value: { list }, evidence: new Map() }));
    expect(joinParts(pieces).value).toEqual({ list: expected });
  });
});
