import { createHash } from 'node:crypto';
import { s3 } from '#src/sources/s3/s3.ts';
import { sourceSuite } from '#test/suites/source.suite.ts';
import type { Vendor } from '#test/suites/source-vendor.ts';
import { buildRefusal, errorXml, listingXml } from '#test/support/s3-protocol.ts';

const CREDENTIALS = { accessKeyId: 'AKIDOFTHESUITE', secretAccessKey: 'suite+secret/of=tests' };
const BUCKET = 'documents';

const error = (status: number, code: string, headers: HeadersInit = {}) =>
  new Response(errorXml(code), { status, headers });

/** Implements a bucket whose endpoint verifies signatures. */
async function answer(request: Request, vendor: Vendor): Promise<Response> {
  const url = new URL(request.url);
  const path = url.href.slice(url.origin.length);
  const signed = {
    method: request.method,
    path,
    host: url.host,
    headers: Object.fromEntries(request.headers),
  };
  const refusal = buildRefusal(signed, 'us-east-1', CREDENTIALS);
  if (refusal) return error(refusal.status, refusal.code, refusal.headers);
  const name = decodeURIComponent(url.pathname).slice(1);
  if (!name.startsWith(`${BUCKET}/`)) return error(404, 'NoSuchBucket');
  const key = name.slice(BUCKET.length + 1);
  if (key === '') {
    const objects = [...vendor.items.values()].map(({ id, bytes, size, modifiedAt }) => ({
      key: id,
      etag: computeEtag(bytes),
      size,
      modifiedAt,
    }));
    return new Response(listingXml(BUCKET, objects, url.searchParams, vendor.pageSize));
  }
  const item = vendor.items.get(key);
  return item
    ? new Response(item.bytes, { headers: { etag: `"${computeEtag(item.bytes)}"` } })
    : error(404, 'NoSuchKey');
}

const computeEtag = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex');

sourceSuite({
  definition: s3,
  settings: {
    bucket: BUCKET,
    cloud_access_id: CREDENTIALS.accessKeyId,
    cloud_access_secret: CREDENTIALS.secretAccessKey,
    bucket_endpoint_url: 'http://store.test',
  },
  secrets: [CREDENTIALS.secretAccessKey],
  wrong: {
    bucket: { bucket: 'another' },
    cloud_access_id: { cloud_access_id: 'AKIDOFNOBODY' },
    cloud_access_secret: { cloud_access_secret: 'another+secret/of=tests' },
  },
  classifyRequest: (request) => (new URL(request.url).searchParams.has('list-type') ? 'list' : 'read'),
  answer,
  idsArePaths: true,
  givesTokens: false,
});
