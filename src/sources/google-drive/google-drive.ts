import { inParallel } from '#src/lib/async/in-parallel.ts';
import { SourceError } from '#src/ports/source.ts';
import { defineSource } from '#src/sources/shared/define.ts';
import {
  createGroupWalk,
  type FolderContent,
  type GroupPage,
  type PlacedFolder,
} from '#src/sources/shared/group-walk.ts';
import { createDriveApi, type DriveApi } from './api.ts';
import { toEntry } from './entry.ts';
import { FOLDER, isReadable, SHORTCUT } from './formats.ts';
import type { DriveItem } from './item.ts';
import { type GoogleDriveSettings, googleDriveFields, ID, parseFolderId } from './settings.ts';

interface Found {
  files: DriveItem[];
  nextPageToken?: string | null | undefined;
  leftOut: number;
}

/**
 * Maximum number of folders per Google Drive query. The query is part of the URL, whose length servers and
 * proxies limit.
 */
const FOLDERS_AT_ONCE = 50;

/** Data source for a Google Drive folder or a shared drive, with everything below it. */
export const googleDrive = defineSource({
  kind: 'SOURCE_4_DRIVE',
  title: 'Cloud drive',
  client: { word: 'GOOGLE_DRIVE', className: 'CloudGoogleDriveDataSource' },
  fields: googleDriveFields,
  capabilities: { versionNamesContent: true, permissions: true, webUrls: true },
  open(settings, deps) {
    const api = createDriveApi(settings, deps);
    let root: DriveItem | undefined;
    return {
      async list(cursor) {
        root ??= await readRootFolder(api, settings);
        const { id, driveId = null } = root;
        const walk = createGroupWalk(
          [{ id, name: '' }],
          async (folders, page) => {
            const ids = folders.map((folder) => folder.id);
            const found = await api.listChildren(ids, driveId, page);
            if (!found && ids.includes(id)) throw createMissingFolderError();
            return found && groupByFolder(api, found, folders);
          },
          FOLDERS_AT_ONCE,
        );
        return walk(cursor);
      },
      async read(id) {
        if (!ID.test(id)) return undefined;
        const found = await api.item(id);
        const targetId = found?.shortcutDetails?.targetId;
        const file = found?.mimeType === SHORTCUT && targetId ? await api.item(targetId) : found;
        if (!file || file.trashed || !isReadable(file.mimeType)) return undefined;
        return api.readContent(file);
      },
    };
  },
  async check(settings, deps) {
    const api = createDriveApi(settings, deps);
    const { id, driveId = null } = await readRootFolder(api, settings);
    if (!(await api.listChildren([id], driveId, null))) throw createMissingFolderError();
  },
});

/**
 * Returns the folder to sync. Rejects if the folder is missing, so that a missing folder is never treated as
 * an empty one.
 */
async function readRootFolder(api: DriveApi, settings: GoogleDriveSettings): Promise<DriveItem> {
  const root = await api.item(parseFolderId(settings));
  if (!root) throw createMissingFolderError();
  if (root.mimeType !== FOLDER) throw createFolderError('must be the id of a folder');
  if (root.trashed) throw createFolderError('names a folder that is in the trash');
  return root;
}

const createFolderError = (what: string, status?: number) =>
  new SourceError(`folder_id ${what}.`, { retryable: false, status });
const createMissingFolderError = () =>
  createFolderError(
    'names a folder that does not exist or is not shared with the account of service_account_key',
    404,
  );

/**
 * Groups the Google Drive items of a listing page by folder. Returns `undefined` if the folder of an item
 * cannot be determined.
 */
async function groupByFolder(
  api: DriveApi,
  { files, nextPageToken, leftOut }: Found,
  folders: PlacedFolder[],
): Promise<GroupPage | undefined> {
  const byId = new Map(folders.map((folder) => [folder.id, folder]));
  const findParent = ({ parents }: DriveItem) =>
    folders.length === 1 ? folders[0] : parents?.map((id) => byId.get(id)).find((folder) => folder);
  if (!files.every(findParent)) return undefined;

  const found = new Map<string, FolderContent>();
  const targets = await readShortcutTargets(api, files);
  for (const item of files) {
    const { id, place } = findParent(item)!;
    const content = found.get(id) ?? { folders: [], entries: [] };
    found.set(id, content);
    if (item.mimeType === FOLDER) content.folders.push({ id: item.id, name: item.name || item.id });
    const file = item.mimeType === SHORTCUT ? targets.get(item.id) : item;
    if (file && isReadable(file.mimeType)) content.entries.push(toEntry(file, item, place));
  }
  return { found, next: nextPageToken || null, leftOut };
}

/**
 * Returns the targets of Google Drive shortcuts, by shortcut id. Shortcuts to folders are not followed,
 * because folders that link to each other would multiply the paths.
 */
async function readShortcutTargets(api: DriveApi, files: DriveItem[]): Promise<Map<string, DriveItem>> {
  const shortcuts = files.filter(
    ({ mimeType, shortcutDetails }) => mimeType === SHORTCUT && shortcutDetails?.targetMimeType !== FOLDER,
  );
  const pairs = await inParallel(shortcuts, async ({ id, shortcutDetails }) => {
    const target = shortcutDetails && (await api.item(shortcutDetails.targetId).catch(ignoreForbidden));
    return target && !target.trashed ? ([id, target] as const) : undefined;
  });
  return new Map(pairs.filter((pair) => pair !== undefined));
}

/** Skips the target of a shortcut if this account may not read it. Rethrows all other errors. */
function ignoreForbidden(error: unknown): undefined {
  if (error instanceof SourceError && error.status === 403 && !error.retryable) return undefined;
  throw error;
}
