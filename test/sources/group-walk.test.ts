import { describe, expect, it } from 'vitest';
import type { SourceEntry } from '#src/ports/source.ts';
import { createGroupWalk, type FolderContent, type ListFolders } from '#src/sources/shared/group-walk.ts';

/** Folders by name, which is also their id, with subfolders and number of files. */
type Tree = Record<string, { folders?: string[]; files?: number } | undefined>;

const fileAt = (path: string): SourceEntry => ({
  ...{ id: path, name: path.slice(path.lastIndexOf('/') + 1), path, size: 1, version: 'v' },
  ...{ modifiedAt: null, webUrl: null, permissions: null, metadata: {} },
});

/**
 * Lists `pageSize` entries per page. Groups with a missing folder fail, and group requests omit `forgotten`.
 */
function listing(tree: Tree, pageSize: number, forgotten: string[] = []) {
  const asked: string[] = [];
  const list: ListFolders = async (folders, page) => {
    const ids = folders.map(({ id }) => id);
    asked.push(`${ids.join('+')}${page === null ? '' : `@${page}`}`);
    if (ids.some((id) => !tree[id])) return undefined;
    const known = folders.filter(({ id }) => folders.length === 1 || !forgotten.includes(id));
    const all = known.flatMap(({ id, place }) => [
      ...(tree[id]!.folders ?? []).map((name) => ({ id, folder: name, file: undefined })),
      ...Array.from({ length: tree[id]!.files ?? 0 }, (_, n) => ({
        ...{ id, folder: undefined },
        file: fileAt(place(`${n}`)),
      })),
    ]);
    const start = Number(page ?? 0);
    const found = new Map<string, FolderContent>();
    for (const { id, folder, file } of all.slice(start, start + pageSize)) {
      const content = found.get(id) ?? { folders: [], entries: [] };
      found.set(id, content);
      if (folder !== undefined) content.folders.push({ id: folder, name: folder });
      if (file) content.entries.push(file);
    }
    return { found, next: start + pageSize < all.length ? String(start + pageSize) : null };
  };
  return { asked, list };
}

/** Returns all paths and keeps only the cursor between pages. */
async function walked(tree: Tree, most: number, pageSize = 1000, forgotten: string[] = []) {
  const { asked, list } = listing(tree, pageSize, forgotten);
  const paths: string[] = [];
  let cursor: string | null = null;
  let longest = 0;
  do {
    const page = await createGroupWalk([{ id: 'root', name: '' }], list, most)(cursor);
    paths.push(...page.entries.map(({ path }) => path));
    cursor = page.cursor;
    longest = Math.max(longest, cursor?.length ?? 0);
  } while (cursor !== null);
  return { paths: paths.sort(), asked, longest };
}

const names = (count: number) => Array.from({ length: count }, (_, n) => `f${String(n).padStart(3, '0')}`);

describe('walk through groups of folders', () => {
  it('lists many folders in one request and builds their paths', async () => {
    const inner = Object.fromEntries(names(100).map((name) => [name, { folders: [`${name}-in`], files: 1 }]));
    const deep = Object.fromEntries(names(100).map((name) => [`${name}-in`, { files: 2 }]));
    const { paths, asked } = await walked({ root: { folders: names(100) }, ...inner, ...deep }, 50);
    expect(paths).toHaveLength(300);
    expect(paths).toContain('f099/f099-in/1');
    expect(asked).toHaveLength(1 + 2 + 2);
  });

  it('reads all pages of a group before continuing', async () => {
    const tree = { root: { folders: ['a', 'b'] }, a: { files: 3 }, b: { files: 3, folders: ['c'] }, c: {} };
    const { paths, asked } = await walked(tree, 50, 2);
    expect(asked).toEqual(['root', 'b+a', 'b+a@2', 'b+a@4', 'b+a@6', 'c']);
    expect(paths).toEqual(['a/0', 'a/1', 'a/2', 'b/0', 'b/1', 'b/2']);
  });

  it('lists folders one by one if a group request omits them', async () => {
    const tree = {
      ...{ root: { folders: ['a', 'b', 'c', 'd'] }, a: { files: 2 }, b: { files: 2 } },
      ...{ c: { folders: ['e'] }, d: {}, e: { files: 1 } },
    };
    const { paths, asked } = await walked(tree, 50, 1, ['b', 'c']);
    expect(paths).toEqual(['a/0', 'a/1', 'b/0', 'b/1', 'c/e/0']);
    expect(asked.filter((each) => !each.includes('@')).sort()).toEqual([
      'b',
      'c',
      'd',
      'd+c+b+a',
      'e',
      'root',
    ]);
  });

  it('skips a folder that has vanished and keeps the others of its group', async () => {
    const tree = { root: { folders: ['a', 'gone', 'b'] }, a: { files: 1 }, b: { files: 1 } };
    expect((await walked(tree, 50)).paths).toEqual(['a/0', 'b/0']);
  });

  it('skips folders that lead back to an ancestor', async () => {
    const tree = {
      root: { folders: ['a', 'b'] },
      a: { folders: ['b', 'root'] },
      b: { folders: ['a'], files: 1 },
    };
    expect((await walked(tree, 50)).paths).toEqual(['a/b/0', 'b/0']);
  });

  it('keeps its cursor short in a wide tree', async () => {
    let count = 0;
    const twenty = () => names(20).map((name) => ({ id: `n${count++}`, name }));
    const endless: ListFolders = async (folders) => ({
      found: new Map(folders.map(({ id }) => [id, { folders: twenty(), entries: [] }])),
      next: null,
    });
    let cursor: string | null = null;
    for (let pages = 0; pages < 10; pages++) {
      ({ cursor } = await createGroupWalk([{ id: 'root', name: '' }], endless, 50)(cursor));
      expect(cursor!.length).toBeLessThan(600_000);
    }
  });

  it('rejects a foreign cursor', async () => {
    const { list } = listing({}, 1);
    const walk = createGroupWalk([{ id: 'root', name: '' }], list, 50);
    await expect(walk('{"levels":3}')).rejects.toMatchObject({ name: 'SourceError', retryable: false });
  });
});
