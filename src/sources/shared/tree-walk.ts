import { z } from 'zod';
import { type SourceEntry, SourceError, type SourcePage } from '#src/ports/source.ts';

export interface Folder {
  id: string;
  /** Name of the folder. Empty if the folder should not appear in paths, for example for the root. */
  name: string;
}

export interface FolderPage {
  folders: Folder[];
  /** Entries of this page of the folder's listing. Their paths must be built with the `place` function. */
  entries: SourceEntry[];
  /** Cursor that requests the next page of the folder. `null` on the last page. */
  next: string | null;
  /**
   * True if the folders on this page must be walked before the next page is requested. This is needed if a
   * folder may contain more folders than a cursor can hold.
   */
  areFoldersFirst?: boolean;
  leftOut?: number;
}

/**
 * Lists the children of a folder. `place` prepends the folder's path to a name: "a/b" and "c.txt" give
 * "a/b/c.txt". Returns `undefined` if the folder no longer exists.
 */
export type ListFolder = (
  folder: Folder,
  page: string | null,
  place: (name: string) => string,
) => Promise<FolderPage | undefined>;

const openListing = z.object({
  folder: z.tuple([z.string(), z.string()]),
  path: z.string(),
  above: z.array(z.string()),
  page: z.string(),
});
/**
 * Folders of one parent that still have to be walked. `above` contains the ids of their ancestors, to detect
 * cycles.
 */
const level = z.object({
  path: z.string(),
  above: z.array(z.string()),
  folders: z.array(z.tuple([z.string(), z.string()])),
  /** Listing of a folder that continues after the folders of this level have been walked. */
  afterwards: openListing.optional(),
});
const position = z.object({
  levels: z.array(level),
  /**
   * Listing of a folder that continues with the next request. `null` if the next request starts another
   * folder.
   */
  open: openListing.nullable(),
});
type Position = z.infer<typeof position>;

/** Number of entries after which a page of the listing ends. A page also ends after MAX_LISTINGS requests. */
const ENOUGH_ENTRIES = 500;
const MAX_LISTINGS = 20;
const DEEPEST = 100;
/** Maximum length of a cursor, in characters. The cursor must fit into the stored state of a sync run. */
const LONGEST_CURSOR = 1_500_000;

/**
 * Creates a function that lists a folder tree page by page. The walk is depth first, so the cursor contains
 * only siblings along the current path. Cycles and folders below the hundredth level are skipped.
 */
export function createTreeWalk(
  roots: Folder[],
  list: ListFolder,
  enough = ENOUGH_ENTRIES,
): (cursor: string | null) => Promise<SourcePage> {
  return async (cursor) => {
    const at = cursor === null ? createStartPosition(roots) : parsePosition(cursor);
    const entries: SourceEntry[] = [];
    let leftOut = 0;
    for (let listings = 0; listings < MAX_LISTINGS && entries.length < enough; listings++) {
      const next = at.open ?? nextFolder(at);
      if (!next) return { entries, cursor: null, leftOut };
      const { path, above, page } = next;
      const [id, name] = next.folder;
      const place = (child: string) => (path ? `${path}/${child}` : child);
      const found = await list({ id, name }, page, place);
      const rest: Position['open'] =
        found?.next != null ? { folder: [id, name], path, above, page: found.next } : null;
      at.open = found?.areFoldersFirst ? null : rest;
      if (rest && !at.open) at.levels.push({ path, above, folders: [], afterwards: rest });
      entries.push(...(found?.entries ?? []));
      leftOut += found?.leftOut ?? 0;
      descend(at, [...above, id], path, found?.folders ?? []);
    }
    const text = JSON.stringify(at);
    if (text.length > LONGEST_CURSOR) {
      const message =
        'The data source has too many folders at one level to be listed. Select a smaller folder.';
      throw new SourceError(message, { retryable: false });
    }
    return { entries, cursor: isDone(at) ? null : text, leftOut };
  };
}

function createStartPosition(roots: Folder[]): Position {
  return { levels: [{ path: '', above: [], folders: roots.map(({ id, name }) => [id, name]) }], open: null };
}

function parsePosition(cursor: string): Position {
  try {
    return position.parse(JSON.parse(cursor));
  } catch {
    throw new SourceError(
      'The listing cannot continue because its stored position is invalid. Start a new sync.',
      { retryable: false },
    );
  }
}

function nextFolder({ levels }: Position) {
  for (let last = levels.at(-1); last; last = levels.at(-1)) {
    const folder = last.folders.pop();
    if (folder) {
      const { above } = last;
      const [, name] = folder;
      const path = [last.path, name].filter((part) => part !== '').join('/');
      return { folder, path, above, page: null };
    }
    levels.pop();
    if (last.afterwards) return last.afterwards;
  }
  return undefined;
}

function descend({ levels }: Position, above: string[], path: string, folders: Folder[]): void {
  if (above.length >= DEEPEST) return;
  const fresh = folders
    .filter(({ id }) => !above.includes(id))
    .map(({ id, name }): [string, string] => [id, name]);
  if (fresh.length > 0) levels.push({ path, above, folders: fresh });
}

const isDone = ({ levels, open }: Position) =>
  open === null && levels.every(({ folders, afterwards }) => folders.length === 0 && !afterwards);
