import { AwsV4Signer } from 'aws4fetch';
import { baseUrl } from '#src/lib/base-url.ts';
import { type SourceContent, SourceError } from '#src/ports/source.ts';
import type { SourceDeps } from '#src/sources/shared/define.ts';
import type { UpstreamHttp } from '#src/upstream/http.ts';
import { type Listing, readErrorCode, readListing } from './listing.ts';
import type { S3Settings } from './settings.ts';
import { type Send, type Sent, sha256, writeObject } from './write.ts';

const DEFAULT_REGION = 'us-east-1';

const hex = (code: number) => code.toString(16).toUpperCase();

/** A clock that is off, and a request that the store itself calls too slow or too many, pass with time. */
const PASSING = ['RequestTimeout', 'RequestTimeTooSkewed', 'SlowDown'];
/** The setting that a refusal is about. */
const FIELDS: Record<string, string> = {
  InvalidAccessKeyId: 'cloud_access_id',
  SignatureDoesNotMatch: 'cloud_access_secret',
  NoSuchBucket: 'bucket',
  InvalidBucketName: 'bucket',
};
const ERROR_BYTES = 10_000;

/**
 * The requests that reading a bucket and writing into it take, signed where there are credentials. `named`: the region
 * that they are signed for at first, where the caller knows it.
 */
export function s3Store(component: S3Settings, deps: Pick<SourceDeps, 'http'>, named?: string | null) {
  const http = deps.http({ name: 'The S3 store', redirects: 'manual' });
  let region = named || regionOf(component.bucket_endpoint_url);

  /** Signs and sends; a bucket that names another region is asked again there. */
  async function request(key: string, { query = {}, ...sent }: Partial<Sent>): Promise<Response> {
    for (let attempt = 1; ; attempt += 1) {
      const url = bucketAddress(component, region);
      url.pathname += encodeKey(key);
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      const response = await http.fetch(await signed(url, sent));
      const told = response.headers.get('x-amz-bucket-region');
      if (response.ok || attempt > 1 || !told || told === region) return response;
      await response.body?.cancel();
      region = told;
    }
  }

  async function signed(url: URL, { method = 'GET', headers: given, body }: Partial<Sent>): Promise<Request> {
    const { cloud_access_id: accessKeyId, cloud_access_secret: secretAccessKey } = component;
    const init = { method, ...(body && { body: body as Uint8Array<ArrayBuffer> }) } as const;
    if (!accessKeyId || !secretAccessKey)
      return new Request(url, { ...init, ...(given && { headers: given }) });
    const signer = new AwsV4Signer({
      method,
      url: url.href,
      headers: { ...given, ...(body && { 'x-amz-content-sha256': await sha256(body) }) },
      accessKeyId,
      secretAccessKey,
      service: 's3',
      region,
    });
    const { headers } = await signer.sign();
    return new Request(url, { ...init, headers });
  }

  async function refusal(response: Response, what: string) {
    const code = await codeOf(http, response.clone());
    const about = FIELDS[code] ? `${code}, see ${FIELDS[code]}` : code;
    return http.failure(response, `${what}${about && ` (${about})`}`, {
      alsoRetryable: PASSING.includes(code),
    });
  }

  return {
    async list(query: Record<string, string>): Promise<Listing> {
      const response = await request('', {
        query: { 'list-type': '2', 'encoding-type': 'url', ...query },
      });
      if (!response.ok) throw await refusal(response, `the list of ${component.bucket}`);
      return readListing(await http.text(response));
    },
    async read(key: string): Promise<SourceContent | undefined> {
      refuseDots(key);
      const response = await request(key, {});
      if (response.status === 404 && (await codeOf(http, response.clone())) !== 'NoSuchBucket') {
        await response.body?.cancel();
        return undefined;
      }
      if (!response.ok || !response.body) throw await refusal(response, `object ${key}`);
      return {
        body: http.body(response),
        version: versionOf(response.headers.get('etag')),
        contentType: response.headers.get('content-type'),
      };
    },
    /** Puts an object in place of the one that may be there. Resolves with its size in bytes. */
    async write(key: string, content: AsyncIterable<Uint8Array>, contentType: string): Promise<number> {
      refuseDots(key);
      const send: Send = async (sent) => {
        const response = await request(key, sent);
        if (!response.ok) throw await refusal(response, `writing object ${key}`);
        return response;
      };
      return writeObject(http, send, content, contentType);
    },
  };
}

/** In a URL such a part, escaped or not, leads to another object, even in another bucket. */
function refuseDots(key: string): void {
  if (!/(?:^|\/)\.\.?(?:\/|$)/.test(key)) return;
  const message = `The object ${key} cannot be asked for: a part of its key is . or ..`;
  throw new SourceError(message, { retryable: false });
}

async function codeOf(http: UpstreamHttp, response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const piece of http.body(response)) {
      text += decoder.decode(piece, { stream: true });
      if (text.length >= ERROR_BYTES) break;
    }
  } catch {
    // What broke off has said what it could.
  }
  return readErrorCode(text);
}

/** An ETag names bytes; weak ones and their quotes are how servers put it. Null: the store gives none. */
export function versionOf(etag: string | null | undefined): string | null {
  return etag?.replace(/^W\//, '').replaceAll('"', '') || null;
}

/** The region that requests are signed for at first; the store names the right one when it is another. */
function regionOf(endpoint: string | null | undefined): string {
  if (!endpoint) return DEFAULT_REGION;
  const host = URL.parse(endpoint)?.hostname ?? '';
  if (host.endsWith('.r2.cloudflarestorage.com')) return 'auto';
  return /(?:^|\.)s3[.-]([a-z]{2}(?:-[a-z]+)+-\d)\./.exec(host)?.[1] ?? DEFAULT_REGION;
}

/** Where the bucket is: below a custom endpoint by path, else by host name, where its name allows that. */
function bucketAddress(component: S3Settings, region: string): URL {
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
function encodeKey(key: string): string {
  return key
    .split('/')
    .map((part) =>
      encodeURIComponent(part).replace(/[!'()*]/g, (character) => `%${hex(character.charCodeAt(0))}`),
    )
    .join('/');
}
