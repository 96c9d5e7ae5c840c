import { z } from 'zod';
import { type Source, type SourceEntry, SourceError } from '#src/ports/source.ts';
import type { SourceDeps } from '#src/sources/shared/define.ts';
import { type Folder, type ListFolder, treeWalk } from '#src/sources/shared/tree-walk.ts';
import { decoded, itemAddress, partsOf, segment } from './address.ts';
import { type GraphApi, graphApi } from './api.ts';
import { permissionsOf } from './permissions.ts';
import type { GraphSettings } from './settings.ts';

const text = z.string().nullish().catch(null);

const identities = z
  .object({ user: z.object({ displayName: text, email: text }).nullish() })
  .nullish()
  .catch(null);

/** A facet such as `folder` or `file`. Its presence tells what kind of item this is. */
const facet = z.unknown().optional();

const driveItem = z.object({
  id: z.string().min(1),
  name: text,
  size: z.unknown().optional(),
  cTag: text,
  webUrl: text,
  createdDateTime: text,
  lastModifiedDateTime: text,
  fileSystemInfo: z.object({ lastModifiedDateTime: text }).nullish().catch(null),
  createdBy: identities,
  lastModifiedBy: identities,
  parentReference: z.object({ path: text }).nullish().catch(null),
  file: z
    .object({
      mimeType: text,
      hashes: z.object({ quickXorHash: text }).nullish().catch(null),
    })
    .nullish(),
  ...{ folder: facet, root: facet, package: facet, remoteItem: facet, deleted: facet, malware: facet },
});

type DriveItem = z.infer<typeof driveItem>;

const ITEM_MEMBERS = [
  ...['id', 'name', 'size', 'cTag', 'webUrl', 'createdDateTime', 'lastModifiedDateTime', 'fileSystemInfo'],
  ...['createdBy', 'lastModifiedBy', 'file', 'folder', 'package', 'remoteItem', 'deleted', 'malware'],
].join(',');

const has = (given: unknown) => given !== undefined && given !== null;

/**
 * Whether the item is a link to another drive, a notebook, or an item that Microsoft does not let anyone
 * download.
 */
const isForeign = (item: DriveItem) =>
  has(item.remoteItem) || has(item.package) || has(item.deleted) || has(item.malware);

const isFolder = (item: DriveItem) => !isForeign(item) && (has(item.folder) || has(item.root));

const isFile = (item: DriveItem) => !isForeign(item) && has(item.file) && !has(item.folder);

const nameOf = ({ name, id }: DriveItem) => name || id;

const driveAddress = (driveId: string) => `/drives/${segment(driveId, 'The id of a drive')}`;

const refused = (message: string) => new SourceError(`${message}.`, { retryable: false });

/** Maximum number of items per folder page. */
const PAGE = 1000;
/**
 * Number of files per listing page if permissions are read. A small tenant may read the permissions of 250
 * files per minute, so a larger page would be throttled on every attempt.
 */
const PAGE_WITH_PERMISSIONS = 100;

export interface Reading {
  settings: GraphSettings;
  /** Finds the id of the drive to read. Rejects with a SourceError that names the wrong setting. */
  findDrive(api: GraphApi): Promise<string>;
  wanted(path: string): boolean;
  withPermissions: boolean;
}

/** Creates a source that reads the files below one folder of a drive. */
export function driveReader({ settings, findDrive, wanted, withPermissions }: Reading, deps: SourceDeps) {
  const api = graphApi(settings, deps);
  const page = withPermissions ? PAGE_WITH_PERMISSIONS : PAGE;

  async function start(): Promise<{ driveId: string; root: Folder }> {
    const driveId = await findDrive(api);
    return { driveId, root: await startFolder(api, driveId, settings) };
  }

  async function childrenOf(driveId: string, folderId: string, next: string | null, top = page) {
    const address = `${itemAddress(driveId, folderId)}/children?$top=${top}&$select=${ITEM_MEMBERS}`;
    return api.page(next ?? address, driveItem, `the items of folder ${folderId}`);
  }

  const listerOf =
    (driveId: string, rootId: string): ListFolder =>
    async (folder, next, place) => {
      const isRoot = folder.id === rootId;
      const found = await childrenOf(driveId, folder.id, next).catch((error: unknown) => {
        if (isRoot || !(error instanceof SourceError && error.status === 403)) throw error;
        deps.log.warn('folder_not_readable', { folder: folder.id });
        return undefined;
      });
      if (!found && isRoot) throw gone(rootId);
      if (!found) return undefined;
      return {
        folders: found.members.filter(isFolder).map((item) => ({ id: item.id, name: nameOf(item) })),
        entries: found.members
          .filter(isFile)
          .map((item) => entryOf(driveId, item, place(nameOf(item))))
          .filter(({ path }) => wanted(path)),
        next: found.next,
        leftOut: found.leftOut,
      };
    };

  /** Adds permissions to all entries of a page at once, to keep the number of batch requests low. */
  async function permitted(driveId: string, entries: SourceEntry[]): Promise<SourceEntry[]> {
    const itemIds = entries.map(({ id }) => itemOf(id).itemId);
    const permissions = await permissionsOf(api, driveId, itemIds);
    return entries.map((entry, index) => ({ ...entry, permissions: permissions[index] ?? null }));
  }

  const source: Source = {
    async list(cursor) {
      const { driveId, rootId, roots, walked } = await position(cursor);
      const walk = treeWalk(roots, listerOf(driveId, rootId), withPermissions ? page : undefined);
      const { entries, cursor: next, leftOut = 0 } = await walk(walked);
      return {
        entries: withPermissions ? await permitted(driveId, entries) : entries,
        cursor: next === null ? null : `${driveId} ${rootId} ${next}`,
        leftOut,
      };
    },
    async read(id) {
      const { driveId, itemId } = itemOf(id);
      return api.content(itemAddress(driveId, itemId));
    },
  };

  /** Reads the position from a cursor, which also holds the ids of the drive and the root folder. */
  async function position(cursor: string | null) {
    if (cursor === null) {
      const { driveId, root } = await start();
      return { driveId, rootId: root.id, roots: [root], walked: null };
    }
    const [driveId = '', rootId = ''] = cursor.split(' ', 2);
    return { driveId, rootId, roots: [], walked: cursor.slice(driveId.length + rootId.length + 2) };
  }

  return {
    source,
    async check(): Promise<void> {
      const { driveId, root } = await start();
      if (!(await childrenOf(driveId, root.id, null, 1))) throw gone(root.id);
    },
  };
}

