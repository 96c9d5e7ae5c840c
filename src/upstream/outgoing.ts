import { currentTrace, formatTraceparent } from '#src/lib/trace.ts';
import { createFailure, type UpstreamRules } from './rules.ts';

/** HTTP request that can be sent more than once, because its body is not a stream. */
export interface OutgoingRequest {
  method: string;
  headers: Headers;
  body: BodyInit | null;
}

export type Redirection =
  | { to: URL; request: OutgoingRequest }
  /**
   * Reason why a redirect is not followed. The reason completes a sentence that begins with the name of the
   * external system.
   */
  | { refusal: string };

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export function getRedirectLocation(response: Response): string | undefined {
  return REDIRECTS.has(response.status) ? (response.headers.get('location') ?? undefined) : undefined;
}

/**
 * Returns the request that follows a redirect, according to the rules of the Fetch standard. Headers and
 * bodies are not sent to other origins, because they may contain credentials.
 */
export function followRedirect(
  from: URL,
  status: number,
  location: string,
  request: OutgoingRequest,
): Redirection {
  const to = URL.parse(location, from.href);
  if (!to) return { refusal: 'redirects to an invalid URL' };
  if (from.protocol === 'https:' && to.protocol === 'http:') {
    return { refusal: 'redirects from https to http, which is not allowed' };
  }
  const isSame = to.origin === from.origin;
  const becomesGet = status === 303 ? request.method !== 'HEAD' : status < 303 && request.method === 'POST';
  if (becomesGet) {
    const headers = isSame ? new Headers(request.headers) : new Headers();
    for (const name of ['content-type', 'content-length', 'content-encoding']) headers.delete(name);
    return { to, request: { method: 'GET', headers, body: null } };
  }
  if (isSame) return { to, request };
  if (request.body !== null)
    return { refusal: `redirects a request with a body to ${to.origin}, which is not allowed` };
  return { to, request: { ...request, headers: new Headers() } };
}

const USER_AGENT = 'Sluice/1.0';

/** Reads a request completely, because a streamed body could neither be redirected nor sent again. */
export async function bufferRequest(
  rules: UpstreamRules,
  input: Request | URL | string,
  init: RequestInit = {},
): Promise<{ url: URL; request: OutgoingRequest }> {
  const request = input instanceof Request ? input : undefined;
  const url = URL.parse(request?.url ?? String(input));
  if (!url) throw createFailure(rules, 'has an invalid URL', { retryable: false });
  let body = init.body ?? null;
  if (body === null && request?.body) body = await request.arrayBuffer();
  if (body instanceof ReadableStream) body = await new Response(body).arrayBuffer();
  const headers = buildHeaders(rules, init.headers ?? request?.headers);
  return { url, request: { method: init.method ?? request?.method ?? 'GET', headers, body } };
}

function buildHeaders(rules: UpstreamRules, given: HeadersInit | undefined): Headers {
  try {
    const headers = new Headers(given);
    if (!headers.has('user-agent')) headers.set('user-agent', USER_AGENT);
    const trace = currentTrace();
    if (trace && !headers.has('traceparent')) headers.set('traceparent', formatTraceparent(trace));
    return headers;
  } catch {
    // The runtime's error message is not used, because it quotes the header value, which may be a credential.
    throw createFailure(rules, 'cannot be called: a request header contains characters that cannot be sent', {
      retryable: false,
    });
  }
}
