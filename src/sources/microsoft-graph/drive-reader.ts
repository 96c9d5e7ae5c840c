import { z } from 'zod';
import { type Source, type SourceEntry, SourceError } from '#src/ports/source.ts';
import type { SourceDeps } from '#src/sources/shared/define.ts';
import { createTreeWalk, type Folder, type ListFolder } from '#src/sources/shared/tree-walk.ts';
import { decodePath, encodeSegment, getItemAddress, splitPath } from './address.ts';
import { createGraphApi, type GraphApi } from './api.ts';
import { readPermissions } from './permissions.ts';
import type { GraphSettings } from './settings.ts';

const text = z.string().nullish().catch(null);

const identities = z
  .object({ user: z.object({ displayName: text, email: text }).nullish() })
  .nullish()
  .catch(null);

/** Property of a drive item such as `folder` or `file`. Its presence shows the kind of the item. */
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

const isPresent = (given: unknown) => given !== undefined && given !== null;

/**
 * Returns whether the drive item cannot be downloaded. This is true for links to other drives, notebooks,
 * deleted items, and items that Microsoft classifies as malware.
 */
const isNotDownloadable = (item: DriveItem) =>
  isPresent(item.remoteItem) || isPresent(item.package) || isPresent(item.deleted) || isPresent(item.malware);

const isFolder = (item: DriveItem) =>
  !isNotDownloadable(item) && (isPresent(item.folder) || isPresent(item.root));

const isFile = (item: DriveItem) =>
  !isNotDownloadable(item) && isPresent(item.file) && !isPresent(item.folder);

const getItemName = ({ name, id }: DriveItem) => name || id;

const getDriveAddress = (driveId: string) => `/drives/${encodeSegment(driveId, 'The id of a drive')}`;

const createPermanentError = (message: string) => new SourceError(`${message}.`, { retryable: false });

const PAGE = 1000;
/**
 * Number of files per listing page if permissions are read. A small tenant may read the permissions of 250
 * files per minute. A larger page would therefore exceed the rate limit on every attempt.
 */
const PAGE_WITH_PERMISSIONS = 100;

export interface DriveReaderOptions {
  settings: GraphSettings;
  /** Finds the id of the drive to read. Rejects with a SourceError that names the wrong setting. */
  findDrive(api: GraphApi): Promise<string>;
  isWanted(path: string): boolean;
  withPermissions: boolean;
}

/** Adds permissions to all entries of a listing page at once, to keep the number of batch requests low. */
async function addPermissions(
  api: ReturnType<typeof createGraphApi>,
  driveId: string,
  entries: SourceEntry[],
): Promise<SourceEntry[]> {
  const itemIds = entries.map(({ id }) => parseEntryId(id).itemId);
  const permissions = await readPermissions(api, driveId, itemIds);
  return entries.map((entry, index) => ({ ...entry, permissions: permissions[index] ?? null }));
}

/** Creates a source that reads the files below one folder of a drive. */
export function createDriveReader(
  { settings, findDrive, isWanted: wanted, withPermissions }: DriveReaderOptions,
  deps: SourceDeps,
) {
  const api = createGraphApi(settings, deps);
  const page = withPermissions ? PAGE_WITH_PERMISSIONS : PAGE;

  async function findStart(): Promise<{ driveId: string; root: Folder }> {
    const driveId = await findDrive(api);
    return { driveId, root: await findStartFolder(api, driveId, settings) };
  }

  async function listChildren(driveId: string, folderId: string, next: string | null, top = page) {
    const address = `${getItemAddress(driveId, folderId)}/children?$top=${top}&$select=${ITEM_MEMBERS}`;
    return api.page(next ?? address, driveItem, `the items of folder ${folderId}`);
  }

  const createFolderLister =
    (driveId: string, rootId: string): ListFolder =>
    async (folder, next, place) => {
      const isRoot = folder.id === rootId;
      const found = await listChildren(driveId, folder.id, next).catch((error: unknown) => {
        if (isRoot || !(error instanceof SourceError && error.status === 403)) throw error;
        deps.log.warn('folder_not_readable', { folder: folder.id });
        return undefined;
      });
      if (!found && isRoot) throw createMissingFolderError(rootId);
      if (!found) return undefined;
      return {
        folders: found.members.filter(isFolder).map((item) => ({ id: item.id, name: getItemName(item) })),
        entries: found.members
          .filter(isFile)
          .map((item) => toEntry(driveId, item, place(getItemName(item))))
          .filter(({ path }) => wanted(path)),
        next: found.next,
        leftOut: found.leftOut,
      };
    };

  const source: Source = {
    async list(cursor) {
      const { driveId, rootId, roots, walked } = await parsePosition(cursor);
      const walk = createTreeWalk(
        roots,
        createFolderLister(driveId, rootId),
        withPermissions ? page : undefined,
      );
      const { entries, cursor: next, leftOut = 0 } = await walk(walked);
      return {
        entries: withPermissions ? await addPermissions(api, driveId, entries) : entries,
        cursor: next === null ? null : `${driveId} ${rootId} ${next}`,
        leftOut,
      };
    },
    async read(id) {
      const { driveId, itemId } = parseEntryId(id);
      return api.content(getItemAddress(driveId, itemId));
    },
  };

  /** Parses a listing's position from its cursor, which begins with the ids of the drive and root folder. */
  async function parsePosition(cursor: string | null) {
    if (cursor === null) {
      const { driveId, root } = await findStart();
      return { driveId, rootId: root.id, roots: [root], walked: null };
    }
    const [driveId = '', rootId = ''] = cursor.split(' ', 2);
    return { driveId, rootId, roots: [], walked: cursor.slice(driveId.length + rootId.length + 2) };
  }

  return {
    source,
    async check(): Promise<void> {
      const { driveId, root } = await findStart();
      if (!(await listChildren(driveId, root.id, null, 1))) throw createMissingFolderError(root.id);
    },
  };
}

