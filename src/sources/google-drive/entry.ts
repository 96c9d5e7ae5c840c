import type { SourceEntry } from '#src/ports/source.ts';
import { getExportFormat } from './formats.ts';
import type { DriveItem } from './item.ts';

/**
 * Builds the listing entry of a file. `shown` is the file itself or a shortcut to it, and supplies the id,
 * name and path of the entry.
 */
export function toEntry(file: DriveItem, shown: DriveItem, place: (name: string) => string): SourceEntry {
  const { mimeType, size, createdTime, modifiedTime, webViewLink, driveId } = file;
  const format = getExportFormat(mimeType);
  const name = withExtension(shown.name || shown.id, format?.extension ?? '');
  const owner = file.owners?.[0]?.emailAddress;
  const editor = file.lastModifyingUser;
  const editedBy = editor?.emailAddress ?? editor?.displayName;
  return {
    id: shown.id,
    name,
    path: place(name),
    // A Google editor document is exported to another format, so its reported size does not apply.
    size: format ? null : parseSize(size),
    version: getVersion(file),
    modifiedAt: modifiedTime ? new Date(modifiedTime) : null,
    webUrl: webViewLink || null,
    permissions: toPermissions(file),
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
 * Returns the version of a file. The checksum is preferred, so that moving or sharing a file does not read it
 * again. Google editor documents have no checksum. Their version number also counts invisible changes, so
 * their modification time is used instead.
 */
export function getVersion({ id, md5Checksum, modifiedTime }: DriveItem): string {
  return md5Checksum || `${id}@${modifiedTime ?? ''}`;
}

function withExtension(name: string, extension: string): string {
  return name.toLowerCase().endsWith(extension) ? name : `${name}${extension}`;
}

function parseSize(size: unknown): number | null {
  return typeof size === 'string' && /^\d{1,15}$/.test(size) ? Number(size) : null;
}

/**
 * Returns the permissions of a file. Returns `null` if Google Drive does not report them, for example for
 * items in shared drives.
 */
function toPermissions({ permissions }: DriveItem): Record<string, unknown> | null {
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
