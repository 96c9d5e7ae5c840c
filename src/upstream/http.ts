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

/** Bytes of an answer that are searched for a reason, and characters of it that a message repeats. */
const REASON_BYTES = 16 * 1024;

const LONGEST_REASON = 300;

/** Where vendors put their reason; what they hold may again be such an object. */
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
  /** A status that is worth a retry here although it is none elsewhere. */
  alsoRetryable?: boolean | ((status: number) => boolean);
}

/**
 * HTTP to a system that may hang, lie or break off at any moment. All that goes wrong over there is an Upstream;
 * an address that may not be called is a BadRequest, and an abort rejects with the signal's reason.
 */
export interface UpstreamHttp {
  /** Resolves with the headers whatever the status. Its body is watched too, however it is read. */
  fetch(input: Request | URL | string, init?: RequestInit): Promise<Response>;
  /** As fetch, but a status other than 2xx rejects with the `failure` of it. */
  request(
    input: Request | URL | string,
    init?: RequestInit,
    options?: FailureOptions & { what?: string },
  ): Promise<Response>;
  /** Rejects for an answer that has no body by its status, or a part of one: what is read must not pass for the whole. */
  body(response: Response): AsyncGenerator<Uint8Array>;
  text(response: Response): Promise<string>;
  /** What is no JSON, as from an interrupted proxy, is worth a retry; JSON of another shape is not. */
  json<T = unknown>(response: Response, schema?: z.ZodType<T>): Promise<T>;
  /**
   * The error for an answer that is none. `what` was asked for: "the list of objects". Reads the body for a reason,
   * within bounds and without secrets.
   */
  failure(response: Response, what?: string, options?: FailureOptions): Promise<Upstream>;
}

/** Of a body that is read whole, where the rules name no limit: what fits an isolate beside its work. */
const LONGEST_WHOLE = 64 * 1024 * 1024;
const REASON_SECONDS = 5;
/** Successful statuses of answers that have no body. */
const BODILESS = new Set([204, 205]);
/** A longer wait is left to the owner of the work, which need not stay awake for it. Seconds. */
const LONGEST_WAIT_IN_PLACE = 5;
const RETRIES = { first: 0.5, longest: LONGEST_WAIT_IN_PLACE };
/** What a 429 without a Retry-After is given. Seconds. */
const BRIEF_WAIT = 1;

/** HTTP under the rules. The same object serves any number of calls. */
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

/** The same as a `fetch`, for libraries that take one; they report statuses themselves. */
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

/** As much of a body as a reason may need; what breaks on the way, or drips, has given enough. */
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

/** Why a call failed, as the answer tells: bounded, without secrets; empty when it tells nothing readable. */
export function reasonIn(text: string, contentType: string | null, secrets: readonly string[]): string {
  // What was cut at the limit may end with the first half of a secret.
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

/** As stores of the S3 protocol answer. */
function inXml(text: string): string | undefined {
  return /<Message>([^<]*)<\/Message>/i.exec(text)?.[1];
}
