import type { z } from 'zod';
import { messageOf, RequestFailure } from './failures.ts';
import { type Patience, retryAfterMs, withRetries } from './patience.ts';
import { textOf } from './read-body.ts';
import { printable, type Redactor } from './tell.ts';

/** Bytes of an answer in JSON; a page of documents holds their texts. */
const LARGEST_ANSWER = 256 * 1024 * 1024;
const LARGEST_ERROR = 64 * 1024;

interface Request {
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  /** It makes something: when nobody knows whether it did, it is not sent again, but the caller looks. */
  makes?: boolean;
}

interface Serialized extends Pick<Request, 'query'> {
  body: string | undefined;
}

/** One of the two servers, in the words of the original's API. */
export class Api {
  /** What its errors call it. */
  readonly name: string;
  readonly base: string;
  readonly patience: Patience;
  readonly #key: string;
  readonly #redactor: Redactor;

  constructor(name: string, base: string, key: string, patience: Patience, redactor: Redactor) {
    this.name = name;
    this.base = base;
    this.patience = patience;
    this.#key = key;
    this.#redactor = redactor;
  }

  /** The answer, as `schema` reads it. Throws RequestFailure. */
  async call<Schema extends z.ZodType>(
    schema: Schema,
    method: string,
    path: string,
    request: Request = {},
  ): Promise<z.output<Schema>> {
    const what = `${method} ${printable(path, 120)} of the ${this.name}`;
    const body = serialized(what, request.body);
    const text = await withRetries(
      this.patience,
      () => this.#send(what, method, path, { ...request, body }),
      (failure) => !(request.makes && failure.unsure),
    );
    let json: unknown;
    try {
      json = text === '' ? undefined : JSON.parse(text);
    } catch {
      throw new RequestFailure(`${what}: the answer is not JSON`);
    }
    const read = schema.safeParse(json);
    if (read.success) return read.data;
    const [issue] = read.error.issues;
    throw new RequestFailure(
      `${what}: the answer has another shape: ${printable(`${issue!.path.join('.')}: ${issue!.message}`)}`,
    );
  }

  async #send(what: string, method: string, path: string, request: Serialized): Promise<string> {
    const { silenceMs, answerMs } = this.patience;
    const response = await this.#fetch(what, method, path, request);
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      const place = response.headers.get('location') ?? 'nowhere';
      throw new RequestFailure(
        `${what}: it redirects to ${this.#clean(place)}. The key is not sent there; give the address that answers itself`,
        { status: response.status },
      );
    }
    const limits = { silenceMs, wholeMs: answerMs };
    if (response.ok) {
      return within(what, () => textOf(response, { ...limits, most: LARGEST_ANSWER }));
    }
    const detail = await textOf(response, { ...limits, most: LARGEST_ERROR }).catch(() => '');
    const wait = retryAfterMs(response.headers.get('retry-after'));
    throw new RequestFailure(`${what}: ${response.status} ${this.#clean(detailOf(detail))}`.trim(), {
      status: response.status,
      passing: response.status === 429 || response.status === 408 || response.status >= 500,
      ...(wait !== undefined && { retryAfterMs: wait }),
    });
  }

  async #fetch(what: string, method: string, path: string, request: Serialized): Promise<Response> {
    const url = new URL(this.base + path);
    for (const [name, value] of Object.entries(request.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    try {
      return await fetch(url, {
        method,
        redirect: 'manual',
        headers: {
          authorization: `Bearer ${this.#key}`,
          accept: 'application/json',
          ...(request.body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(request.body !== undefined && { body: request.body }),
        signal: AbortSignal.timeout(this.patience.answerMs),
      });
    } catch (cause) {
      throw new RequestFailure(`${what}: ${reasonOf(cause)}`, { passing: true });
    }
  }

  /** Before it is cut: half a secret is one, too. */
  #clean(text: string): string {
    return printable(this.#redactor.clean(text));
  }
}

/** What a hostile source has nested has no end, but the stack has. */
function serialized(what: string, body: unknown): string | undefined {
  try {
    return body === undefined ? undefined : JSON.stringify(body);
  } catch {
    throw new RequestFailure(`${what}: what it should send is too deep`);
  }
}

async function within<Result>(what: string, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (cause) {
    if (!(cause instanceof RequestFailure)) throw cause;
    throw new RequestFailure(`${what}: ${cause.message}`, { passing: cause.passing });
  }
}

/** `fetch failed` says nothing; its cause does. */
export function reasonOf(cause: unknown): string {
  if (cause instanceof Error && cause.name === 'TimeoutError') return 'no answer in time';
  const inner = cause instanceof Error ? (cause.cause as { code?: unknown } | undefined) : undefined;
  return typeof inner?.code === 'string' ? inner.code : messageOf(cause);
}

/** The sentence of an error's body, where it has one. */
function detailOf(text: string): string {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown };
    if (detail !== undefined) return typeof detail === 'string' ? detail : JSON.stringify(detail);
  } catch {
    // As it came.
  }
  return text;
}
