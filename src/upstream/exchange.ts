import { withoutPermit } from '#src/lib/admission/current-permit.ts';
import { DomainError, getErrorMessage } from '#src/lib/errors.ts';
import { guardUrl } from './address-guard.ts';
import { followRedirect, getRedirectLocation, type OutgoingRequest } from './outgoing.ts';
import { convertError, createFailure, type UpstreamRules } from './rules.ts';
import { listSecrets, removeCredentials } from './scrub.ts';
import { TimedOut, withTimeout } from './timeout.ts';
import { BodyTooLarge, monitorBody, raceAbort } from './watched-body.ts';

const MAX_REDIRECTS = 5;
const LONGEST_TOTAL_SECONDS = 24 * 3600;

/** State of a call to an external system, from its first attempt to the end of the response body. */
export interface Exchange {
  /** Deadline of the call in milliseconds since 1970. */
  end: number;
  signal: AbortSignal | undefined;
  secrets: string[];
}

export function createExchange(
  rules: UpstreamRules,
  input: Request | URL | string,
  init?: RequestInit,
): Exchange {
  const given = [rules.signal, init?.signal, input instanceof Request ? input.signal : undefined];
  const signals = given.filter((signal) => signal !== undefined && signal !== null);
  return {
    end: Date.now() + (rules.totalSeconds ?? LONGEST_TOTAL_SECONDS) * 1000,
    signal: signals.length > 1 ? AbortSignal.any(signals) : signals[0],
    secrets: [...(rules.secrets ?? [])],
  };
}

/** Sends a request and follows redirects as the rules allow. Resolves with the last response. */
export async function followRedirects(
  rules: UpstreamRules,
  exchange: Exchange,
  first: URL,
  request: OutgoingRequest,
): Promise<Response> {
  let hop = { to: first, request };
  for (let count = 0; ; count += 1) {
    // The operator trusts only the origin of the configured address. Redirects to other origins are checked
    // like any other address.
    const isTrusted = rules.trusted === true && hop.to.origin === first.origin;
    const response = await sendHop(rules, exchange, hop.to, hop.request, isTrusted);
    const location = getRedirectLocation(response);
    if (location === undefined || rules.redirects === 'manual') return response;
    await response.body?.cancel();
    const next = followRedirect(hop.to, response.status, location, hop.request);
    if ('refusal' in next)
      throw createFailure(rules, next.refusal, { retryable: false, status: response.status });
    const reason =
      rules.redirects !== 'follow'
        ? `redirects to ${next.to.origin}, and redirects are not allowed`
        : count >= MAX_REDIRECTS
          ? `redirects more than ${MAX_REDIRECTS} times`
          : undefined;
    if (reason) throw createFailure(rules, reason, { retryable: false, status: response.status });
    hop = next;
  }
}

/**
 * Sends one request and returns its response. Reading the response body fails if the body exceeds its time or
 * size limit.
 */
async function sendHop(
  rules: UpstreamRules,
  exchange: Exchange,
  to: URL,
  request: OutgoingRequest,
  isTrusted: boolean,
): Promise<Response> {
  const { signal, end } = exchange;
  const { silenceSeconds } = rules;
  const stop = new AbortController();
  const breakOff = () => stop.abort(signal?.reason);
  signal?.throwIfAborted();
  signal?.addEventListener('abort', breakOff, { once: true });
  const close = () => signal?.removeEventListener('abort', breakOff);
  const ask = async () => {
    const url = await guardUrl(to, isTrusted ? { ALLOW_PRIVATE_ADDRESSES: true } : rules.settings);
    stop.signal.throwIfAborted();
    exchange.secrets.push(...listSecrets(url, request.headers, request.body));
    return fetch(url, { ...request, redirect: 'manual', signal: stop.signal });
  };
  const left = Math.max(0, (end - Date.now()) / 1000);
  try {
    const answer = await withoutPermit(() =>
      raceAbort(withTimeout(ask(), Math.min(silenceSeconds, left)), signal),
    );
    const maxBytes = rules.maxBytes ?? Number.POSITIVE_INFINITY;
    const fail = (cause: unknown) =>
      createFailure(rules, `did not finish its answer: ${describeCause(cause, exchange)}`, {
        retryable: !(cause instanceof BodyTooLarge),
        status: answer.status,
        cause,
      });
    const closeBody = (isWhole: boolean) => {
      close();
      if (!isWhole) stop.abort();
    };
    const watch = { silenceSeconds, end, maxBytes, signal, fail, close: closeBody };
    if (!answer.body) close();
    return withMonitoredBody(rules, to, answer, (body, size) => monitorBody(body, size, watch));
  } catch (cause) {
    stop.abort();
    close();
    if (signal?.aborted) throw signal.reason;
    if (cause instanceof DomainError) throw convertError(rules, cause);
    const reason =
      cause instanceof TimedOut
        ? `did not answer within ${Math.ceil(Math.min(silenceSeconds, left))} seconds`
        : 'could not be reached, or closed the connection before it answered';
    throw createFailure(rules, reason, { retryable: true, cause });
  }
}

/**
 * Replaces the body of a response. Removes headers that describe the encoded bytes, because the runtime has
 * already decoded the body.
 */
function withMonitoredBody(
  rules: UpstreamRules,
  url: URL,
  answer: Response,
  watch: (body: ReadableStream<Uint8Array>, announced: number) => ReadableStream<Uint8Array>,
): Response {
  const { status, body } = answer;
  if (status < 200 || status > 599)
    throw createFailure(rules, `answered ${status}`, { retryable: false, status });
  const headers = new Headers(answer.headers);
  const isEncoded = headers.has('content-encoding');
  const announced = isEncoded ? 0 : Number(headers.get('content-length') ?? 0);
  if (isEncoded) for (const name of ['content-encoding', 'content-length']) headers.delete(name);
  const response = new Response(body && watch(body, announced), {
    status,
    headers,
    // The reason phrase of the response is replaced, because an external system chose it.
    statusText: `status ${status}`,
  });
  return Object.defineProperty(response, 'url', { value: url.href });
}

const describeCause = (cause: unknown, { secrets }: Exchange) =>
  removeCredentials(getErrorMessage(cause), secrets).replace(/\.$/, '');
