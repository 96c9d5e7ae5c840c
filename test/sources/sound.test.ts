import { describe, expect, it } from 'vitest';
import { entriesOf, type Source, type SourceEntry, SourceError } from '#src/ports/source.ts';
import { soundEntry, soundSource } from '#src/sources/shared/sound.ts';

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

const sourceOf = (list: Source['list'], mostPages?: number) =>
  soundSource({ list, read: async () => undefined }, { name: 'Wiki', mostPages });

describe('an entry', () => {
  it('stays as it is when nothing is wrong with it', () => {
    expect(soundEntry(ENTRY)).toEqual(ENTRY);
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
  ])('is put right, case %#', (given, expected) => {
    expect(soundEntry({ ...ENTRY, ...given })).toMatchObject(expected);
  });
});

describe('a listing', () => {
  it('that leads back to its own page ends with an error', async () => {
    const source = sourceOf(async () => ({ entries: [], cursor: 'same' }));
    const { cursor } = await source.list(null);
    await expect(source.list(cursor)).rejects.toThrow(/Wiki.*the same page/);
    // As a release before kept it.
    await expect(source.list('same')).rejects.toThrow(SourceError);
  });

  it.each([2, 3, 7, 50])('that goes round %i pages ends with an error', async (length) => {
    let asked = 0;
    const source = sourceOf(async (cursor) => {
      asked += 1;
      return { entries: [], cursor: `${(Number(cursor ?? 0) + 1) % length}` };
    });
    await expect(Array.fromAsync(entriesOf(source))).rejects.toThrow(/Wiki.*the same page/);
    expect(asked).toBeLessThan(4 * length);
  });

  it('that does not end is given up after so many pages, in whichever process', async () => {
    const open = () =>
      sourceOf(async (cursor) => ({ entries: [], cursor: `${Number(cursor ?? 0) + 1}` }), 10);
    let cursor: string | null = null;
    for (let page = 1; page < 10; page++) ({ cursor } = await open().list(cursor));
    await expect(open().list(cursor)).rejects.toMatchObject({
      retryable: false,
      message: expect.stringMatching(/Wiki.*not ended after 10 pages/),
    });
  });

  it('tells on its last page how much was left out of all of them', async () => {
    const source = sourceOf(async (cursor) => ({
      entries: [{ ...ENTRY, id: '' }],
      cursor: cursor === null ? '2' : null,
      leftOut: 2,
    }));
    const first = await source.list(null);
    expect(first.leftOut).toBe(3);
    expect(await source.list(first.cursor)).toEqual({ entries: [], cursor: null, leftOut: 6 });
  });

  it('leaves out what has no id', async () => {
    const source = sourceOf(async () => ({ entries: [{ ...ENTRY, id: '' }, ENTRY], cursor: null }));
    expect(await source.list(null)).toEqual({ entries: [ENTRY], cursor: null, leftOut: 1 });
  });
});
