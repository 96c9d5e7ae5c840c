import type { z } from 'zod';
import { backoff } from '#src/lib/async/backoff.ts';
import { Upstream } from '#src/lib/errors.ts';
import { count, observe } from '#src/metrics/meter.ts';
import { createExchange, type Exchange, followRedirects } from './exchange.ts';
import { bufferRequest } from './outgoing.ts';
import { parseRetryAfter } from './retry-after.ts';
import { isRetryableStatus } from './retryable.ts';
import { createFailure, type UpstreamRules } from './rules.ts';
import { removeCredentials } from './scrub.ts';
import { withTimeout } from './timeout.ts';
import { raceAbort } from './watched-body.ts';

/** Maximum number of characters of an error response that are searched for the reason of the error. */
const REASON_BYTES = 16 * 1024;

const LONGEST_REASON = 300;

/**
 * JSON fields in which vendors put the reason of an error. The value of such a field may be an object that
 * contains such fields again.
 */
const REASON_MEMBERS = [
  'message',
  'errorMessages',
  'error_description',
  'detail',
  'error',
  'errors',
  'title',
  'root_cause',
  'reason',
  'description',
];

export type { UpstreamRules } from './rules.ts';

export interface FailureOptions {
  /** Marks further statuses as retryable for this call. `true` applies to all statuses. */
  alsoRetryable?: boolean | ((status: number) => boolean);
}

/**
 * HTTP client for external systems that may hang, send wrong data or disconnect. Failures reject with
 * Upstream, and forbidden addresses reject with BadRequest. An aborted call rejects with the reason of the
 * abort signal.
 */
export interface UpstreamHttp {
  /**
   * Sends a request. Resolves with any status as soon as the response headers have arrived. The limits of
   * time and size also apply when the body is read.
   */
  fetch(input: Request | URL | string, init?: RequestInit): Promise<Response>;
  /** Sends a request. Rejects with the error from `failure` unless the status is 2xx. */
  request(
    input: Request | URL | string,
    init?: RequestInit,
    options?: FailureOptions & { what?: string },
  ): Promise<Response>;
  /**
   * Yields the body of a response. Rejects for a status without a body and for partial content, so that
   * partial content is never mistaken for the whole.
   */
  body(response: Response): AsyncGenerator<Uint8Array>;
  text(response: Response): Promise<string>;
  /**
   * Parses the body as JSON. Text that is not JSON, for example from a proxy, is a retryable error. JSON that
   * does not match the schema is a permanent error.
   */
  json<T = unknown>(response: Response, schema?: z.ZodType<T>): Promise<T>;
  /**
   * Returns the error of a failed response. `what` names the request, such as "the list of objects". The
   * beginning of the body is searched for a reason, from which secrets are removed.
   */
  failure(response: Response, what?: string, options?: FailureOptions): Promise<Upstream>;
}

/**
 * Maximum size in bytes of a response body that is read as a whole. This is also the default of `maxBytes` in
 * `createGuardedFetch`.
 */
const MAX_WHOLE_BYTES = 64 * 1024 * 1024;
const REASON_SECONDS = 5;
const BODILESS = new Set([204, 205]);
/**
 * Longest wait in seconds before a retry within a call. Random jitter may lengthen the wait by half. If a
 * longer wait is needed, the call fails and the caller may retry later.
 */
const MAX_WAIT_SECONDS = 5;
const RETRIES = { first: 0.5, longest: MAX_WAIT_SECONDS };
/** Time in seconds to wait after a response with status 429 that has no Retry-After header. */
const DEFAULT_RATE_LIMIT_WAIT = 1;

export function createUpstreamHttp(rules: UpstreamRules): UpstreamHttp {
  const exchanges = new WeakMap<Response, Exchange>();
  const secretsFor = (response: Response) => exchanges.get(response)?.secrets ?? [...(rules.secrets ?? [])];

  const http: UpstreamHttp = {
    async fetch(input, init) {
      const exchange = createExchange(rules, input, init);
      const { url, request } = await bufferRequest(rules, input, init);
      for (let attempt = 1; ; attempt += 1) {
        const start = Date.now();
        const answer = await followRedirects(rules, exchange, url, request).catch((error: unknown) => error);
        countRequest(answer, start);
        const wait =
          attempt <= (rules.retries ?? 0) ? getWaitBeforeRetry(attempt, answer, exchange) : undefined;
        if (wait === undefined) {
          if (!(answer instanceof Response)) throw answer;
          exchanges.set(answer, exchange);
          return answer;
        }
        if (answer instanceof Response) await answer.body?.cancel();
        await raceAbort(sleep(wait), exchange.signal);
      }
    },
    async request(input, init, options) {
      const response = await http.fetch(input, init);
      if (response.ok) return response;
      throw await http.failure(response, options?.what, options);
    },
    async *body(response) {
      const { status } = response;
      if (status === 206)
        throw createFailure(rules, 'answered 206 with only a part of the body', { retryable: true });
      if (BODILESS.has(status))
        throw createFailure(rules, `answered ${status} without a body`, { retryable: true });
      for await (const piece of response.body ?? []) yield piece;
    },
    text: (response) => readText(rules, response),
    async json<T>(response: Response, schema?: z.ZodType<T>) {
      const text = await http.text(response);
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch {
        const reason = `answered ${response.status} with ${describeNonJson(text)} instead of valid JSON`;
        throw createFailure(rules, reason, { retryable: true });
      }
      if (!schema) return value as T;
      const { data, error } = schema.safeParse(value);
      if (!error) return data as T;
      const where = error.issues.map(({ path, code }) => `${path.join('.') || 'whole answer'} (${code})`);
      const message = `answered with JSON in an unexpected format: ${where.slice(0, 3).join(', ')}`;
      throw createFailure(rules, removeCredentials(message, secretsFor(response)), { retryable: false });
    },
    async failure(response, what, { alsoRetryable } = {}) {
      const { status, headers } = response;
      const text = await readBeginning(response);
      const reason = extractReason(text, headers.get('content-type'), secretsFor(response));
      const also = typeof alsoRetryable === 'function' ? alsoRetryable(status) : alsoRetryable;
      const subject = what ? ` to a request for ${what}` : '';
      return createFailure(
        rules,
        `answered ${status}${subject}${reason && `: ${reason.replace(/\.$/, '')}`}`,
        {
          retryable: isRetryableStatus(status) || (also ?? false),
          retryAfter: getRetryAfter(response),
          status,
        },
      );
    },
  };
  return http;
}

