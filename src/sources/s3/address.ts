import { baseUrl } from '#src/lib/base-url.ts';
import { SourceError } from '#src/ports/source.ts';
import type { S3Settings } from './settings.ts';

const DEFAULT_REGION = 'us-east-1';

/** The region that requests are signed for at first; the store names the right one when it is another. */
export function regionOf(endpoint: string | null | undefined): string {
  if (!endpoint) return DEFAULT_REGION;
  const host = URL.parse(endpoint)?.hostname ?? '';
  if (host.endsWith('.r2.cloudflarestorage.com')) return 'auto';
  return /(?:^|\.)s3[.-]([a-z]{2}(?:-[a-z]+)+-\d)\./.exec(host)?.[1] ?? DEFAULT_REGION;
}

/** Where the bucket is: below a custom endpoint by path, else by host name, where its name allows that. */
export function bucketAddress(component: S3Settings, region: string): URL {
  const { bucket, bucket_endpoint_url: endpoint } = component;
  if (endpoint) {
    const url = URL.parse(endpoint);
    if (!url) throw new SourceError('bucket_endpoint_url is not a URL.', { retryable: false });
    url.pathname = `${baseUrl(url.pathname)}/${encodeURIComponent(bucket)}/`;
    return url;
  }
  const isHostName = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/.test(bucket);
  return isHostName
    ? new URL(`https://${bucket}.s3.${region}.amazonaws.com/`)
    : new URL(`https://s3.${region}.amazonaws.com/${encodeURIComponent(bucket)}/`);
}

/** As the signature wants it: everything but unreserved characters and slashes is escaped. */
export function encodeKey(key: string): string {
  return key
    .split('/')
    .map((part) =>
      encodeURIComponent(part).replace(/[!'()*]/g, (character) => `%${hex(character.charCodeAt(0))}`),
    )
    .join('/');
}

const hex = (code: number) => code.toString(16).toUpperCase();
