import { describe, expect, it } from 'vitest';
import { listEntries, type Source, type SourceEntry, SourceError } from '#src/ports/source.ts';
import { sanitizeEntry, sanitizeSource } from '#src/sources/shared/sanitize-source.ts';

const ENTRY: SourceEntry = {
  id: 'id',
  name: 'a.txt',
  path: 'b/a.txt',
  size: 1,
  version: 'v',
  modifiedAt: new Date(5),
  webUrl: 'https://a.test/b?c=1',
  permissions: { users: [] },
  metadata: {},
};

const createSource = (list: Source['list'], maxPages?: number) =>
  sanitizeSource({ list, read: async () => undefined }, { name: 'Wiki', maxPages });

describe('entry', () => {
  it('is unchanged if valid', () => {
    expect(sanitizeEntry(ENTRY)).toEqual(ENTRY);
  });

  it.each<[Partial<SourceEntry>, Partial<SourceEntry>]>([
    [{ webUrl: 'javascript:alert(1)' }, { webUrl: null }],
    [{ webUrl: 'not one' }, { webUrl: null }],
    [{ webUrl: 'https://ann:secret@a.test/' }, { webUrl: 'https://a.test/' }],
    [
      { name: '', id: 'x\ny' },
      { name: 'x y', id: 'x\ny' },
    ],
    [{ name: '\ud800.txt' }, { name: '\ufffd.txt' }],
    [{ name: 'a\u2028\u0085b' }, { name: 'a b' }],
    [{ path: '' }, { path: 'id' }],
    [{ path: 'p/'.repeat(6_000) }, { path: 'p/'.repeat(5_000) }],
    [
      { version: '', size: 2 },
      { version: '2:5', size: 2 },
    ],
    [
      { version: '', size: -1, modifiedAt: new Date(Number.NaN) },
      { version: 'null:null', modifiedAt: null },
    ],
    [{ permissions: ['ann'] as never }, { permissions: null }],
  ])('is corrected, case %#', (given, expected) => {
    expect(sanitizeEntry({ ...ENTRY, ...given })).toMatchObject(expected);
  });
});

describe('listing', () => {
  it('fails if a page leads back to itself', async () => {
    const source = createSource(async () => ({ entries: [], cursor: 'same' }));
    const { cursor } = await source.list(null);
    await expect(source.list(cursor)).rejects.toThrow(/Wiki.*a page of its listing twice/);
    // Cursor format of an earlier release.
    await expect(source.list('same')).rejects.toThrow(SourceError);
  });

  it.each([2, 3, 7, 50])('fails if it repeats after %i pages', async (length) => {
    let asked = 0;
    const source = createSource(async (cursor) => {
      asked += 1;
      return { entries: [], cursor: `${(Number(cursor ?? 0) + 1) % length}` };
    });
    await expect(Array.fromAsync(listEntries(source))).rejects.toThrow(/Wiki.*a page of its listing twice/);
    expect(asked).toBeLessThan(4 * length);
  });

  it('fails after too many pages, across processes', async () => {
    const open = () =>
      createSource(async (cursor) => ({ entries: [], cursor: `${Number(cursor ?? 0) + 1}` }), 10);
    let cursor: string | null = null;
    for (let page = 1; page < 10; page++) ({ cursor } = await open().list(cursor));
    await expect(open().list(cursor)).rejects.toMatchObject({
      retryable: false,
      message: expect.stringMatching(/Wiki.*did not end after 10 pages/),
    });
  });

  it('reports the total number of omitted entries on the last page', async () => {
    const source = createSource(async (cursor) => ({
      entries: [{ ...ENTRY, id: '' }],
      cursor: cursor === null ? '2' : null,
      leftOut: 2,
    }));
    const first = await source.list(null);
    expect(first.leftOut).toBe(3);
    expect(await source.list(first.cursor)).toEqual({ entries: [], cursor: null, leftOut: 6 });
  });

  it('omits entries without id', async () => {
    const source = createSource(async () => ({ entries: [{ ...ENTRY, id: '' }, ENTRY], cursor: null }));
    expect(await source.list(null)).toEqual({ entries: [ENTRY], cursor: null, leftOut: 1 });
  });
});