/** Splits an entry id into the drive id and the item id. */
function itemOf(id: string): { driveId: string; itemId: string } {
  const at = Math.max(id.indexOf('/'), 0);
  return { driveId: id.slice(0, at), itemId: id.slice(at + 1) };
}

const gone = (folderId: string) =>
  new SourceError(`Microsoft Graph has no folder ${folderId} any more.`, { retryable: false, status: 404 });

export const driveCapabilities = { versionNamesContent: false, permissions: true, webUrls: true };

/**
 * Returns the folder to sync, named by its path from the root of the drive. Throws a SourceError if a setting
 * is wrong.
 */
async function startFolder(
  api: GraphApi,
  driveId: string,
  { folder_id, folder_path }: GraphSettings,
): Promise<Folder> {
  const parts = partsOf(folder_path ?? '');
  const item = folder_id
    ? await itemAt(api, `${driveAddress(driveId)}/items/${segment(folder_id, 'folder_id')}`, 'folder_id')
    : parts.length > 0
      ? await itemAt(api, pathAddress(driveId, parts), 'folder_path')
      : await itemAt(api, `${driveAddress(driveId)}/root`, 'The drive');
  const path = pathOf(item);
  if (folder_id && parts.length > 0 && path.toLowerCase() !== parts.join('/').toLowerCase()) {
    throw refused(`folder_id and folder_path name different folders: the one of folder_id is ${path || '/'}`);
  }
  return { id: item.id, name: path };
}

function pathAddress(driveId: string, parts: string[]): string {
  const path = parts.map((part) => segment(part, 'A part of folder_path')).join('/');
  return `${driveAddress(driveId)}/root:/${path}:`;
}

async function itemAt(api: GraphApi, address: string, field: string): Promise<DriveItem> {
  const members = 'id,name,folder,root,package,remoteItem,parentReference';
  const item = await api.get(`${address}?$select=${members}`, driveItem, `the folder to read (${field})`);
  if (!item) throw refused(`${field} names no folder that the application may read`);
  if (!isFolder(item)) throw refused(`${field} names something that is not a folder of this drive`);
  return item;
}

/** Returns the folder's path from the root of the drive. The root itself has an empty path. */
function pathOf(item: DriveItem): string {
  const above = item.parentReference?.path ?? '';
  const root = above.indexOf('root:');
  if (root < 0) return '';
  return [...partsOf(decoded(above.slice(root + 'root:'.length))), nameOf(item)].join('/');
}

function entryOf(driveId: string, item: DriveItem, path: string): SourceEntry {
  const { id, size, cTag, file, webUrl, createdDateTime, lastModifiedDateTime, fileSystemInfo } = item;
  const modified = fileSystemInfo?.lastModifiedDateTime ?? lastModifiedDateTime;
  const [created_by, modified_by] = [item.createdBy, item.lastModifiedBy].map(
    (by) => by?.user?.email || by?.user?.displayName,
  );
  return {
    id: `${driveId}/${id}`,
    name: nameOf(item),
    path,
    size: typeof size === 'number' ? size : null,
    // The cTag changes only with the content, while an eTag also changes when a file is renamed. The hash is
    // only a fallback, because moving bytes within a file may not change it.
    version: cTag || file?.hashes?.quickXorHash || '',
    modifiedAt: modified ? new Date(modified) : null,
    webUrl: webUrl ?? null,
    permissions: null,
    metadata: {
      drive_id: driveId,
      ...(created_by && { created_by }),
      ...(modified_by && { modified_by }),
      ...(createdDateTime && { created_at: createdDateTime }),
      ...(file?.mimeType && { mime_type: file.mimeType }),
    },
  };
}
