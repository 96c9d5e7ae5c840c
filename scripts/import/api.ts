import type { z } from 'zod';
import { getMessage, RequestFailure } from './failures.ts';
import { type Redactor, toPrintable } from './output.ts';
import { readText } from './read-body.ts';
import { type RetryPolicy, retryAfterMs, withRetries } from './retries.ts';

/** Maximum size of a JSON response in bytes. A page of documents contains their full texts. */
const MAX_RESPONSE_BYTES = 256 * 1024 * 1024;
const MAX_ERROR_BYTES = 64 * 1024;

interface Request {
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  /**
   * True if the request creates something. The request is not repeated if its success is unknown. The caller
   * then checks whether the object exists.
   */
  isCreating?: boolean;
}

interface Serialized extends Pick<Request, 'query'> {
  body: string | undefined;
}

/** Client of the source or target server of an import. Both servers offer LlamaCloud's API. */
export class Api {
  /** Name of the source or target server in error messages. */
  readonly name: string;
  readonly base: string;
  readonly retryPolicy: RetryPolicy;
  readonly #key: string;
  readonly #redactor: Redactor;

  constructor(name: string, base: string, key: string, retryPolicy: RetryPolicy, redactor: Redactor) {
    this.name = name;
    this.base = base;
    this.retryPolicy = retryPolicy;
    this.#key = key;
    this.#redactor = redactor;
  }

  /** Sends a request and parses the response with `schema`. Throws `RequestFailure`. */
  async call<Schema extends z.ZodType>(
    schema: Schema,
    method: string,
    path: string,
    request: Request = {},
  ): Promise<z.output<Schema>> {
    const what = `${method} ${toPrintable(path, 120)} of the ${this.name}`;
    const body = serializeBody(what, request.body);
    const text = await withRetries(
      this.retryPolicy,
      () => this.#send(what, method, path, { ...request, body }),
      (failure) => !(request.isCreating && failure.isAmbiguous),
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
      `${what}: the answer has an unexpected form: ${toPrintable(`${issue!.path.join('.')}: ${issue!.message}`)}`,
    );
  }

  async #send(what: string, method: string, path: string, request: Serialized): Promise<string> {
    const { silenceMs, answerMs } = this.retryPolicy;
    const response = await this.#fetch(what, method, path, request);
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      const location = response.headers.get('location') ?? 'nowhere';
      throw new RequestFailure(
        `${what}: it redirects to ${this.#clean(location)}. The key is not sent there. Use the final address of the server`,
        { status: response.status },
      );
    }
    const limits = { silenceMs, wholeMs: answerMs };
    if (response.ok) {
      return withContext(what, () => readText(response, { ...limits, most: MAX_RESPONSE_BYTES }));
    }
    const detail = await readText(response, { ...limits, most: MAX_ERROR_BYTES }).catch(() => '');
    const wait = retryAfterMs(response.headers.get('retry-after'));
    throw new RequestFailure(`${what}: ${response.status} ${this.#clean(readDetail(detail))}`.trim(), {
      status: response.status,
      isTransient: response.status === 429 || response.status === 408 || response.status >= 500,
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
        signal: AbortSignal.timeout(this.retryPolicy.answerMs),
      });
    } catch (cause) {
      throw new RequestFailure(`${what}: ${describeCause(cause)}`, { isTransient: true });
    }
  }

  /** Redacts secrets before shortening the text, because part of a secret would not be recognised. */
  #clean(text: string): string {
    return toPrintable(this.#redactor.clean(text));
  }
}

/** Serializes a request body as JSON. Values from a hostile source may be nested too deeply to serialize. */
function serializeBody(what: string, body: unknown): string | undefined {
  try {
    return body === undefined ? undefined : JSON.stringify(body);
  } catch {
    throw new RequestFailure(`${what}: the data to send is nested too deeply`);
  }
}

async function withContext<Result>(what: string, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (cause) {
    if (!(cause instanceof RequestFailure)) throw cause;
    throw new RequestFailure(`${what}: ${cause.message}`, { isTransient: cause.isTransient });
  }
}

/** Describes the cause of a failed request. The message of `fetch` itself is only "fetch failed". */
export function describeCause(cause: unknown): string {
  if (cause instanceof Error && cause.name === 'TimeoutError') return 'the server did not answer in time';
  const inner = cause instanceof Error ? (cause.cause as { code?: unknown } | undefined) : undefined;
  return typeof inner?.code === 'string' ? inner.code : getMessage(cause);
}

/** Returns the `detail` of an error response, or the whole text if it has none. */
function readDetail(text: string): string {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown };
    if (detail !== undefined) return typeof detail === 'string' ? detail : JSON.stringify(detail);
  } catch {
    // A text that is not JSON is returned unchanged.
  }
  return text;
}
