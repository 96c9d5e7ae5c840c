import type { SourceEntry } from '#src/ports/source.ts';
import { exportOf } from './formats.ts';
import type { DriveItem } from './item.ts';

/** A file as an entry, in the place of `shown`: of itself, or of a shortcut that leads to it. */
export function entryOf(file: DriveItem, shown: DriveItem, place: (name: string) => string): SourceEntry {
  const { mimeType, size, createdTime, modifiedTime, webViewLink, driveId } = file;
  const format = exportOf(mimeType);
  const name = withExtension(shown.name || shown.id, format?.extension ?? '');
  const owner = file.owners?.[0]?.emailAddress;
  const editor = file.lastModifyingUser;
  const editedBy = editor?.emailAddress ?? editor?.displayName;
  return {
    id: shown.id,
    name,
    path: place(name),
    // That of a document of the editors is not that of what it is read as.
    size: format ? null : sizeOf(size),
    version: versionOf(file),
    modifiedAt: modifiedTime ? new Date(modifiedTime) : null,
    webUrl: webViewLink || null,
    permissions: permissionsOf(file),
    metadata: {
      mime_type: mimeType,
      ...(owner && { owned_by: owner }),
      ...(editedBy && { last_modified_by: editedBy }),
      ...(createdTime && { created_at: createdTime }),
      ...(driveId && { drive_id: driveId }),
    },
  };
}

/**
 * Of the bytes: their checksum, so that moving or sharing a file reads nothing again. A document of the editors has
 * none; its number of versions counts what nobody sees as well, so the time of its last change tells.
 */
export function versionOf({ id, md5Checksum, modifiedTime }: DriveItem): string {
  return md5Checksum || `${id}@${modifiedTime ?? ''}`;
}

function withExtension(name: string, extension: string): string {
  return name.toLowerCase().endsWith(extension) ? name : `${name}${extension}`;
}

function sizeOf(size: unknown): number | null {
  return typeof size === 'string' && /^\d{1,15}$/.test(size) ? Number(size) : null;
}

/** Null where the vendor does not tell, as of what is in shared drives. */
function permissionsOf({ permissions }: DriveItem): Record<string, unknown> | null {
  if (!permissions) return null;
  const granted = permissions
    .filter(({ deleted }) => !deleted)
    .map(({ type, role, emailAddress, domain }) => ({
      ...{ type, role },
      ...(emailAddress && { email: emailAddress }),
      ...(domain && { domain }),
    }));
  return { permissions: granted };
}
