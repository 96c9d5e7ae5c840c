import { describe, expect, it } from 'vitest';
import { readEvents } from '#test/support/example-events.ts';
import { fillIn, shapeDifferences, stabilize } from '#test/support/example-values.ts';

const ID = '0199a8c2-7d4e-7b3a-9c1d-2f5e6a7b8c9d';
const OTHER = '0199a8c2-7d4e-7b3a-9c1d-000000000000';

describe('comparing an example with an answer', () => {
  it.each([
    [{ a: 1 }, { a: 2 }],
    [{ a: null }, { a: 'text' }],
    [{ a: [] }, { a: [{ b: 1 }] }],
    [{ a: [{ b: 1 }] }, { a: [{ c: 1 }, { b: 2 }] }],
    [{ [ID]: 1 }, { [OTHER]: 2 }],
  ])('treats %j and %j as the same shape', (example, answer) => {
    expect(shapeDifferences(example, answer)).toEqual([]);
  });

  it.each([
    [{ a: 1 }, { a: '1' }, 'answer.a is number in the example and string in the answer'],
    [{ a: 1, b: 1 }, { a: 1 }, 'answer.b is only in the example'],
    [{ a: 1 }, { a: 1, b: 1 }, 'answer.b is only in the answer'],
    [{ a: [{ b: 1 }] }, { a: [{ c: 1 }] }, 'answer.a[0].b is only in the example'],
    [{ a: {} }, { a: [] }, 'answer.a is object in the example and list in the answer'],
  ])('distinguishes %j from %j', (example, answer, difference) => {
    expect(shapeDifferences(example, answer)).toContain(difference);
  });

  it('compares the types of events, not their number', () => {
    const shown = readEvents('data: {"type":"a","n":1}\n\ndata: [DONE]\n\n');
    expect(
      shapeDifferences(
        shown,
        readEvents('data: {"type":"a","n":2}\n\ndata: {"type":"a","n":3}\n\ndata: [DONE]\n\n'),
      ),
    ).toEqual([]);
    expect(shapeDifferences(shown, readEvents('data: {"type":"b","n":1}\n\ndata: [DONE]\n\n'))).toHaveLength(
      2,
    );
  });
});

describe('recorded example values', () => {
  it('are the same in every recording, and equal values stay equal', () => {
    const record = (id: string, moment: string) =>
      stabilize({ id, path: `/files/${id}`, at: moment, name: `pipeline ${id} (copy)` }, 'http://host');
    const one = record(ID, '2026-01-02T03:04:05.678Z') as Record<string, string>;
    expect(one).toEqual(record(OTHER, '2027-01-02T03:04:05.678Z'));
    expect(one.path).toBe(`/files/${one.id}`);
    expect(one).toMatchObject({ at: '2026-03-14T09:00:00.000Z', name: 'Example pipeline (copy)' });
  });

  it('take ids from the prepared resources, and keep the documented values otherwise', () => {
    const documented = { id: 'documented', name: 'Example pipeline', list: [{ id: 'x' }], size: 3 };
    const prepared = { id: ID, name: `pipeline ${ID}`, list: [{ id: `dfl-${OTHER}` }], size: 4 };
    expect(fillIn(documented, prepared)).toEqual({
      ...documented,
      id: ID,
      list: [{ id: `dfl-${OTHER}` }],
    });
  });
});
