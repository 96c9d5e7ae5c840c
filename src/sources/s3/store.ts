import { AwsV4Signer } from 'aws4fetch';
import { baseUrl } from '#src/lib/base-url.ts';
import { type SourceContent, SourceError } from '#src/ports/source.ts';
import type { SourceDeps } from '#src/sources/shared/define.ts';
import type { UpstreamHttp } from '#src/upstream/http.ts';
import { type Listing, readErrorCode, readListing } from './listing.ts';
import type { S3Settings } from './settings.ts';
import { type ObjectRequest, type SendRequest, sha256, writeObject } from './write.ts';

const DEFAULT_REGION = 'us-east-1';

const hex = (code: number) => code.toString(16).toUpperCase();

/** S3 error codes after which a request is retried: clock differences, timeouts and throttling. */
const RETRYABLE_CODES = ['RequestTimeout', 'RequestTimeTooSkewed', 'SlowDown'];
/** Name of the setting that probably caused an S3 error, by error code. */
const FIELDS: Record<string, string> = {
  InvalidAccessKeyId: 'cloud_access_id',
  SignatureDoesNotMatch: 'cloud_access_secret',
  NoSuchBucket: 'bucket',
  InvalidBucketName: 'bucket',
};
const ERROR_BYTES = 10_000;

/**
 * Creates a client that reads and writes objects of a bucket. Requests are signed if there are credentials.
 * `named` is the region for the first signature, or `undefined` if the caller does not know it.
 */
export function createS3Store(component: S3Settings, deps: Pick<SourceDeps, 'http'>, named?: string | null) {
  const http = deps.http({ name: 'The S3 store', redirects: 'manual' });
  let region = named || guessRegion(component.bucket_endpoint_url);

  /** Signs and sends a request. Repeats the request once if the response names another region. */
  async function request(key: string, { query = {}, ...sent }: Partial<ObjectRequest>): Promise<Response> {
    for (let attempt = 1; ; attempt += 1) {
      const url = buildBucketUrl(component, region);
      url.pathname += encodeKey(key);
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      const response = await http.fetch(await signRequest(url, sent));
      const bucketRegion = response.headers.get('x-amz-bucket-region');
      if (response.ok || attempt > 1 || !bucketRegion || bucketRegion === region) return response;
      await response.body?.cancel();
      region = bucketRegion;
    }
  }

  async function signRequest(
    url: URL,
    { method = 'GET', headers: given, body }: Partial<ObjectRequest>,
  ): Promise<Request> {
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

  async function createFailure(response: Response, what: string) {
    const code = await readFailureCode(http, response.clone());
    const about = FIELDS[code] ? `${code}, check ${FIELDS[code]}` : code;
    return http.failure(response, `${what}${about && ` (${about})`}`, {
      alsoRetryable: RETRYABLE_CODES.includes(code),
    });
  }

  return {
    async list(query: Record<string, string>): Promise<Listing> {
      const response = await request('', { query: { 'list-type': '2', 'encoding-type': 'url', ...query } });
      if (!response.ok) throw await createFailure(response, `the list of ${component.bucket}`);
      return readListing(await http.text(response));
    },
    async read(key: string): Promise<SourceContent | undefined> {
      rejectDotSegments(key);
      const response = await request(key, {});
      if (response.status === 404 && (await readFailureCode(http, response.clone())) !== 'NoSuchBucket') {
        await response.body?.cancel();
        return undefined;
      }
      if (!response.ok || !response.body) throw await createFailure(response, `object ${key}`);
      return {
        body: http.body(response),
        version: normalizeEtag(response.headers.get('etag')),
        contentType: response.headers.get('content-type'),
      };
    },
    /** Writes an object and replaces an existing one. Resolves with the object's size in bytes. */
    async write(key: string, content: AsyncIterable<Uint8Array>, contentType: string): Promise<number> {
      rejectDotSegments(key);
      const send: SendRequest = async (sent) => {
        const response = await request(key, sent);
        if (!response.ok) throw await createFailure(response, `writing object ${key}`);
        return response;
      };
      return writeObject(http, send, content, contentType);
    },
  };
}

/**
 * Rejects keys with `.` or `..` segments. URL parsing would resolve them, escaped or not, to another object
 * or bucket.
 */
function rejectDotSegments(key: string): void {
  if (!/(?:^|\/)\.\.?(?:\/|$)/.test(key)) return;
  const message = `The object ${key} cannot be read or written because a part of its key is "." or "..".`;
  throw new SourceError(message, { retryable: false });
}

async function readFailureCode(http: UpstreamHttp, response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const piece of http.body(response)) {
      text += decoder.decode(piece, { stream: true });
      if (text.length >= ERROR_BYTES) break;
    }
  } catch {
    // An error response may end early but still contain the error code.
  }
  return readErrorCode(text);
}

/** Removes the quotes and the prefix `W/` from an ETag. Returns `null` if there is no ETag. */
export function normalizeEtag(etag: string | null | undefined): string | null {
  return etag?.replace(/^W\//, '').replaceAll('"', '') || null;
}

/**
 * Derives the region for the first signature from the endpoint. If the region is wrong, the store's response
 * names the right one.
 */
function guessRegion(endpoint: string | null | undefined): string {
  if (!endpoint) return DEFAULT_REGION;
  const host = URL.parse(endpoint)?.hostname ?? '';
  if (host.endsWith('.r2.cloudflarestorage.com')) return 'auto';
  return /(?:^|\.)s3[.-]([a-z]{2}(?:-[a-z]+)+-\d)\./.exec(host)?.[1] ?? DEFAULT_REGION;
}

/**
 * Builds the URL of the bucket. With a custom endpoint, the bucket name is part of the path. For AWS, the
 * bucket name becomes part of the host name if it is valid there, otherwise part of the path.
 */
function buildBucketUrl(component: S3Settings, region: string): URL {
  const { bucket, bucket_endpoint_url: endpoint } = component;
  if (endpoint) {
    const url = URL.parse(endpoint);
    if (!url) throw new SourceError('bucket_endpoint_url must be a URL.', { retryable: false });
    url.pathname = `${baseUrl(url.pathname)}/${encodeURIComponent(bucket)}/`;
    return url;
  }
  const isHostName = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/.test(bucket);
  return isHostName
    ? new URL(`https://${bucket}.s3.${region}.amazonaws.com/`)
    : new URL(`https://s3.${region}.amazonaws.com/${encodeURIComponent(bucket)}/`);
}

/** Escapes a key as the signature requires: everything except unreserved characters and slashes. */
function encodeKey(key: string): string {
  return key
    .split('/')
    .map((part) =>
      encodeURIComponent(part).replace(/[!'()*]/g, (character) => `%${hex(character.charCodeAt(0))}`),
    )
    .join('/');
}
