import { type SourceEntry, SourceError } from '#src/ports/source.ts';
import { defineSource } from '#src/sources/shared/define.ts';
import { createContainerClient } from './container.ts';
import type { ListedBlob } from './listing.ts';
import { blobFields } from './settings.ts';

/** Maximum number of blobs per list request, set by Azure. */
const PAGE = 5000;

/**
 * Data source for an Azure Blob Storage container or a single blob. Snapshots, old versions and deleted blobs
 * are ignored. The ETag of a blob serves as its version, although two blobs may share an ETag. Content hashes
 * are not used, because clients may set them to any value.
 */
export const azureBlobStorage = defineSource({
  kind: 'SOURCE_1_BLOB',
  title: 'Blob container store',
  client: { word: 'AZURE_STORAGE_BLOB', className: 'CloudAzStorageBlobDataSource' },
  fields: blobFields,
  capabilities: { versionNamesContent: false, permissions: false, webUrls: false },
  open(settings, deps) {
    const { blob, prefix, container_name } = settings;
    const container = createContainerClient(settings, deps);
    const toEntries = (blobs: ListedBlob[]) =>
      blobs.filter(({ isFolder }) => !isFolder).map((each) => toEntry(each, container_name));
    return {
      async list(cursor) {
        if (blob) {
          const found = await container.describe(blob);
          return { entries: toEntries(found ? [found] : []), cursor: null };
        }
        const { blobs, next } = await container.list({
          maxresults: String(PAGE),
          ...(prefix && { prefix }),
          ...(cursor && { marker: cursor }),
        });
        return { entries: toEntries(blobs), cursor: next };
      },
      read: (name) => container.read(name),
    };
  },
  async check(settings, deps) {
    const { blob, prefix, container_name } = settings;
    const container = createContainerClient(settings, deps);
    if (!blob) return void (await container.list({ maxresults: '1', ...(prefix && { prefix }) }));
    const found = await container.describe(blob);
    if (found && !found.isFolder) return;
    const what = found ? 'is a folder. Set it as prefix instead' : 'does not exist';
    const message = `The blob ${blob} (blob) in container ${container_name} ${what}.`;
    throw new SourceError(message, { retryable: false });
  },
});

function toEntry(blob: ListedBlob, container: string): SourceEntry {
  const { name, size, etag, modifiedAt, contentType, metadata } = blob;
  return {
    id: name,
    name: name.slice(name.lastIndexOf('/') + 1),
    path: name,
    size,
    version: etag ?? '',
    modifiedAt,
    // No link is shown, because a blob's URL works only for requests that send credentials.
    webUrl: null,
    permissions: null,
    metadata: {
      container,
      ...(contentType && { content_type: contentType }),
      ...(Object.keys(metadata).length > 0 && { blob_metadata: metadata }),
    },
  };
}
