import { SourceError } from '#src/ports/source.ts';
import { defineSource } from '#src/sources/shared/define.ts';
import { groupWalk } from '#src/sources/shared/group-walk.ts';
import { type DriveApi, driveApi } from './api.ts';
import { FOLDER, isReadable, SHORTCUT } from './formats.ts';
import type { DriveItem } from './item.ts';
import { contentsOf } from './listing.ts';
import { folderIdOf, type GoogleDriveSettings, googleDriveFields, ID } from './settings.ts';

/** Folders in one query: as an address it stays below what servers and proxies on the way take. */
const FOLDERS_AT_ONCE = 50;

/** A folder of Google Drive or a shared drive, with all that is below it. */
export const googleDrive = defineSource({
  kind: 'SOURCE_4_DRIVE',
  title: 'Cloud drive',
  client: { word: 'GOOGLE_DRIVE', className: 'CloudGoogleDriveDataSource' },
  fields: googleDriveFields,
  capabilities: { versionNamesContent: true, permissions: true, webUrls: true },
  open(settings, deps) {
    const api = driveApi(settings, deps);
    let root: DriveItem | undefined;
    return {
      async list(cursor) {
        root ??= await rootOf(api, settings);
        const { id, driveId = null } = root;
        const walk = groupWalk(
          [{ id, name: '' }],
          async (folders, page) => {
            const ids = folders.map((folder) => folder.id);
            const found = await api.itemsIn(ids, driveId, page);
            if (!found && ids.includes(id)) throw noFolder();
            return found && contentsOf(api, found, folders);
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
        return api.contentOf(file);
      },
    };
  },
  async check(settings, deps) {
    const api = driveApi(settings, deps);
    const { id, driveId = null } = await rootOf(api, settings);
    if (!(await api.itemsIn([id], driveId, null))) throw noFolder();
  },
});

/** The folder that is read. Rejects when there is none, so that it is never taken for an empty one. */
async function rootOf(api: DriveApi, settings: GoogleDriveSettings): Promise<DriveItem> {
  const root = await api.item(folderIdOf(settings));
  if (!root) throw noFolder();
  if (root.mimeType !== FOLDER) throw wrongFolder('names something that is no folder');
  if (root.trashed) throw wrongFolder('names a folder in the bin');
  return root;
}

const wrongFolder = (what: string, status?: number) =>
  new SourceError(`folder_id ${what}.`, { retryable: false, status });
const noFolder = () =>
  wrongFolder('names nothing that is shared with the account of service_account_key', 404);
