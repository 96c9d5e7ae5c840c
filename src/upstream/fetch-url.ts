import { BadRequest, TooLarge, Upstream } from '#src/lib/errors.ts';
import type { Settings } from '#src/settings/settings.ts';
import { createUpstreamHttp } from './http.ts';

const SILENCE_SECONDS = 30;
/** Time limit of the whole call in seconds. The limit applies even if bytes keep arriving. */
const TOTAL_SECONDS = 15 * 60;

interface Options {
  headers?: Record<string, string>;
  followRedirects: boolean;
  /**
   * Maximum size of the response body in bytes. `fetchUrl` checks only the size that the response announces.
   */
  limit: number;
}

export interface Fetched {
  url: URL;
  headers: Headers;
  /**
   * Body of the response. Reading the body rejects with Upstream if the server stops sending or disconnects.
   * The caller must enforce the size limit while reading.
   */
  body: AsyncIterable<Uint8Array>;
}

/**
 * Fetches a URL that an API client has chosen. Permanent failures reject with BadRequest, because the client
 * must change the URL. Temporary failures reject with a retryable Upstream error.
 */
export async function fetchUrl(settings: Settings, input: string, options: Options): Promise<Fetched> {
  const http = createUpstreamHttp({
    name: URL.parse(input)?.host ?? 'The URL',
    settings,
    silenceSeconds: SILENCE_SECONDS,
    totalSeconds: TOTAL_SECONDS,
    redirects: options.followRedirects ? 'follow' : 'refuse',
  });
  const response = await http.fetch(input, { headers: options.headers ?? {} }).catch((error: unknown) => {
    throw error instanceof Upstream ? toCallerError(error) : error;
  });
  const { headers } = response;
  const url = new URL(response.url);
  const announced = Number(headers.get('content-length') ?? 0);
  if (response.ok && response.body && announced <= options.limit) {
    return { url, headers, body: http.body(response) };
  }
  // The body is cancelled without being read, because the caller must not see an error page of another
  // system.
  await response.body?.cancel();
  if (!response.ok) throw toCallerError(await http.failure(response));
  if (!response.body) throw new BadRequest(`${url.host} answered without a body.`);
  throw new TooLarge(`File size exceeds ${Math.floor(options.limit / 1024 / 1024)}MB limit.`);
}

function toCallerError(error: Upstream): Upstream | BadRequest {
  return error.retryable ? error : new BadRequest(error.message);
}
