import { z } from 'zod';
import { SourceError } from '#src/ports/source.ts';
import {
  createTreeWalk,
  type Folder,
  type FolderPage,
  type ListFolder,
} from '#src/sources/shared/tree-walk.ts';
import { ignoreMissing, ignoreNotFound, type NotionApi } from './api.ts';
import { type Block, type Found, getParent, isGone, type Page, parseBody } from './objects.ts';
import { getTitle, toPageEntry, toPathSegment, toSingleLine, toUploadEntry } from './pages.ts';
import { toPlainText } from './rich-text.ts';
import type { Root } from './settings.ts';
import type { TopFilter } from './top-filter.ts';

const EMPTY_PAGE: FolderPage = { folders: [], entries: [], next: null };
/**
 * Returns whether the children of a Notion block can contain pages or files. Table rows contain only text,
 * and a synced copy repeats its original.
 */
const mayContainFiles = (block: Block): boolean =>
  block.has_children === true &&
  block.type !== 'table' &&
  !(block.type === 'synced_block' && isSyncedCopy(block));
const isSyncedCopy = (block: Block): boolean => Boolean(parseBody(block).synced_from);

const toBlocksFolder = (page: Page) => ({
  id: `blocks ${page.id} ${page.id}`,
  name: toPathSegment(getTitle(page)),
});

/**
 * Lists Notion pages and their uploaded files by walking the blocks below the configured pages and databases.
 * If none are configured, Notion's search finds the starting points. Each step of the walk is identified by a
 * kind and an id: "page ID", "database ID", "rows ID" or "blocks ID PAGE".
 */
export function createNotionListing(api: NotionApi, roots: Root[], filterTops: TopFilter) {
  const rootNames = roots.map(({ id, field }) => `${field === 'page_ids' ? 'page' : 'database'} ${id}`);
  const isRoot = (name: string) => rootNames.includes(name);

  const kinds: Record<
    string,
    (id: string, pageId: string, ...rest: Rest) => Promise<FolderPage | undefined>
  > = {
    async search(_id, _pageId, cursor, place) {
      const { results, next, isCut, leftOut } = await api.search(cursor);
      if (isCut) throw createTooManyPagesError();
      const page: FolderPage = { entries: [], folders: [], next, leftOut };
      for (const top of await filterTops(results)) {
        if (top.object === 'page') {
          page.entries.push(await toPageEntry(top, place));
          page.folders.push(toBlocksFolder(top));
        } else {
          page.folders.push(...(await findDatabase(api, top)));
        }
      }
      return page;
    },
    async page(id, _pageId, _cursor, place) {
      const page = await ignoreMissing(api.page(id));
      if (!page || isGone(page)) return undefined;
      const entries = [await toPageEntry(page, place)];
      return { entries, folders: [toBlocksFolder(page)], next: null };
    },
    async database(id) {
      const found = await ignoreMissing(api.database(id));
      if (!found || isGone(found)) return undefined;
      const name = toPathSegment(toSingleLine(toPlainText(found.title)) || 'Untitled');
      return { ...EMPTY_PAGE, folders: found.data_sources.map((each) => ({ id: `rows ${each.id}`, name })) };
    },
    async rows(id, _pageId, position, place) {
      const [since, cursor] = position === null ? [null, null] : rowsPosition.parse(JSON.parse(position));
      const found = await getErrorHandling(position)(api.rows(id, since, cursor));
      if (!found) return undefined;
      const rows = found.results.filter((row) => !isGone(row) && !isRoot(`page ${row.id}`));
      const next =
        found.next === null && found.isCut
          ? [getLastCreationTime(found.results, since), null]
          : [since, found.next];
      return {
        entries: await Promise.all(rows.map((row) => toPageEntry(row, place))),
        folders: rows.map(toBlocksFolder),
        next: found.next === null && !found.isCut ? null : JSON.stringify(next),
        leftOut: found.leftOut,
        areFoldersFirst: true,
      };
    },
    async blocks(id, pageId, cursor, place) {
      const found = await getErrorHandling(cursor)(api.children(id, cursor));
      if (!found) return undefined;
      const live = found.results.filter((each) => !isGone(each));
      const entries = live.flatMap((each) => toUploadEntry(each, pageId, place) ?? []);
      const folders = live
        .flatMap((each) => toFolderId(each, pageId) ?? [])
        .filter((name) => !isRoot(name))
        .map((name) => ({ id: name, name: '' }));
      return { entries, folders, next: found.next, leftOut: found.leftOut, areFoldersFirst: true };
    },
  };

  const list: ListFolder = async (folder, cursor, place) => {
    const [kind = '', id = '', pageId = ''] = folder.id.split(' ');
    const found = await kinds[kind]?.(id, pageId, cursor, place);
    if (!found && isRoot(folder.id))
      throw createNotSharedError(id, kind === 'page' ? 'page_ids' : 'database_ids');
    return found;
  };
  const start = roots.length > 0 ? rootNames.toReversed() : ['search'];
  return createTreeWalk(
    start.map((id) => ({ id, name: '' })),
    list,
  );
}
/**
 * Returns the folder of the database that contains a Notion data source. Notion's search finds every data
 * source of a database. To walk the database only once, an empty list is returned unless the data source is
 * the first of its database.
 */
async function findDatabase(api: NotionApi, { id, parent }: Found): Promise<Folder[]> {
  const above = getParent(parent);
  const database = above?.kind === 'database' ? await ignoreMissing(api.database(above.id)) : undefined;
  const [first] = database?.data_sources ?? [];
  return first?.id === id ? [{ id: `database ${above!.id}`, name: '' }] : [];
}

/**
 * Selects how errors of a list request are handled. On the first page, status 400, 403 or 404 means that the
 * object is missing. On later pages only status 404 does. Otherwise a refused request would look like the end
 * of the list.
 */
const getErrorHandling = (cursor: string | null) => (cursor === null ? ignoreMissing : ignoreNotFound);
type Rest = [position: string | null, place: (name: string) => string];

function toFolderId(block: Block, pageId: string): string | undefined {
  const { id, type } = block;
  if (type === 'child_page') return `page ${id}`;
  if (type === 'child_database') return `database ${id}`;
  return mayContainFiles(block) ? `blocks ${id} ${pageId}` : undefined;
}

/** Position in the rows of a Notion data source: the earliest creation time and the cursor of a query. */
const rowsPosition = z.tuple([z.string().nullable(), z.string().nullable()]);

/**
 * Returns the creation time of the last row, at which the next query continues. A query is needed for every
 * 10,000 rows.
 * @throws SourceError if all rows have the same creation time, because the next query would return the same
 * rows
 */
function getLastCreationTime(rows: Page[], since: string | null): string {
  const last = rows.at(-1)?.created_time;
  if (last && last !== since) return last;
  throw new SourceError(
    'Notion cannot list more than 10,000 pages of a database that were created in the same minute.',
    {
      retryable: false,
    },
  );
}

const createTooManyPagesError = () =>
  new SourceError(
    'Notion’s search returns only the first 10,000 pages, and there are more. Set page_ids or database_ids.',
    {
      retryable: false,
    },
  );

export function createNotSharedError(id: string, field: Root['field']): SourceError {
  const what = field === 'page_ids' ? 'page' : 'database';
  const message = `Notion has no ${what} ${id} (${field}) that this integration may read. Share it with the integration in Notion.`;
  return new SourceError(message, { retryable: false, status: 404 });
}
