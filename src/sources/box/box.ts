import { type SourceEntry, SourceError } from '#src/ports/source.ts';
import { defineSource } from '#src/sources/shared/define.ts';
import { createTreeWalk } from '#src/sources/shared/tree-walk.ts';
import { type BoxItem, createBoxApi } from './api.ts';
import { boxFields, requireCompleteSettings } from './settings.ts';

const ROOT = '0';

/**
 * Data source for Box folders and all folders below them. The SHA-1 of a file serves as its version, so a
 * moved file is not read again.
 */
export const box = defineSource({
  kind: 'SOURCE_2_FOLDERS',
  title: 'Folder sharing store',
  client: { word: 'BOX', className: 'CloudBoxDataSource' },
  fields: boxFields,
  capabilities: { versionNamesContent: true, permissions: false, webUrls: true },
  open(settings, deps) {
    const api = createBoxApi(settings, deps);
    const root = { id: settings.folder_id || ROOT, name: '' };
    return {
      list: createTreeWalk([root], async (folder, page, place) => {
        requireCompleteSettings(settings);
        const found = await api.listItems(folder.id, page);
        if (!found && folder.id === root.id) throw createMissingFolderError(root.id);
        if (!found) return undefined;
        const named = found.entries.map((item) => ({ ...item, name: item.name ?? item.id }));
        return {
          folders: named.filter(({ type }) => type === 'folder'),
          entries: named
            .filter(({ type }) => type === 'file')
            .map((file) => toEntry(file, file.name, place(file.name))),
          next: found.next_marker || null,
        };
      }),
      read: (id) => api.readContent(id),
    };
  },
  async check(settings, deps) {
    requireCompleteSettings(settings);
    const folderId = settings.folder_id || ROOT;
    if (!(await createBoxApi(settings, deps).listItems(folderId, null)))
      throw createMissingFolderError(folderId);
  },
});

function createMissingFolderError(id: string): SourceError {
  const message = `Box has no folder ${id} (folder_id), or these credentials may not see it.`;
  return new SourceError(message, { retryable: false, status: 404 });
}

function toEntry(file: BoxItem, name: string, path: string): SourceEntry {
  const {
    id,
    size,
    sha1,
    etag,
    content_modified_at: contentAt,
    modified_at: at,
    owned_by,
    created_by,
  } = file;
  const modified = contentAt ?? at;
  return {
    id,
    name,
    path,
    size: typeof size === 'number' ? size : null,
    version: sha1 ?? etag ?? '',
    modifiedAt: modified ? new Date(modified) : null,
    webUrl: `https://app.box.com/file/${encodeURIComponent(id)}`,
    permissions: null,
    metadata: {
      ...(owned_by?.login && { owned_by: owned_by.login }),
      ...(created_by?.login && { created_by: created_by.login }),
    },
  };
}
