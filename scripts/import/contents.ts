import { createHash } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { open } from 'node:fs/promises';
import { z } from 'zod';
import { addressOf } from './addresses.ts';
import { type Api, reasonOf } from './api.ts';
import { RequestFailure } from './failures.ts';
import { retryAfterMs, withRetries } from './patience.ts';
import { chunksOf } from './read-body.ts';

/** What a file without a told size may have, bytes. */
const LARGEST_UNTOLD = 4 * 1024 ** 3;
const MOST_REDIRECTS = 5;

export interface Content {
  size: number;
  /** SHA-256, hex. */
  hash: string;
}

const presigned = z.object({ url: z.string().min(1) });

/**
 * Reads a file's bytes by its presigned URL, which is given no key, and writes them to `path` where one is given.
 * `told`: bytes that it should have.
 */
export function download(
  api: Api,
  fileId: string,
  query: { project_id: string },
  { told, path }: { told?: number | undefined; path?: string },
): Promise<Content> {
  const at = `/api/v1/files/${encodeURIComponent(fileId)}/content`;
  return withRetries(api.patience, async () => {
    // A new URL each time: the old one may have run out.
    const { url } = await api.call(presigned, 'GET', at, { query });
    const response = await fetchFollowing(api, url);
    const most = told ?? LARGEST_UNTOLD;
    const wholeMs = timeFor(api, most);
    const chunks = chunksOf(response, { most, silenceMs: api.patience.silenceMs, wholeMs });
    const content = path === undefined ? await hashOf(chunks) : await writtenTo(path, chunks);
    if (told !== undefined && content.size !== told) {
      throw new RequestFailure(`its content has ${content.size} bytes instead of ${told}`, { passing: true });
    }
    return content;
  });
}

async function writtenTo(path: string, chunks: AsyncIterable<Uint8Array>): Promise<Content> {
  const file = await open(path, 'w', 0o600);
  try {
    return await hashOf(chunks, (chunk) => file.writeFile(chunk));
  } finally {
    await file.close();
  }
}

async function hashOf(
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
  let url = await addressOf(api, first, api.base);
  for (let hop = 0; hop <= MOST_REDIRECTS; hop += 1) {
    const response = await contentFetch(api, url);
    const place = response.headers.get('location');
    if (response.ok) return response;
    await response.body?.cancel();
    if (response.status < 300 || response.status >= 400 || place === null) {
      throw failureOf(`its content: ${response.status} from ${url.host}`, response);
    }
    url = await addressOf(api, place, url.href);
  }
  throw new RequestFailure('its content: too many redirects');
}

/** Bytes at `path` to a presigned URL. */
export async function upload(api: Api, to: string, path: string, size: number): Promise<void> {
  const url = await addressOf(api, to, api.base);
  const response = await contentFetch(api, url, {
    method: 'PUT',
    body: await openAsBlob(path),
    signal: AbortSignal.timeout(timeFor(api, size)),
  });
  await response.body?.cancel();
  if (!response.ok) throw failureOf(`its bytes: ${response.status} from ${url.host}`, response);
}

/** Milliseconds: 50 kB a second at the least, besides the time for any answer. */
const timeFor = (api: Api, bytes: number) => Math.ceil(api.patience.answerMs + bytes / 50);

async function contentFetch(api: Api, url: URL, options: RequestInit = {}): Promise<Response> {
  const gaveUp = new AbortController();
  const timer = setTimeout(() => gaveUp.abort(), api.patience.silenceMs);
  try {
    // The signal covers the wait for the answer's head; who reads the body watches over that.
    const signal = options.signal ?? gaveUp.signal;
    return await fetch(url, { redirect: 'manual', ...options, signal });
  } catch (cause) {
    const reason = gaveUp.signal.aborted ? 'no answer in time' : reasonOf(cause);
    throw new RequestFailure(`its content: ${url.host}: ${reason}`, { passing: true });
  } finally {
    clearTimeout(timer);
  }
}

function failureOf(message: string, { status, headers }: Response): RequestFailure {
  const wait = retryAfterMs(headers.get('retry-after'));
  // A presigned URL that has run out is refused; the next attempt has a new one.
  const passing = status === 403 || status === 429 || status === 408 || status >= 500;
  return new RequestFailure(message, { status, passing, ...(wait !== undefined && { retryAfterMs: wait }) });
}
