import { z } from 'zod';
import type { SourceEntry } from '#src/ports/source.ts';

const text = z.string().nullish().catch(null);
const identities = z
  .object({ user: z.object({ displayName: text, email: text }).nullish() })
  .nullish()
  .catch(null);

/** A facet that is there says what an item is. */
const facet = z.unknown().optional();
export const driveItem = z.object({
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
export type DriveItem = z.infer<typeof driveItem>;

export const ITEM_MEMBERS = [
  ...['id', 'name', 'size', 'cTag', 'webUrl', 'createdDateTime', 'lastModifiedDateTime', 'fileSystemInfo'],
  ...['createdBy', 'lastModifiedBy', 'file', 'folder', 'package', 'remoteItem', 'deleted', 'malware'],
].join(',');

const has = (given: unknown) => given !== undefined && given !== null;

/** Items of other drives that are linked here, notebooks, and what Microsoft gives to nobody. */
const isForeign = (item: DriveItem) =>
  has(item.remoteItem) || has(item.package) || has(item.deleted) || has(item.malware);
export const isFolder = (item: DriveItem) => !isForeign(item) && (has(item.folder) || has(item.root));
export const isFile = (item: DriveItem) => !isForeign(item) && has(item.file) && !has(item.folder);
export const nameOf = ({ name, id }: DriveItem) => name || id;

export function entryOf(driveId: string, item: DriveItem, path: string): SourceEntry {
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
    // An eTag would differ when the file is renamed. Bytes that change places may leave the hash as it was.
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
