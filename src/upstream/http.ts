import type { z } from 'zod';
import { backoff } from '#src/lib/async/backoff.ts';
import { Upstream } from '#src/lib/errors.ts';
import { count, observe } from '#src/metrics/meter.ts';
import { type Exchange, exchangeOf, follow } from './exchange.ts';
import { outgoingOf } from './outgoing.ts';
import { retryAfterOf } from './retry-after.ts';
import { isRetryableStatus } from './retryable.ts';
import { failed, type UpstreamRules } from './rules.ts';
import { scrub } from './scrub.ts';
import { withTimeout } from './timeout.ts';
import { untilAborted } from './watched-body.ts';

/** Maximum length of the beginning of an error response that is searched for a reason, in characters. */
const REASON_BYTES = 16 * 1024;

const LONGEST_REASON = 300;

/** Members in which vendors state a reason. They may contain such an object again. */
const MEMBERS = [
  'message',
  'errorMessages',
  'error_description',
  'detail',
  'error',
  'errors',
  'title',
  'reason',
  'description',
];

export type { UpstreamRules } from './rules.ts';

export interface FailureOptions {
  /** Whether a status is retryable for this call although it usually is not. */
  alsoRetryable?: boolean | ((status: number) => boolean);
}

/**
 * HTTP client for systems that may hang, lie or disconnect. Their failures reject with Upstream, forbidden
 * addresses with BadRequest, and an abort with the signal's reason.
 */
export interface UpstreamHttp {
  /**
   * Resolves once the headers have arrived, whatever the status. Limits of time and size also apply to the
   * body, however it is read.
   */
  fetch(input: Request | URL | string, init?: RequestInit): Promise<Response>;
  /** Like fetch, but rejects with `failure` for a status other than 2xx. */
  request(
    input: Request | URL | string,
    init?: RequestInit,
    options?: FailureOptions & { what?: string },
  ): Promise<Response>;
  /**
   * Yields the body. Rejects for a status without body and for partial content, so that a part never passes
   * for the whole.
   */
  body(response: Response): AsyncGenerator<Uint8Array>;
  text(response: Response): Promise<string>;
  /** Parses JSON. A body that is no JSON, as from a proxy, is retryable; JSON of another shape is not. */
  json<T = unknown>(response: Response, schema?: z.ZodType<T>): Promise<T>;
  /**
   * Returns the error of a failed response. `what` names the request, such as "the list of objects". Reads a
   * limited part of the body for a reason, and removes secrets.
   */
  failure(response: Response, what?: string, options?: FailureOptions): Promise<Upstream>;
}

/**
 * Maximum size in bytes of a body that is read as a whole. `guardedFetch` uses it as the default of
 * `maxBytes`.
 */
const LONGEST_WHOLE = 64 * 1024 * 1024;
const REASON_SECONDS = 5;
/** Successful statuses without a body. */
const BODILESS = new Set([204, 205]);
/**
 * Longest wait before a retry within a call, in seconds. Jitter may lengthen it by half. Longer waits are
 * left to the owner of the work.
 */
const LONGEST_WAIT_IN_PLACE = 5;
const RETRIES = { first: 0.5, longest: LONGEST_WAIT_IN_PLACE };
/** Seconds to wait after a 429 without Retry-After. */
const BRIEF_WAIT = 1;

