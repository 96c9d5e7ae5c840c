import type { Settings } from '#src/env.ts';
import { BadRequest, DomainError, messageOf, TooLarge, Upstream } from '#src/errors.ts';
import { guardUrl } from './address-guard.ts';

const MAX_REDIRECTS = 5;
/** Until the headers of one hop are there, and between two pieces of a body. */
const PATIENCE_MS = 30_000;
/** A whole body, however steadily it drips. */
const BODY_MS = 15 * 60_000;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

interface Options {
  headers?: Record<string, string>;
  followRedirects: boolean;
  /** Bytes. */
  limit: number;
}

export interface Fetched {
  /** Where the last redirect led. */
  url: URL;
  headers: Headers;
  /** Rejects with Upstream when the other side falls silent or breaks off. */
  body: AsyncIterable<Uint8Array>;
}

/**
 * Fetches a URL of a caller's choice. Every hop is checked by the address guard, and the caller's headers stay
 * with the origin they were meant for. Failures of the other side are BadRequest when the URL has to change,
 * and a retryable Upstream when time may help.
 */
export async function fetchUrl(settings: Settings, input: string, options: Options): Promise<Fetched> {
  let url = await guardUrl(input, settings);
  const { origin } = url;
  let trusted = true;
  for (let hop = 0; ; hop += 1) {
    const response = await request(url, trusted ? options.headers : undefined);
    const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null;
    if (location === null) return accept(url, response, options.limit);
    await response.body?.cancel();
    const next = URL.parse(location, url);
    if (!next) throw new BadRequest(`${url.host} redirects to something that is not a URL.`);
    if (!options.followRedirects) {
      throw new BadRequest(`The URL redirects to ${next.origin}, and follow_redirects is false.`);
    }
    if (hop >= MAX_REDIRECTS) throw new BadRequest(`The URL redirects more than ${MAX_REDIRECTS} times.`);
    if (url.protocol === 'https:' && next.protocol === 'http:') {
      throw new BadRequest(`${url.host} redirects from https to http.`);
    }
    url = await guardUrl(next, settings);
    // Once elsewhere, for good: a redirect back must not get them either.
    trusted &&= url.origin === origin;
  }
}

async function request(url: URL, headers: Record<string, string> | undefined): Promise<Response> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), PATIENCE_MS);
  try {
    return await fetch(url, { headers: { ...headers }, redirect: 'manual', signal: abort.signal });
  } catch (cause) {
    const reason = abort.signal.aborted
      ? `did not answer within ${PATIENCE_MS / 1000} seconds`
      : 'could not be reached, or refused a secure connection';
    throw new Upstream(`${url.host} ${reason}.`, { retryable: true, cause });
  } finally {
    clearTimeout(timer);
  }
}

async function accept(url: URL, response: Response, limit: number): Promise<Fetched> {
  if (response.ok && response.body) {
    const announced = Number(response.headers.get('content-length') ?? 0);
    if (announced <= limit) return { url, headers: response.headers, body: patient(url, response.body) };
    await response.body.cancel();
    throw new TooLarge(`File size exceeds ${Math.floor(limit / 1024 / 1024)}MB limit.`);
  }
  await response.body?.cancel();
  const { status } = response;
  if (response.ok) throw new BadRequest(`${url.host} answered without a body.`);
  if (status < 500 && status !== 429 && status !== 408) {
    throw new BadRequest(`${url.host} answered ${status} for the URL.`);
  }
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  throw new Upstream(`${url.host} answered ${status} for the URL.`, {
    retryable: true,
    ...(Number.isFinite(retryAfter) && { retryAfter: Math.max(0, retryAfter) }),
  });
}

async function* patient(url: URL, body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  const end = Date.now() + BODY_MS;
  try {
    for (;;) {
      if (Date.now() > end) throw new Error(`it took longer than ${BODY_MS / 60_000} minutes`);
      const { done, value } = await within(reader.read());
      if (done) return;
      yield value;
    }
  } catch (cause) {
    if (cause instanceof DomainError) throw cause;
    const reason = messageOf(cause).replace(/\.$/, '');
    throw new Upstream(`${url.host} did not finish its answer: ${reason}.`, { retryable: true, cause });
  } finally {
    await reader.cancel().catch(() => {});
  }
}

async function within<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`nothing came for ${PATIENCE_MS / 1000} seconds`)),
      PATIENCE_MS,
    );
  });
  try {
    return await Promise.race([work, silence]);
  } finally {
    clearTimeout(timer);
  }
}
