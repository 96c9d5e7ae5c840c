import { describe, expect, it } from 'vitest';
import type { SourceEntry } from '#src/ports/source.ts';
import { createTreeWalk, type Folder, type ListFolder } from '#src/sources/shared/tree-walk.ts';

type Tree = Record<string, { folders?: string[]; files?: string[]; pages?: number } | undefined>;

const fileAt = (path: string): SourceEntry => ({
  ...{ id: path, name: path.slice(path.lastIndexOf('/') + 1), path, size: 1, version: 'v' },
  ...{ modifiedAt: null, webUrl: null, permissions: null, metadata: {} },
});

/**
 * Lists folders whose ids are their names. Files are spread over pages, and all subfolders are on the first
 * page.
 */
function listing(tree: Tree) {
  const asked: string[] = [];
  const list: ListFolder = async ({ id }, page, place) => {
    asked.push(page === null ? id : `${id}@${page}`);
    const folder = tree[id];
    if (!folder) return undefined;
    const { folders = [], files = [], pages = 1 } = folder;
    const at = Number(page ?? 0);
    const share = Math.ceil(files.length / pages);
    return {
      folders: at === 0 ? folders.map((name): Folder => ({ id: name, name })) : [],
      entries: files.slice(at * share, (at + 1) * share).map((name) => fileAt(place(name))),
      next: at + 1 < pages ? String(at + 1) : null,
    };
  };
  return { asked, list };
}

/** Returns all paths and keeps only the cursor between pages. */
async function walked(tree: Tree, root: Folder = { id: 'root', name: '' }) {
  const { asked, list } = listing(tree);
  const paths: string[] = [];
  let cursor: string | null = null;
  let pages = 0;
  do {
    const page = await createTreeWalk([root], list)(cursor);
    paths.push(...page.entries.map(({ path }) => path));
    cursor = page.cursor;
    pages += 1;
  } while (cursor !== null);
  return { paths: paths.sort(), asked, pages };
}

describe('walk through folders', () => {
  it('lists all files with their paths', async () => {
    const tree = {
      root: { folders: ['a', 'b'], files: ['x'] },
      a: { folders: ['c'], files: ['y'] },
      b: {},
      c: { files: ['z', 'ü'] },
    };
    expect((await walked(tree)).paths).toEqual(['a/c/z', 'a/c/ü', 'a/y', 'x']);
    expect((await walked(tree, { id: 'a', name: 'top' })).paths).toEqual(['top/c/z', 'top/c/ü', 'top/y']);
  });

  it('reads a folder completely before continuing, and resumes from its cursor', async () => {
    const names = Array.from({ length: 60 }, (_, n) => `f${n}`);
    const folders = Object.fromEntries(names.map((name) => [name, { files: ['1', '2', '3'], pages: 3 }]));
    const { paths, asked, pages } = await walked({ root: { folders: names }, ...folders });
    expect(paths).toHaveLength(180);
    expect(new Set(paths).size).toBe(180);
    expect(asked).toHaveLength(181);
    expect(pages).toBe(Math.ceil(181 / 20));
    const first = asked.indexOf('f7');
    expect(asked.slice(first, first + 3)).toEqual(['f7', 'f7@1', 'f7@2']);
  });

  it('visits subfolders before the next page of a large folder, with a short cursor', async () => {
    const asked: string[] = [];
    let longest = 0;
    const wide: ListFolder = async ({ id }, page, place) => {
      asked.push(page === null ? id : `${id}@${page}`);
      if (id !== 'root') return { folders: [], entries: [fileAt(place('x'))], next: null };
      const at = Number(page ?? 0);
      const folders = Array.from({ length: 10 }, (_, n) => ({ id: `${at}.${n}`, name: `${at}.${n}` }));
      return { folders, entries: [], next: at < 99 ? String(at + 1) : null, areFoldersFirst: true };
    };
    const paths: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await createTreeWalk([{ id: 'root', name: '' }], wide)(cursor);
      paths.push(...page.entries.map(({ path }) => path));
      cursor = page.cursor;
      longest = Math.max(longest, cursor?.length ?? 0);
    } while (cursor !== null);
    expect(new Set(paths).size).toBe(1000);
    expect(asked).toHaveLength(1100);
    expect(asked.indexOf('root@1')).toBe(11);
    expect(longest).toBeLessThan(1000);
  });

  it('ends a page after enough entries', async () => {
    const files = Array.from({ length: 600 }, (_, n) => `${n}`);
    const { pages, paths } = await walked({ root: { folders: ['a'], files }, a: { files } });
    expect([pages, paths.length]).toEqual([2, 1200]);
  });

  it('skips a folder that has vanished and one that leads back', async () => {
    const tree = { root: { folders: ['gone', 'a'] }, a: { folders: ['root', 'a'], files: ['x'] } };
    const { paths, asked } = await walked(tree);
    expect(paths).toEqual(['a/x']);
    expect(asked.sort()).toEqual(['a', 'gone', 'root']);
  });

  it('stops at a depth of a hundred folders', async () => {
    const endless: ListFolder = async ({ id }) => ({
      ...{ entries: [], next: null },
      folders: [{ id: `${id}+`, name: 'x' }],
    });
    let cursor: string | null = null;
    let pages = 0;
    do {
      ({ cursor } = await createTreeWalk([{ id: '', name: '' }], endless)(cursor));
      pages += 1;
    } while (cursor !== null && pages < 50);
    expect(cursor).toBeNull();
  });

  it('rejects too many folders and a foreign cursor', async () => {
    const name = 'n'.repeat(1000);
    const wide: ListFolder = async () => ({
      ...{ entries: [], next: 'more' },
      folders: Array.from({ length: 100 }, (_, n) => ({ id: `${n}`, name })),
    });
    const refused = { name: 'SourceError', retryable: false };
    await expect(createTreeWalk([{ id: 'r', name: '' }], wide)(null)).rejects.toMatchObject(refused);
    await expect(createTreeWalk([{ id: 'r', name: '' }], wide)('{"levels":3}')).rejects.toMatchObject(
      refused,
    );
  });
});