/** Creates an HTTP client with these rules. It may serve any number of calls. */
export function upstream(rules: UpstreamRules): UpstreamHttp {
  const exchanges = new WeakMap<Response, Exchange>();
  const secretsFor = (response: Response) => exchanges.get(response)?.secrets ?? [...(rules.secrets ?? [])];

  const http: UpstreamHttp = {
    async fetch(input, init) {
      const exchange = exchangeOf(rules, input, init);
      const { url, request } = await outgoingOf(rules, input, init);
      for (let attempt = 1; ; attempt += 1) {
        const start = Date.now();
        const answer = await follow(rules, exchange, url, request).catch((error: unknown) => error);
        countRequest(answer, start);
        const wait = attempt <= (rules.retries ?? 0) ? waitBefore(attempt, answer, exchange) : undefined;
        if (wait === undefined) {
          if (!(answer instanceof Response)) throw answer;
          exchanges.set(answer, exchange);
          return answer;
        }
        if (answer instanceof Response) await answer.body?.cancel();
        await untilAborted(sleep(wait), exchange.signal);
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
        throw failed(rules, 'answered 206 with a part of the body alone', { retryable: true });
      if (BODILESS.has(status)) throw failed(rules, `answered ${status} without a body`, { retryable: true });
      for await (const piece of response.body ?? []) yield piece;
    },
    async text(response) {
      const decoder = new TextDecoder();
      let text = '';
      let size = 0;
      for await (const piece of response.body ?? []) {
        size += piece.byteLength;
        if (size > LONGEST_WHOLE) throw failed(rules, 'answered with too much to read', { retryable: false });
        text += decoder.decode(piece, { stream: true });
      }
      return text + decoder.decode();
    },
    async json<T>(response: Response, schema?: z.ZodType<T>) {
      const text = await http.text(response);
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch {
        const reason = `answered ${response.status} with ${whatIsNotJson(text)} instead of JSON`;
        throw failed(rules, reason, { retryable: true });
      }
      if (!schema) return value as T;
      const { data, error } = schema.safeParse(value);
      if (!error) return data as T;
      const where = error.issues.map(({ path, code }) => `${path.join('.') || 'all of it'} (${code})`);
      const message = `answered with JSON of another shape: ${where.slice(0, 3).join(', ')}`;
      throw failed(rules, scrub(message, secretsFor(response)), { retryable: false });
    },
    async failure(response, what, { alsoRetryable } = {}) {
      const { status, headers } = response;
      const said = await beginning(response);
      const reason = reasonIn(said, headers.get('content-type'), secretsFor(response));
      const also = typeof alsoRetryable === 'function' ? alsoRetryable(status) : alsoRetryable;
      const subject = what ? ` to a request for ${what}` : '';
      return failed(rules, `answered ${status}${subject}${reason && `: ${reason.replace(/\.$/, '')}`}`, {
        retryable: isRetryableStatus(status) || (also ?? false),
        retryAfter: waitOf(response),
        status,
      });
    },
  };
  return http;
}

/** Returns the client as a `fetch` function for libraries, which handle statuses themselves. */
export function guardedFetch(rules: UpstreamRules): typeof fetch {
  const http = upstream({ maxBytes: LONGEST_WHOLE, ...rules });
  return ((input: Request | URL | string, init?: RequestInit) => http.fetch(input, init)) as typeof fetch;
}

/** Describes a text that cannot be parsed as JSON, as a part of a sentence. */
function whatIsNotJson(text: string): string {
  const start = text.slice(0, 1000).trimStart();
  if (start === '') return 'nothing';
  if (/^<(!doctype|html)/i.test(start)) return 'an HTML page';
  return /^[[{"]/.test(start) ? 'JSON that is cut off or damaged' : 'some other text';
}

function countRequest(answer: unknown, start: number): void {
  const status = answer instanceof Response ? `${Math.floor(answer.status / 100)}xx` : 'none';
  count('sluice_upstream_requests_total', { status });
  observe('sluice_upstream_seconds', { status }, (Date.now() - start) / 1000);
}

/** Returns the seconds to wait before the next attempt, or `undefined` if there should be none. */
function waitBefore(attempt: number, answer: unknown, { end }: Exchange): number | undefined {
  let retryAfter: number | undefined;
  if (answer instanceof Response) {
    if (!isRetryableStatus(answer.status)) return undefined;
    retryAfter = waitOf(answer);
  } else {
    if (!(answer instanceof Upstream && answer.retryable)) return undefined;
    retryAfter = answer.retryAfter;
  }
  const wait = backoff(RETRIES, attempt, { retryAfter });
  return wait <= LONGEST_WAIT_IN_PLACE * 1.5 && Date.now() + wait * 1000 < end ? wait : undefined;
}

function waitOf({ status, headers }: Response): number | undefined {
  return retryAfterOf(headers.get('retry-after')) ?? (status === 429 ? BRIEF_WAIT : undefined);
}

/** Reads the beginning of a body, as far as a reason may need it. Errors and slow bodies end it early. */
async function beginning(response: Response): Promise<string> {
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
 * Returns the reason that an error response states: limited in length and without secrets; empty if there is
 * none.
 */
export function reasonIn(text: string, contentType: string | null, secrets: readonly string[]): string {
  // Text that was cut at the limit may end with the first part of a secret.
  const longest = Math.max(0, ...secrets.map((secret) => secret.length));
  const whole = text.length < REASON_BYTES ? text : text.slice(0, -2 * longest || undefined);
  const said = inJson(whole) ?? inXml(whole) ?? (/html/i.test(contentType ?? '') ? '' : whole);
  const clean = scrub(said, secrets);
  return clean.length > LONGEST_REASON ? `${clean.slice(0, LONGEST_REASON)}…` : clean;
}

function inJson(text: string): string | undefined {
  if (!/^\s*[{["]/.test(text)) return undefined;
  try {
    return reasonOf(JSON.parse(text), 0);
  } catch {
    return undefined;
  }
}

function reasonOf(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || depth > 3) return undefined;
  if (Array.isArray(value)) return reasonOf(value[0], depth + 1);
  for (const member of MEMBERS) {
    const found = reasonOf((value as Record<string, unknown>)[member], depth + 1);
    if (found) return found;
  }
  return undefined;
}

/** Reads the error format of S3-compatible stores. */
function inXml(text: string): string | undefined {
  return /<Message>([^<]*)<\/Message>/i.exec(text)?.[1];
}
