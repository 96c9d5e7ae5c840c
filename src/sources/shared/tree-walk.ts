import { z } from 'zod';
import { type SourceEntry, SourceError, type SourcePage } from '#src/ports/source.ts';

/** A folder as its parent's listing names it. */
export interface Folder {
  id: string;
  /** Empty for one whose name is not to be part of paths, such as the root. */
  name: string;
}

/** A page of what is directly in a folder. */
export interface FolderPage {
  folders: Folder[];
  /** Their `path` is whatever `place` gives for their name. */
  entries: SourceEntry[];
  /** Where the folder's next page starts; null: this was the last one. */
  next: string | null;
  /**
   * The folders of this page are walked before the next page is asked for: for a vendor whose folders hold more folders
   * than a cursor can name.
   */
  areFoldersFirst?: boolean;
  /** Number of members of the page that could not be read. */
  leftOut?: number;
}

/**
 * Lists a folder. `place` puts a name into the folder: "a/b" and "c.txt" give "a/b/c.txt". Undefined: the folder is no
 * longer there.
 */
export type ListFolder = (
  folder: Folder,
  page: string | null,
  place: (name: string) => string,
) => Promise<FolderPage | undefined>;

/** A folder in the middle of which a page ended. */
const rest = z.object({
  folder: z.tuple([z.string(), z.string()]),
  path: z.string(),
  above: z.array(z.string()),
  page: z.string(),
});
/** The folders of one folder that are still to be walked, with the ids of those above, which they may lead back to. */
const level = z.object({
  path: z.string(),
  above: z.array(z.string()),
  folders: z.array(z.tuple([z.string(), z.string()])),
  /** What is read after them. */
  afterwards: rest.optional(),
});
const position = z.object({
  levels: z.array(level),
  /** What is read next. */
  open: rest.nullable(),
});
type Position = z.infer<typeof position>;

/** One page of the source is made of as many folders as it takes to get so many entries, or of so many listings. */
const ENOUGH_ENTRIES = 500;
const MOST_LISTINGS = 20;
const DEEPEST = 100;
/** What the owner of a run can keep beside everything else, as text. */
const LONGEST_CURSOR = 1_500_000;

/**
 * A tree of folders as one listing: depth first, so that the cursor names no more than the folders beside the way down
 * to where it is. Folders that lead back to one above them are passed over, and so are those below the hundredth level.
 */
export function treeWalk(
  roots: Folder[],
  list: ListFolder,
  enough = ENOUGH_ENTRIES,
): (cursor: string | null) => Promise<SourcePage> {
  return async (cursor) => {
    const at = cursor === null ? startOf(roots) : positionOf(cursor);
    const entries: SourceEntry[] = [];
    let leftOut = 0;
    for (let listings = 0; listings < MOST_LISTINGS && entries.length < enough; listings++) {
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
      const message = 'The source has more folders beside each other than a listing can keep in mind.';
      throw new SourceError(message, { retryable: false });
    }
    return { entries, cursor: isDone(at) ? null : text, leftOut };
  };
}

function startOf(roots: Folder[]): Position {
  return { levels: [{ path: '', above: [], folders: roots.map(({ id, name }) => [id, name]) }], open: null };
}

function positionOf(cursor: string): Position {
  try {
    return position.parse(JSON.parse(cursor));
  } catch {
    throw new SourceError('The listing cannot go on from where it was.', { retryable: false });
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
