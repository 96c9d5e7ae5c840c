import { describe, expect, it, vi } from 'vitest';
import { soundEntry, soundSource } from '#src/sources/sound.ts';
import { type SourceEntry, SourceError } from '#src/sources/source.ts';
import { memoryTokens } from '#src/sources/tokens.ts';

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
    const source = soundSource({
      list: async () => ({ entries: [], cursor: 'same' }),
      read: async () => undefined,
    });
    await source.list(null);
    await expect(source.list('same')).rejects.toThrow(SourceError);
  });

  it('leaves out what has no id', async () => {
    const source = soundSource({
      list: async () => ({ entries: [{ ...ENTRY, id: '' }, ENTRY], cursor: null }),
      read: async () => undefined,
    });
    expect((await source.list(null)).entries).toEqual([ENTRY]);
  });
});

describe('tokens in memory', () => {
  it('are fetched once at a time, and again shortly before they expire', async () => {
    let now = 0;
    let count = 0;
    const tokens = memoryTokens(() => now);
    const refresh = vi.fn(async () => ({ token: `t${++count}`, expiresAt: now + 600_000 }));
    const get = () => tokens.get('access', refresh);
    expect(await Promise.all([get(), get(), get()])).toEqual(['t1', 't1', 't1']);
    now = 539_000;
    expect(await get()).toBe('t1');
    now = 541_000;
    expect(await Promise.all([get(), get(), get()])).toEqual(['t2', 't2', 't2']);
    await tokens.drop('access', 't1');
    expect(await get()).toBe('t2');
    await tokens.drop('access', 't2');
    expect(await get()).toBe('t3');
    expect(refresh).toHaveBeenCalledTimes(3);
  });
});
