import { SourceError } from '#src/ports/source.ts';
import type { Folder } from '#src/sources/tree-walk.ts';
import { decoded, partsOf, segment } from './address.ts';
import type { GraphApi } from './api.ts';
import { type DriveItem, driveItem, isFolder, nameOf } from './items.ts';
import type { GraphSettings } from './settings.ts';

/** The folder that is read, under its path from the root of the drive. */
export async function startFolder(
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

const driveAddress = (driveId: string) => `/drives/${segment(driveId, 'The id of a drive')}`;

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

/** Of a folder, from the root of its drive, which has no name of its own there. */
function pathOf(item: DriveItem): string {
  const above = item.parentReference?.path ?? '';
  const root = above.indexOf('root:');
  if (root < 0) return '';
  return [...partsOf(decoded(above.slice(root + 'root:'.length))), nameOf(item)].join('/');
}

const refused = (message: string) => new SourceError(`${message}.`, { retryable: false });