/** Reads a response body as text. Throws if the body has more than `MAX_WHOLE_BYTES` bytes. */
async function readText(rules: UpstreamRules, response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  const checkSize = (bytes: number) => {
    if (bytes > MAX_WHOLE_BYTES)
      throw createFailure(rules, 'answered with more than 64 MiB', { retryable: false });
  };
  // An announced size fails at once. Otherwise, a server that announces much and sends little would be waited for.
  const announced = Number(response.headers.get('content-length'));
  if (announced > MAX_WHOLE_BYTES) await response.body?.cancel();
  checkSize(announced);
  for await (const piece of response.body ?? []) {
    size += piece.byteLength;
    checkSize(size);
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}

/**
 * Creates a `fetch` function with the same limits and address checks as the HTTP client. Libraries that
 * handle statuses themselves can use it.
 */
export function createGuardedFetch(rules: UpstreamRules): typeof fetch {
  const http = createUpstreamHttp({ maxBytes: MAX_WHOLE_BYTES, ...rules });
  return ((input: Request | URL | string, init?: RequestInit) => http.fetch(input, init)) as typeof fetch;
}

/** Describes a text that is not JSON. The result is part of an error message's sentence. */
function describeNonJson(text: string): string {
  const start = text.slice(0, 1000).trimStart();
  if (start === '') return 'an empty body';
  if (/^<(!doctype|html)/i.test(start)) return 'an HTML page';
  return /^[[{"]/.test(start) ? 'truncated or malformed text' : 'other text';
}

function countRequest(answer: unknown, start: number): void {
  const status = answer instanceof Response ? `${Math.floor(answer.status / 100)}xx` : 'none';
  count('sluice_upstream_requests_total', { status });
  observe('sluice_upstream_seconds', { status }, (Date.now() - start) / 1000);
}

/**
 * Returns the seconds to wait before the next attempt, or `undefined` if no further attempt should be made.
 */
function getWaitBeforeRetry(attempt: number, answer: unknown, { end }: Exchange): number | undefined {
  let retryAfter: number | undefined;
  if (answer instanceof Response) {
    if (!isRetryableStatus(answer.status)) return undefined;
    retryAfter = getRetryAfter(answer);
  } else {
    if (!(answer instanceof Upstream && answer.retryable)) return undefined;
    retryAfter = answer.retryAfter;
  }
  const wait = backoff(RETRIES, attempt, { retryAfter });
  return wait <= MAX_WAIT_SECONDS * 1.5 && Date.now() + wait * 1000 < end ? wait : undefined;
}

function getRetryAfter({ status, headers }: Response): number | undefined {
  return (
    parseRetryAfter(headers.get('retry-after')) ?? (status === 429 ? DEFAULT_RATE_LIMIT_WAIT : undefined)
  );
}

/**
 * Reads the beginning of an error response, which may contain the reason. Stops early if reading fails or
 * takes too long.
 */
async function readBeginning(response: Response): Promise<string> {
  if (!response.body || response.bodyUsed) return '';
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const read = async () => {
    while (text.length < REASON_BYTES) {
      const { done, value } = await reader.read();
      if (done) return;
      text += value;
    }
  };
  await withTimeout(read(), REASON_SECONDS).catch(() => {});
  void reader.cancel().catch(() => {});
  return text.slice(0, REASON_BYTES);
}

const sleep = (seconds: number) => new Promise<void>((resolve) => setTimeout(resolve, seconds * 1000));

/**
 * Returns the reason in an error response, limited in length and without secrets. Returns an empty text if
 * there is no reason.
 */
export function extractReason(text: string, contentType: string | null, secrets: readonly string[]): string {
  // A text that was cut at the limit may end with the first part of a secret, so its end is removed.
  const longest = Math.max(0, ...secrets.map((secret) => secret.length));
  const whole = text.length < REASON_BYTES ? text : text.slice(0, -2 * longest || undefined);
  const reason =
    findJsonReason(whole) ?? findXmlReason(whole) ?? (/html/i.test(contentType ?? '') ? '' : whole);
  const clean = removeCredentials(reason, secrets);
  return clean.length > LONGEST_REASON ? `${clean.slice(0, LONGEST_REASON)}…` : clean;
}

function findJsonReason(text: string): string | undefined {
  if (!/^\s*[{["]/.test(text)) return undefined;
  try {
    return findReason(JSON.parse(text), 0);
  } catch {
    return undefined;
  }
}

function findReason(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || depth > 3) return undefined;
  if (Array.isArray(value)) return findReason(value[0], depth + 1);
  for (const member of REASON_MEMBERS) {
    const found = findReason((value as Record<string, unknown>)[member], depth + 1);
    if (found) return found;
  }
  return undefined;
}

/** Returns the error message from XML in the format of S3-compatible stores. */
function findXmlReason(text: string): string | undefined {
  return /<Message>([^<]*)<\/Message>/i.exec(text)?.[1];
}