function parseEntryId(id: string): { driveId: string; itemId: string } {
  const at = Math.max(id.indexOf('/'), 0);
  return { driveId: id.slice(0, at), itemId: id.slice(at + 1) };
}

const createMissingFolderError = (folderId: string) =>
  new SourceError(`Microsoft Graph no longer has the folder ${folderId}.`, { retryable: false, status: 404 });

export const driveCapabilities = { versionNamesContent: false, permissions: true, webUrls: true };

/**
 * Returns the folder to sync. The name of this folder is its path from the root of the drive. Throws a
 * SourceError if a setting is wrong.
 */
async function findStartFolder(
  api: GraphApi,
  driveId: string,
  { folder_id, folder_path }: GraphSettings,
): Promise<Folder> {
  const parts = splitPath(folder_path ?? '');
  const item = folder_id
    ? await getFolder(
        api,
        `${getDriveAddress(driveId)}/items/${encodeSegment(folder_id, 'folder_id')}`,
        'folder_id',
      )
    : parts.length > 0
      ? await getFolder(api, getPathAddress(driveId, parts), 'folder_path')
      : await getFolder(api, `${getDriveAddress(driveId)}/root`, 'The drive');
  const path = getFolderPath(item);
  if (folder_id && parts.length > 0 && path.toLowerCase() !== parts.join('/').toLowerCase()) {
    throw createPermanentError(
      `folder_id and folder_path name different folders. The path of folder_id is ${path || '/'}`,
    );
  }
  return { id: item.id, name: path };
}

function getPathAddress(driveId: string, parts: string[]): string {
  const path = parts.map((part) => encodeSegment(part, 'A part of folder_path')).join('/');
  return `${getDriveAddress(driveId)}/root:/${path}:`;
}

async function getFolder(api: GraphApi, address: string, field: string): Promise<DriveItem> {
  const members = 'id,name,folder,root,package,remoteItem,parentReference';
  const item = await api.get(`${address}?$select=${members}`, driveItem, `the folder to read (${field})`);
  if (!item) throw createPermanentError(`${field} does not name a folder that the application may read`);
  if (!isFolder(item)) throw createPermanentError(`${field} does not name a folder of this drive`);
  return item;
}

function getFolderPath(item: DriveItem): string {
  const above = item.parentReference?.path ?? '';
  const root = above.indexOf('root:');
  if (root < 0) return '';
  return [...splitPath(decodePath(above.slice(root + 'root:'.length))), getItemName(item)].join('/');
}

function toEntry(driveId: string, item: DriveItem, path: string): SourceEntry {
  const { id, size, cTag, file, webUrl, createdDateTime, lastModifiedDateTime, fileSystemInfo } = item;
  const modified = fileSystemInfo?.lastModifiedDateTime ?? lastModifiedDateTime;
  const [created_by, modified_by] = [item.createdBy, item.lastModifiedBy].map(
    (by) => by?.user?.email || by?.user?.displayName,
  );
  return {
    id: `${driveId}/${id}`,
    name: getItemName(item),
    path,
    size: typeof size === 'number' ? size : null,
    // The cTag of a drive item changes only with the content, while its eTag also changes when the file is
    // renamed. The hash is only a fallback, because moving bytes within a file may not change it.
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
