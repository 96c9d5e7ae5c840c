import { DomainError, messageOf } from '#src/lib/errors.ts';
import { guardUrl } from './address-guard.ts';
import { locationOf, type Outgoing, redirected } from './outgoing.ts';
import { asOwn, failed, type UpstreamRules } from './rules.ts';
import { scrub, secretsOf } from './scrub.ts';
import { TimedOut, withTimeout } from './timeout.ts';
import { BodyTooLarge, untilAborted, watchedBody } from './watched-body.ts';

const MAX_REDIRECTS = 5;
const LONGEST_TOTAL_SECONDS = 24 * 3600;

/** A call from its first attempt to the end of its body. */
export interface Exchange {
  /** Deadline, comparable with Date.now(). */
  end: number;
  signal: AbortSignal | undefined;
  secrets: string[];
}

export function exchangeOf(
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

/** Follows redirects within the rules. Resolves with the response of the last hop. */
export async function follow(
  rules: UpstreamRules,
  exchange: Exchange,
  first: URL,
  request: Outgoing,
): Promise<Response> {
  let hop = { to: first, request };
  for (let count = 0; ; count += 1) {
    // The operator trusts one origin, not the targets of its redirects.
    const isTrusted = rules.trusted === true && hop.to.origin === first.origin;
    const response = await exchangeHop(rules, exchange, hop.to, hop.request, isTrusted);
    const location = locationOf(response);
    if (location === undefined || rules.redirects === 'manual') return response;
    await response.body?.cancel();
    const next = redirected(hop.to, response.status, location, hop.request);
    if ('refusal' in next) throw failed(rules, next.refusal, { retryable: false, status: response.status });
    const reason =
      rules.redirects !== 'follow'
        ? `redirects to ${next.to.origin}, which is not followed`
        : count >= MAX_REDIRECTS
          ? `redirects more than ${MAX_REDIRECTS} times`
          : undefined;
    if (reason) throw failed(rules, reason, { retryable: false, status: response.status });
    hop = next;
  }
}

/** Sends one request and returns its response with a monitored body. */
async function exchangeHop(
  rules: UpstreamRules,
  exchange: Exchange,
  to: URL,
  request: Outgoing,
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
    exchange.secrets.push(...secretsOf(url, request.headers, request.body));
    return fetch(url, { ...request, redirect: 'manual', signal: stop.signal });
  };
  const left = Math.max(0, (end - Date.now()) / 1000);
  try {
    const answer = await untilAborted(withTimeout(ask(), Math.min(silenceSeconds, left)), signal);
    const maxBytes = rules.maxBytes ?? Number.POSITIVE_INFINITY;
    const fail = (cause: unknown) =>
      failed(rules, `did not finish its answer: ${explained(cause, exchange)}`, {
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
    return watched(rules, to, answer, (body, size) => watchedBody(body, size, watch));
  } catch (cause) {
    stop.abort();
    close();
    if (signal?.aborted) throw signal.reason;
    if (cause instanceof DomainError) throw asOwn(rules, cause);
    const reason =
      cause instanceof TimedOut
        ? `did not answer within ${Math.ceil(Math.min(silenceSeconds, left))} seconds`
        : 'could not be reached, or broke off before it answered';
    throw failed(rules, reason, { retryable: true, cause });
  }
}

/** Returns the response with another body, and without headers that describe the encoded bytes. */
function watched(
  rules: UpstreamRules,
  url: URL,
  answer: Response,
  watch: (body: ReadableStream<Uint8Array>, announced: number) => ReadableStream<Uint8Array>,
): Response {
  const { status, body } = answer;
  if (status < 200 || status > 599) throw failed(rules, `answered ${status}`, { retryable: false, status });
  const headers = new Headers(answer.headers);
  const isEncoded = headers.has('content-encoding');
  const announced = isEncoded ? 0 : Number(headers.get('content-length') ?? 0);
  if (isEncoded) for (const name of ['content-encoding', 'content-length']) headers.delete(name);
  const response = new Response(body && watch(body, announced), {
    status,
    headers,
    // The reason phrase is the other side's text, so it is replaced.
    statusText: `status ${status}`,
  });
  return Object.defineProperty(response, 'url', { value: url.href });
}

const explained = (cause: unknown, { secrets }: Exchange) =>
  scrub(messageOf(cause), secrets).replace(/\.$/, '');
