import { z } from 'zod';
import { type SourceEntry, SourceError, type SourcePage } from '#src/ports/source.ts';
import type { Folder } from './tree-walk.ts';

export interface PlacedFolder extends Folder {
  /** Puts a name into the folder: "a/b" and "c.txt" give "a/b/c.txt". */
  place(name: string): string;
}

/** What is directly in a folder. Paths of entries are whatever `place` gives for their names. */
export interface FolderContent {
  folders: Folder[];
  entries: SourceEntry[];
}

/** A page of what is directly in some folders. */
export interface GroupPage {
  /** By the folder's id; one that the page has nothing of is absent. */
  found: Map<string, FolderContent>;
  /** Where the next page of these folders starts; null: this was the last one. */
  next: string | null;
  /** Number of members of the page that could not be read. */
  leftOut?: number;
}

/**
 * Lists folders. Undefined, of a single one: it is no longer there; of several: they cannot be listed together, and
 * each is to be listed by itself.
 */
export type ListFolders = (folders: PlacedFolder[], page: string | null) => Promise<GroupPage | undefined>;

/** A folder with the path to it, its own name included, and the ids of those above, which it may lead back to. */
const stop = z.object({ id: z.string(), name: z.string(), path: z.string(), above: z.array(z.string()) });
type Stop = z.infer<typeof stop>;

const position = z.object({
  /** The folders of one folder that are still to be walked, as pairs of id and name; the deepest level is the last. */
  levels: z.array(
    z.object({
      path: z.string(),
      above: z.array(z.string()),
      folders: z.array(z.tuple([z.string(), z.string()])),
    }),
  ),
  /** Folders to be listed by themselves, before all others. */
  alone: z.array(stop),
  /** The folders in the middle of which the page ended. `silent`: the ids of those that it had nothing of so far. */
  open: z.object({ stops: z.array(stop), page: z.string(), silent: z.array(z.string()) }).nullable(),
});
type Position = z.infer<typeof position>;
interface Group {
  stops: Stop[];
  page: string | null;
  silent: string[];
}

/** One page of the source is made of as many folders as it takes to get so many entries, or of so many listings. */
const ENOUGH_ENTRIES = 500;
const MOST_LISTINGS = 20;
const DEEPEST = 100;
/** What the owner of a run can keep beside everything else, as text. */
const LONGEST_CURSOR = 1_500_000;
/** While the cursor is longer, folders are listed one by one, so that few join those that wait. */
const LONG_CURSOR = 300_000;

/**
 * As `treeWalk`, for vendors that list several folders with one request: `most` of them at a time. It goes depth first,
 * so that the cursor names little more than the folders beside the way down to where it is. Folders that lead back to
 * one above them are passed over, and so are those below the hundredth level. A folder of which the listing of a group
 * has nothing is listed by itself as well: a vendor that forgets it would have all of its files deleted.
 */
export function groupWalk(
  roots: Folder[],
  list: ListFolders,
  most: number,
): (cursor: string | null) => Promise<SourcePage> {
  return async (cursor) => {
    const at = cursor === null ? startOf(roots) : positionOf(cursor);
    const entries: SourceEntry[] = [];
    let leftOut = 0;
    for (let listings = 0; listings < MOST_LISTINGS && entries.length < ENOUGH_ENTRIES; listings++) {
      const group = at.open ?? nextGroup(at, most);
      if (!group) return { entries, cursor: null, leftOut };
      const page = await list(group.stops.map(placed), group.page);
      for (const { entries: more } of page?.found.values() ?? []) entries.push(...more);
      leftOut += page?.leftOut ?? 0;
      goOn(at, group, page);
    }
    const text = JSON.stringify(at);
    if (text.length > LONGEST_CURSOR) {
      const message = 'The source has more folders beside each other than a listing can keep in mind.';
      throw new SourceError(message, { retryable: false });
    }
    return { entries, cursor: isDone(at) ? null : text, leftOut };
  };
}

const within = (path: string, name: string) => [path, name].filter((part) => part !== '').join('/');

const placed = ({ id, name, path }: Stop): PlacedFolder => ({
  id,
  name,
  place: (child) => (path ? `${path}/${child}` : child),
});

function startOf(roots: Folder[]): Position {
  const folders = roots.map(({ id, name }): [string, string] => [id, name]);
  return { levels: [{ path: '', above: [], folders }], alone: [], open: null };
}

function positionOf(cursor: string): Position {
  try {
    return position.parse(JSON.parse(cursor));
  } catch {
    throw new SourceError('The listing cannot go on from where it was.', { retryable: false });
  }
}

function nextGroup(at: Position, most: number): Group | undefined {
  const single = at.alone.pop();
  if (single) return { stops: [single], page: null, silent: [] };
  const size = JSON.stringify(at).length > LONG_CURSOR ? 1 : most;
  const stops: Stop[] = [];
  while (stops.length < size) {
    const next = nextStop(at);
    if (!next) break;
    stops.push(next);
  }
  return stops.length === 0 ? undefined : { stops, page: null, silent: stops.map(({ id }) => id) };
}

function nextStop({ levels }: Position): Stop | undefined {
  for (let last = levels.at(-1); last; last = levels.at(-1)) {
    const folder = last.folders.pop();
    if (folder) {
      const { above } = last;
      const [id, name] = folder;
      return { id, name, path: within(last.path, name), above };
    }
    levels.pop();
  }
  return undefined;
}

/** Keeps in mind what the answer leaves to be done. */
function goOn(at: Position, { stops, silent: before }: Group, page: GroupPage | undefined): void {
  at.open = null;
  if (!page) {
    if (stops.length > 1) at.alone.push(...stops);
    return;
  }
  const silent = before.filter((id) => !page.found.has(id));
  if (page.next !== null) at.open = { stops, page: page.next, silent };
  else if (stops.length > 1) at.alone.push(...stops.filter(({ id }) => silent.includes(id)));
  for (const { id, path, above } of stops) {
    descend(at, [...above, id], path, page.found.get(id)?.folders ?? []);
  }
}

function descend({ levels }: Position, above: string[], path: string, folders: Folder[]): void {
  if (above.length >= DEEPEST) return;
  const fresh = folders
    .filter(({ id }) => !above.includes(id))
    .map(({ id, name }): [string, string] => [id, name]);
  if (fresh.length > 0) levels.push({ path, above, folders: fresh });
}

const isDone = ({ levels, alone, open }: Position) =>
  open === null && alone.length === 0 && levels.every(({ folders }) => folders.length === 0);
