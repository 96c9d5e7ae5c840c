import { createHash } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { open } from 'node:fs/promises';
import { z } from 'zod';
import { type Api, describeCause } from './api.ts';
import { resolveContentUrl } from './content-url.ts';
import { RequestFailure } from './failures.ts';
import { readChunks } from './read-body.ts';
import { retryAfterMs, withRetries } from './retries.ts';

/** Maximum size in bytes of a downloaded file whose size the source does not state. */
const MAX_UNKNOWN_BYTES = 4 * 1024 ** 3;
const MAX_REDIRECTS = 5;

export interface Content {
  size: number;
  /** SHA-256 hash of the content in hexadecimal notation. */
  hash: string;
}

const presigned = z.object({ url: z.string().min(1) });

/**
 * Downloads a file through its presigned URL, without sending the API key. The content is written to `path`
 * if one is given. Throws if the size differs from `expectedSize`.
 */
export function download(
  api: Api,
  fileId: string,
  query: { project_id: string },
  { expectedSize, path }: { expectedSize?: number | undefined; path?: string },
): Promise<Content> {
  const at = `/api/v1/files/${encodeURIComponent(fileId)}/content`;
  return withRetries(api.retryPolicy, async () => {
    // Each attempt requests a new URL, because the previous one may have expired.
    const { url } = await api.call(presigned, 'GET', at, { query });
    const response = await fetchFollowing(api, url);
    const most = expectedSize ?? MAX_UNKNOWN_BYTES;
    const wholeMs = getTimeoutMs(api, most);
    const chunks = readChunks(response, { most, silenceMs: api.retryPolicy.silenceMs, wholeMs });
    const content = path === undefined ? await hashChunks(chunks) : await writeToFile(path, chunks);
    if (expectedSize !== undefined && content.size !== expectedSize) {
      throw new RequestFailure(`content: ${content.size} bytes were received instead of ${expectedSize}`, {
        isTransient: true,
      });
    }
    return content;
  });
}

async function writeToFile(path: string, chunks: AsyncIterable<Uint8Array>): Promise<Content> {
  const file = await open(path, 'w', 0o600);
  try {
    return await hashChunks(chunks, (chunk) => file.writeFile(chunk));
  } finally {
    await file.close();
  }
}

async function hashChunks(
  chunks: AsyncIterable<Uint8Array>,
  write: (chunk: Uint8Array) => Promise<void> = async () => {},
): Promise<Content> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of chunks) {
    hash.update(chunk);
    size += chunk.byteLength;
    await write(chunk);
  }
  return { size, hash: hash.digest('hex') };
}

async function fetchFollowing(api: Api, first: string): Promise<Response> {
  let url = await resolveContentUrl(api, first, api.base);
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const response = await fetchContent(api, url);
    const location = response.headers.get('location');
    if (response.ok) return response;
    await response.body?.cancel();
    if (response.status < 300 || response.status >= 400 || location === null) {
      throw toFailure(`content: ${url.host} answered ${response.status}`, response);
    }
    url = await resolveContentUrl(api, location, url.href);
  }
  throw new RequestFailure('content: too many redirects');
}

/** Uploads the file at `path` to a presigned URL. */
export async function upload(api: Api, to: string, path: string, size: number): Promise<void> {
  const url = await resolveContentUrl(api, to, api.base);
  const response = await fetchContent(api, url, {
    method: 'PUT',
    body: await openAsBlob(path),
    signal: AbortSignal.timeout(getTimeoutMs(api, size)),
  });
  await response.body?.cancel();
  if (!response.ok) throw toFailure(`content: ${url.host} answered ${response.status}`, response);
}

/**
 * Returns the timeout of a transfer in milliseconds: at least 50 kB per second, plus the time for a response.
 */
const getTimeoutMs = (api: Api, bytes: number) => Math.ceil(api.retryPolicy.answerMs + bytes / 50);

async function fetchContent(api: Api, url: URL, options: RequestInit = {}): Promise<Response> {
  const aborter = new AbortController();
  const timer = setTimeout(() => aborter.abort(), api.retryPolicy.silenceMs);
  try {
    // The signal limits the wait for the response headers. The time for the body is limited by the reader.
    const signal = options.signal ?? aborter.signal;
    return await fetch(url, { redirect: 'manual', ...options, signal });
  } catch (cause) {
    const reason = aborter.signal.aborted ? 'the server did not answer in time' : describeCause(cause);
    throw new RequestFailure(`content: ${url.host}: ${reason}`, { isTransient: true });
  } finally {
    clearTimeout(timer);
  }
}

function toFailure(message: string, { status, headers }: Response): RequestFailure {
  const wait = retryAfterMs(headers.get('retry-after'));
  // A 403 may mean that the presigned URL has expired. The next attempt gets a new one.
  const isTransient = status === 403 || status === 429 || status === 408 || status >= 500;
  return new RequestFailure(message, {
    status,
    isTransient,
    ...(wait !== undefined && { retryAfterMs: wait }),
  });
}
