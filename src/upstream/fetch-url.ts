import { BadRequest, TooLarge, Upstream } from '#src/lib/errors.ts';
import type { Settings } from '#src/settings/settings.ts';
import { upstream } from './http.ts';

const SILENCE_SECONDS = 30;
/** A whole body, however steadily it drips. */
const TOTAL_SECONDS = 15 * 60;

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
  /** Rejects with Upstream when the other side falls silent or breaks off. Whoever reads it holds it to the limit. */
  body: AsyncIterable<Uint8Array>;
}

/**
 * Fetches a URL of a caller's choice. What is wrong with the URL, or will be the next time too, is a BadRequest: the
 * caller has to change it. What time may help is a retryable Upstream.
 */
export async function fetchUrl(settings: Settings, input: string, options: Options): Promise<Fetched> {
  const http = upstream({
    name: URL.parse(input)?.host ?? 'The URL',
    settings,
    silenceSeconds: SILENCE_SECONDS,
    totalSeconds: TOTAL_SECONDS,
    redirects: options.followRedirects ? 'follow' : 'refuse',
  });
  const response = await http.fetch(input, { headers: options.headers ?? {} }).catch((error: unknown) => {
    throw error instanceof Upstream ? callersFault(error) : error;
  });
  const { headers } = response;
  const url = new URL(response.url);
  const announced = Number(headers.get('content-length') ?? 0);
  if (response.ok && response.body && announced <= options.limit) {
    return { url, headers, body: http.body(response) };
  }
  // Cancelled before anything reads it: what the other side says in it is none of this caller's business.
  await response.body?.cancel();
  if (!response.ok) throw callersFault(await http.failure(response));
  if (!response.body) throw new BadRequest(`${url.host} answered without a body.`);
  throw new TooLarge(`File size exceeds ${Math.floor(options.limit / 1024 / 1024)}MB limit.`);
}

function callersFault(error: Upstream): Upstream | BadRequest {
  return error.retryable ? error : new BadRequest(error.message);
}
