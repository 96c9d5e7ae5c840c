import { z } from 'zod';
import { type SourceEntry, SourceError, type SourcePage } from '#src/ports/source.ts';
import type { Folder } from './tree-walk.ts';

export interface PlacedFolder extends Folder {
  /** Prepends the folder's path to a name: "a/b" and "c.txt" give "a/b/c.txt". */
  place(name: string): string;
}

/**
 * Direct children of a folder. The paths of the entries must be built with the `place` function of the
 * folder.
 */
export interface FolderContent {
  folders: Folder[];
  entries: SourceEntry[];
}

export interface GroupPage {
  /**
   * Children of each folder, by folder id. A folder without children on this page of the listing is missing
   * from the map.
   */
  found: Map<string, FolderContent>;
  /** Cursor that requests the next page of these folders. `null` on the last page. */
  next: string | null;
  leftOut?: number;
}

/**
 * Lists the children of folders. If a single folder is given, `undefined` means that it no longer exists. If
 * several folders are given, `undefined` means that they must be listed one by one.
 */
export type ListFolders = (folders: PlacedFolder[], page: string | null) => Promise<GroupPage | undefined>;

/** A folder with its full path and the ids of its ancestors, which are needed to detect cycles. */
const queuedFolder = z.object({
  id: z.string(),
  name: z.string(),
  path: z.string(),
  above: z.array(z.string()),
});
type QueuedFolder = z.infer<typeof queuedFolder>;

const position = z.object({
  /**
   * Folders that still have to be walked, grouped by parent, as pairs of id and name. The deepest level comes
   * last.
   */
  levels: z.array(
    z.object({
      path: z.string(),
      above: z.array(z.string()),
      folders: z.array(z.tuple([z.string(), z.string()])),
    }),
  ),
  /** Folders that must be listed one by one, before all others. */
  alone: z.array(queuedFolder),
  /**
   * Folders whose listing continues on another page. `silent` contains the ids of the folders for which no
   * children were found so far.
   */
  open: z.object({ stops: z.array(queuedFolder), page: z.string(), silent: z.array(z.string()) }).nullable(),
});
type Position = z.infer<typeof position>;
interface Group {
  stops: QueuedFolder[];
  page: string | null;
  silent: string[];
}

/** Number of entries after which a page of the listing ends. A page also ends after MAX_LISTINGS requests. */
const ENOUGH_ENTRIES = 500;
const MAX_LISTINGS = 20;
const DEEPEST = 100;
/** Maximum length of a cursor, in characters. The cursor must fit into the stored state of a sync run. */
const LONGEST_CURSOR = 1_500_000;
/**
 * Length of the cursor in characters above which folders are listed one by one. This slows the growth of the
 * queue of folders in the cursor.
 */
const LONG_CURSOR = 300_000;

/**
 * Creates a function that lists a folder tree page by page, for APIs that can list up to `most` folders per
 * request. The walk is depth first, so the cursor contains only siblings along the current path. Cycles and
 * folders below the hundredth level are skipped. A folder without children in a group listing is listed again
 * by itself. Otherwise a folder that the API omitted by mistake would lose all its files.
 */
export function createGroupWalk(
  roots: Folder[],
  list: ListFolders,
  most: number,
): (cursor: string | null) => Promise<SourcePage> {
  return async (cursor) => {
    const at = cursor === null ? createStartPosition(roots) : parsePosition(cursor);
    const entries: SourceEntry[] = [];
    let leftOut = 0;
    for (let listings = 0; listings < MAX_LISTINGS && entries.length < ENOUGH_ENTRIES; listings++) {
      const group = at.open ?? nextGroup(at, most);
      if (!group) return { entries, cursor: null, leftOut };
      const page = await list(group.stops.map(toPlacedFolder), group.page);
      for (const { entries: more } of page?.found.values() ?? []) entries.push(...more);
      leftOut += page?.leftOut ?? 0;
      advance(at, group, page);
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

const joinPath = (path: string, name: string) => [path, name].filter((part) => part !== '').join('/');

const toPlacedFolder = ({ id, name, path }: QueuedFolder): PlacedFolder => ({
  id,
  name,
  place: (child) => (path ? `${path}/${child}` : child),
});

function createStartPosition(roots: Folder[]): Position {
  const folders = roots.map(({ id, name }): [string, string] => [id, name]);
  return { levels: [{ path: '', above: [], folders }], alone: [], open: null };
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

function nextGroup(at: Position, most: number): Group | undefined {
  const single = at.alone.pop();
  if (single) return { stops: [single], page: null, silent: [] };
  const size = JSON.stringify(at).length > LONG_CURSOR ? 1 : most;
  const stops: QueuedFolder[] = [];
  while (stops.length < size) {
    const next = nextStop(at);
    if (!next) break;
    stops.push(next);
  }
  return stops.length === 0 ? undefined : { stops, page: null, silent: stops.map(({ id }) => id) };
}

function nextStop({ levels }: Position): QueuedFolder | undefined {
  for (let last = levels.at(-1); last; last = levels.at(-1)) {
    const folder = last.folders.pop();
    if (folder) {
      const { above } = last;
      const [id, name] = folder;
      return { id, name, path: joinPath(last.path, name), above };
    }
    levels.pop();
  }
  return undefined;
}

function advance(at: Position, { stops, silent: before }: Group, page: GroupPage | undefined): void {
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
