import { compilePattern } from '#src/lib/text/pattern.ts';
import type { SourceEntry } from '#src/ports/source.ts';
import { defineSource } from '#src/sources/shared/define.ts';
import type { ListedObject } from './listing.ts';
import { s3Fields } from './settings.ts';
import { createS3Store, normalizeEtag } from './store.ts';

/** Maximum number of objects per list request, set by the S3 protocol. */
const PAGE = 1000;

/**
 * Data source for any bucket with an S3-compatible API. Without credentials, requests are unsigned and can
 * read only public buckets. The store itself filters by `prefix`. `regex_pattern` must match some part of the
 * key.
 */
export const s3 = defineSource({
  kind: 'SOURCE_9_BUCKET',
  title: 'Object bucket store',
  client: {
    word: 'S3',
    className: 'CloudS3DataSource',
    fields: {
      cloud_access_id: 'aws_access_id',
      cloud_access_secret: 'aws_access_secret',
      bucket_endpoint_url: 's3_endpoint_url',
    },
  },
  fields: s3Fields,
  capabilities: { versionNamesContent: true, permissions: false, webUrls: false },
  open(component, deps) {
    const { bucket, prefix, regex_pattern: pattern } = component;
    const wanted = pattern ? compilePattern(pattern) : undefined;
    const store = createS3Store(component, deps);
    return {
      async list(cursor) {
        const { objects, next } = await store.list({
          'max-keys': String(PAGE),
          ...(prefix && { prefix }),
          ...(cursor && { 'continuation-token': cursor }),
        });
        // Keys that end in a slash stand for folders and are skipped.
        const files = objects.filter(({ key }) => !key.endsWith('/') && (!wanted || wanted.test(key)));
        return { entries: files.map((object) => toEntry(object, bucket)), cursor: next };
      },
      read: (key) => store.read(key),
    };
  },
  async check(component, deps) {
    const { prefix } = component;
    await createS3Store(component, deps).list({ 'max-keys': '1', ...(prefix && { prefix }) });
  },
});

function toEntry({ key, size, etag, modifiedAt }: ListedObject, bucket: string): SourceEntry {
  return {
    id: key,
    name: key.slice(key.lastIndexOf('/') + 1),
    path: key,
    size,
    version: normalizeEtag(etag) ?? '',
    modifiedAt,
    webUrl: null,
    permissions: null,
    metadata: { bucket, etag },
  };
}
