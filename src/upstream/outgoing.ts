import { currentTrace, traceparentOf } from '#src/lib/trace.ts';
import { failed, type UpstreamRules } from './rules.ts';

/** A request that can be sent more than once. */
export interface Outgoing {
  method: string;
  headers: Headers;
  body: BodyInit | null;
}

export type Redirection =
  | { to: URL; request: Outgoing }
  /** Reason why a redirect is not followed, as the end of a sentence that starts with a name. */
  | { refusal: string };

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Returns the target of a redirect; undefined for other responses. */
export function locationOf(response: Response): string | undefined {
  return REDIRECTS.has(response.status) ? (response.headers.get('location') ?? undefined) : undefined;
}

/**
 * Returns the request after a redirect, according to the rules of fetch. Caller's headers and bodies are not
 * sent to other origins, because they may contain credentials.
 */
export function redirected(from: URL, status: number, location: string, request: Outgoing): Redirection {
  const to = URL.parse(location, from);
  if (!to) return { refusal: 'redirects to something that is not a URL' };
  if (from.protocol === 'https:' && to.protocol === 'http:') {
    return { refusal: 'redirects from https to http' };
  }
  const isSame = to.origin === from.origin;
  const becomesGet = status === 303 ? request.method !== 'HEAD' : status < 303 && request.method === 'POST';
  if (becomesGet) {
    const headers = isSame ? new Headers(request.headers) : new Headers();
    for (const name of ['content-type', 'content-length', 'content-encoding']) headers.delete(name);
    return { to, request: { method: 'GET', headers, body: null } };
  }
  if (isSame) return { to, request };
  if (request.body !== null) return { refusal: `redirects the body of a request to ${to.origin}` };
  return { to, request: { ...request, headers: new Headers() } };
}

const USER_AGENT = 'Sluice/1.0';

/** Reads the request completely, because a streamed body could be neither redirected nor retried. */
export async function outgoingOf(
  rules: UpstreamRules,
  input: Request | URL | string,
  init: RequestInit = {},
): Promise<{ url: URL; request: Outgoing }> {
  const request = input instanceof Request ? input : undefined;
  const url = URL.parse(request?.url ?? String(input));
  if (!url) throw failed(rules, 'has an address that is no URL', { retryable: false });
  let body = init.body ?? null;
  if (body === null && request?.body) body = await request.arrayBuffer();
  if (body instanceof ReadableStream) body = await new Response(body).arrayBuffer();
  const headers = headersOf(rules, init.headers ?? request?.headers);
  return { url, request: { method: init.method ?? request?.method ?? 'GET', headers, body } };
}

function headersOf(rules: UpstreamRules, given: HeadersInit | undefined): Headers {
  try {
    const headers = new Headers(given);
    if (!headers.has('user-agent')) headers.set('user-agent', USER_AGENT);
    const trace = currentTrace();
    if (trace && !headers.has('traceparent')) headers.set('traceparent', traceparentOf(trace));
    return headers;
  } catch {
    // The runtime's message quotes the value, which may be a credential.
    throw failed(rules, 'cannot be called: a header of the request cannot be sent', { retryable: false });
  }
}
