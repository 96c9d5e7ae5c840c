import { z } from 'zod';
import { toPrintable } from '../import/output.ts';
import { DeployFailure, PlatformFailure } from './failures.ts';

/** Returns the base URL of Cloudflare's API. wrangler reads the same variable. */
const apiBase = () => process.env.CLOUDFLARE_API_BASE_URL ?? 'https://api.cloudflare.com/client/v4';

const ATTEMPTS = 5;
const CLOSE_NOTICE_MS = 10;
/**
 * Maximum waiting time in seconds that is accepted from a `Retry-After` header. Cloudflare's rate limits
 * apply to periods of five minutes.
 */
const MAX_WAIT_S = 330;

const PAGE_SIZE = 100;
const MAX_PAGES = 1000;

const answerSchema = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ code: z.number(), message: z.string() })).nullish(),
  result: z.unknown(),
  result_info: z
    .object({
      total_pages: z.number().optional(),
      cursor: z.string().optional(),
      is_truncated: z.union([z.boolean(), z.string()]).optional(),
    })
    .nullish(),
});
type Answer = z.infer<typeof answerSchema>;

/** Returns true for 404, and for 410, which is returned for deleted resources. */
const isAbsent = (cause: unknown) => cause instanceof PlatformFailure && [404, 410].includes(cause.status);

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Client of Cloudflare's REST API for everything that wrangler does not do. */
export class Platform {
  readonly #token: string;

  constructor(token: string) {
    this.#token = token;
  }

  async get<T>(path: string, schema: z.ZodType<T>): Promise<T> {
    return schema.parse((await this.#call('GET', path)).result);
  }

  /** Reads the resource at a path of Cloudflare's API. Returns `undefined` if the resource does not exist. */
  async find<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
    try {
      return await this.get(path, schema);
    } catch (cause) {
      if (isAbsent(cause)) return undefined;
      throw cause;
    }
  }

  /** Reads all pages of a list of Cloudflare's API and returns their items. */
  async list<T>(path: string, item: z.ZodType<T>): Promise<T[]> {
    const items: T[] = [];
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      const query = { page, per_page: PAGE_SIZE };
      const { result, result_info: info } = await this.#call('GET', withQuery(path, query));
      const found = z.array(item).parse(result ?? []);
      items.push(...found);
      // Some lists do not report their number of pages. They end with a page that is not full.
      const isLast = info?.total_pages === undefined ? found.length < PAGE_SIZE : page >= info.total_pages;
      if (isLast) return items;
    }
    throw new DeployFailure(`The list ${path} of Cloudflare does not end.`);
  }

  /** Returns one page of a list with cursors. `next` is absent on the last page. */
  async page<T>(path: string, item: z.ZodType<T>, cursor?: string): Promise<{ items: T[]; next?: string }> {
    const { result, result_info: info } = await this.#call(
      'GET',
      withQuery(path, { cursor, per_page: 1000 }),
    );
    const more = info?.is_truncated === true || info?.is_truncated === 'true';
    return { items: z.array(item).parse(result ?? []), ...(more && info?.cursor && { next: info.cursor }) };
  }

  async send<T>(method: 'POST' | 'PUT', path: string, body: unknown, schema: z.ZodType<T>): Promise<T> {
    return schema.parse((await this.#call(method, path, body)).result);
  }

  /** Deletes a resource. A resource that no longer exists counts as deleted. */
  async remove(path: string): Promise<void> {
    try {
      await this.#call('DELETE', path);
    } catch (cause) {
      if (!isAbsent(cause)) throw cause;
    }
  }

  async #call(method: string, path: string, body?: unknown): Promise<Answer> {
    for (let attempt = 1; ; attempt += 1) {
      const last = attempt === ATTEMPTS;
      const response = await this.#fetch(method, path, body).catch((cause: unknown) => {
        // A POST request is not repeated, because Cloudflare may have executed the request before the
        // failure. The next run of the command finds out.
        if (!last && method !== 'POST') return undefined;
        throw new DeployFailure(`The Cloudflare API cannot be reached (${method} ${path}): ${reason(cause)}`);
      });
      const isRetry = response && !last && isTransient(response.status, method);
      if (response && !isRetry) return this.#read(response, method, path);
      const retryAfter = Number(response?.headers.get('retry-after') ?? attempt);
      await wait(Math.min(Number.isFinite(retryAfter) ? retryAfter : attempt, MAX_WAIT_S) * 1000);
    }
  }

  async #fetch(method: string, path: string, body: unknown): Promise<Response> {
    // This process is blocked while wrangler runs. The pause lets Node notice connections that Cloudflare has
    // closed in the meantime.
    await wait(CLOSE_NOTICE_MS);
    return fetch(apiBase() + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    });
  }

  async #read(response: Response, method: string, path: string): Promise<Answer> {
    const text = await response.text();
    const { data } = answerSchema.safeParse(parseJson(text));
    if (response.ok && data?.success) return data;
    const [error] = data?.errors ?? [];
    const message = toPrintable(error?.message ?? (text || 'an empty response'));
    throw new PlatformFailure(`${method} ${path}`, path, response.status, error?.code ?? 0, message);
  }
}

/**
 * Returns true for errors that a retry may resolve: rate limits, and server errors of requests that can
 * safely be repeated.
 */
const isTransient = (status: number, method: string) =>
  status === 429 || (status >= 500 && method !== 'POST');

const reason = (cause: unknown) =>
  cause instanceof Error
    ? toPrintable(String(cause.cause instanceof Error ? cause.cause.message : cause.message))
    : '';

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function withQuery(path: string, query: Record<string, string | number | undefined>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return `${path}${path.includes('?') ? '&' : '?'}${parameters}`;
}
