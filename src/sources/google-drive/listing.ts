import { inParallel } from '#src/lib/async/in-parallel.ts';
import { SourceError } from '#src/ports/source.ts';
import type { FolderContent, GroupPage, PlacedFolder } from '#src/sources/shared/group-walk.ts';
import type { DriveApi } from './api.ts';
import { entryOf } from './entry.ts';
import { FOLDER, isReadable, SHORTCUT } from './formats.ts';
import type { DriveItem } from './item.ts';

interface Found {
  files: DriveItem[];
  nextPageToken?: string | null | undefined;
  leftOut: number;
}

/** A page of a listing by the folders it is of. Undefined: of something on it nobody knows in which of them it is. */
export async function contentsOf(
  api: DriveApi,
  { files, nextPageToken, leftOut }: Found,
  folders: PlacedFolder[],
): Promise<GroupPage | undefined> {
  const byId = new Map(folders.map((folder) => [folder.id, folder]));
  const parentOf = ({ parents }: DriveItem) =>
    folders.length === 1 ? folders[0] : parents?.map((id) => byId.get(id)).find((folder) => folder);
  if (!files.every(parentOf)) return undefined;

  const found = new Map<string, FolderContent>();
  const targets = await targetsOf(api, files);
  for (const item of files) {
    const { id, place } = parentOf(item)!;
    const content = found.get(id) ?? { folders: [], entries: [] };
    found.set(id, content);
    if (item.mimeType === FOLDER) content.folders.push({ id: item.id, name: item.name || item.id });
    const file = item.mimeType === SHORTCUT ? targets.get(item.id) : item;
    if (file && isReadable(file.mimeType)) content.entries.push(entryOf(file, item, place));
  }
  return { found, next: nextPageToken || null, leftOut };
}

/**
 * What shortcuts lead to, by their ids. Those to folders are not followed: of folders that lead to each other there are
 * more ways than files.
 */
async function targetsOf(api: DriveApi, files: DriveItem[]): Promise<Map<string, DriveItem>> {
  const shortcuts = files.filter(
    ({ mimeType, shortcutDetails }) => mimeType === SHORTCUT && shortcutDetails?.targetMimeType !== FOLDER,
  );
  const pairs = await inParallel(shortcuts, async ({ id, shortcutDetails }) => {
    const target = shortcutDetails && (await api.item(shortcutDetails.targetId).catch(passedOver));
    return target && !target.trashed ? ([id, target] as const) : undefined;
  });
  return new Map(pairs.filter((pair) => pair !== undefined));
}

/** A file that its shortcut may name, and this account not see, leaves the others to be listed. */
function passedOver(error: unknown): undefined {
  if (error instanceof SourceError && error.status === 403 && !error.retryable) return undefined;
  throw error;
}
