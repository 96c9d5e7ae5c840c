import { z } from 'zod';
import { SourceError } from '#src/ports/source.ts';
import { type Folder, type FolderPage, type ListFolder, treeWalk } from '#src/sources/shared/tree-walk.ts';
import { type NotionApi, orGone, orMissing } from './api.ts';
import { type Block, bodyOf, type Found, isGone, type Page, parentOf } from './objects.ts';
import { lineOf, pageEntry, partOf, titleOf, uploadEntry } from './pages.ts';
import { plainOf } from './rich-text.ts';
import type { Root } from './settings.ts';
import type { TopsOf } from './tops.ts';

const NOTHING: FolderPage = { folders: [], entries: [], next: null };
/**
 * Whether a block's children can contain pages or files. Table rows contain only text, and a synced copy
 * repeats its original.
 */
const isWorthOpening = (block: Block): boolean =>
  block.has_children === true && block.type !== 'table' && !(block.type === 'synced_block' && isCopy(block));
const isCopy = (block: Block): boolean => Boolean(bodyOf(block).synced_from);

/**
 * Lists pages and their uploaded files by walking the blocks from the configured roots. Without roots,
 * Notion's search finds the starting points.
 * Folders of the walk are named by kind and id: "page ID", "database ID", "rows ID", "blocks ID PAGE".
 */
export function notionListing(api: NotionApi, roots: Root[], topsOf: TopsOf) {
  const rootNames = roots.map(({ id, field }) => `${field === 'page_ids' ? 'page' : 'database'} ${id}`);
  const isRoot = (name: string) => rootNames.includes(name);
  const entered = (page: Page) => ({ id: `blocks ${page.id} ${page.id}`, name: partOf(titleOf(page)) });

  const kinds: Record<
    string,
    (id: string, pageId: string, ...rest: Rest) => Promise<FolderPage | undefined>
  > = {
    async search(_id, _pageId, cursor, place) {
      const { results, next, isCut, leftOut } = await api.search(cursor);
      if (isCut) throw tooMany();
      const page: FolderPage = { entries: [], folders: [], next, leftOut };
      for (const top of await topsOf(results)) {
        if (top.object === 'page') {
          page.entries.push(await pageEntry(top, place));
          page.folders.push(entered(top));
        } else {
          page.folders.push(...(await findDatabase(api, top)));
        }
      }
      return page;
    },
    async page(id, _pageId, _cursor, place) {
      const page = await orMissing(api.page(id));
      if (!page || isGone(page)) return undefined;
      const entries = [await pageEntry(page, place)];
      return { entries, folders: [entered(page)], next: null };
    },
    async database(id) {
      const found = await orMissing(api.database(id));
      if (!found || isGone(found)) return undefined;
      const name = partOf(lineOf(plainOf(found.title)) || 'Untitled');
      return { ...NOTHING, folders: found.data_sources.map((each) => ({ id: `rows ${each.id}`, name })) };
    },
    async rows(id, _pageId, position, place) {
      const [since, cursor] = position === null ? [null, null] : rowsPosition.parse(JSON.parse(position));
      const found = await begun(position)(api.rows(id, since, cursor));
      if (!found) return undefined;
      const rows = found.results.filter((row) => !isGone(row) && !isRoot(`page ${row.id}`));
      const next =
        found.next === null && found.isCut ? [lastTime(found.results, since), null] : [since, found.next];
      return {
        entries: await Promise.all(rows.map((row) => pageEntry(row, place))),
        folders: rows.map(entered),
        next: found.next === null && !found.isCut ? null : JSON.stringify(next),
        leftOut: found.leftOut,
        areFoldersFirst: true,
      };
    },
    async blocks(id, pageId, cursor, place) {
      const found = await begun(cursor)(api.children(id, cursor));
      if (!found) return undefined;
      const live = found.results.filter((each) => !isGone(each));
      const entries = live.flatMap((each) => uploadEntry(each, pageId, place) ?? []);
      const folders = live
        .flatMap((each) => folderIn(each, pageId) ?? [])
        .filter((name) => !isRoot(name))
        .map((name) => ({ id: name, name: '' }));
      return { entries, folders, next: found.next, leftOut: found.leftOut, areFoldersFirst: true };
    },
  };

  const list: ListFolder = async (folder, cursor, place) => {
    const [kind = '', id = '', pageId = ''] = folder.id.split(' ');
    const found = await kinds[kind]?.(id, pageId, cursor, place);
    if (!found && isRoot(folder.id)) throw notShared(id, kind === 'page' ? 'page_ids' : 'database_ids');
    return found;
  };
  const start = roots.length > 0 ? rootNames.toReversed() : ['search'];
  return treeWalk(
    start.map((id) => ({ id, name: '' })),
    list,
  );
}
/**
 * Returns the folder of the database that a data source belongs to. Returns an empty list unless this is the
 * database's first data source. A search finds every data source of a database, but the database is walked
 * only once.
 */
async function findDatabase(api: NotionApi, { id, parent }: Found): Promise<Folder[]> {
  const above = parentOf(parent);
  const database = above?.kind === 'database' ? await orMissing(api.database(above.id)) : undefined;
  const [first] = database?.data_sources ?? [];
  return first?.id === id ? [{ id: `database ${above!.id}`, name: '' }] : [];
}

/**
 * Selects the error handling of a list request. On the first page, status 400, 403 or 404 means that the
 * object is missing. On later pages only 404 does, so that a refusal cannot end the list early.
 */
const begun = (cursor: string | null) => (cursor === null ? orMissing : orGone);
type Rest = [position: string | null, place: (name: string) => string];

function folderIn(block: Block, pageId: string): string | undefined {
  const { id, type } = block;
  if (type === 'child_page') return `page ${id}`;
  if (type === 'child_database') return `database ${id}`;
  return isWorthOpening(block) ? `blocks ${id} ${pageId}` : undefined;
}

/** Position in the rows of a data source: the earliest creation time and the cursor. */
const rowsPosition = z.tuple([z.string().nullable(), z.string().nullable()]);

/**
 * Returns the creation time of the last row, from which the next query continues after Notion's limit of
 * 10,000 rows per query.
 * @throws SourceError if all rows have the same creation time, because the next query would return the same
 * rows
 */
function lastTime(rows: Page[], since: string | null): string {
  const last = rows.at(-1)?.created_time;
  if (last && last !== since) return last;
  throw new SourceError(
    'Notion tells of 10,000 pages of a database that were created in the same minute alone.',
    {
      retryable: false,
    },
  );
}

const tooMany = () =>
  new SourceError(
    'Notion’s search tells of 10,000 pages alone, and there are more: name page_ids or database_ids.',
    {
      retryable: false,
    },
  );

export function notShared(id: string, field: Root['field']): SourceError {
  const what = field === 'page_ids' ? 'page' : 'database';
  const message = `Notion shows this integration no ${what} ${id} (${field}): share it with the integration there.`;
  return new SourceError(message, { retryable: false, status: 404 });
}
