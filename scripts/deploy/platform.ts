import { z } from 'zod';
import { printable } from '../import/tell.ts';
import { DeployFailure, PlatformFailure } from './failures.ts';

/** Where the platform's API is; wrangler reads the same variable. */
const apiBase = () => process.env.CLOUDFLARE_API_BASE_URL ?? 'https://api.cloudflare.com/client/v4';

const ATTEMPTS = 5;
const NOTICED_MS = 10;
/** Longest that the platform's wish to be left alone is followed; its limits are of five minutes. */
const LONGEST_WAIT_S = 330;

const PAGE_SIZE = 100;
const MOST_PAGES = 1000;

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

/** 410 stands for what was there once. */
const isAbsent = (cause: unknown) => cause instanceof PlatformFailure && [404, 410].includes(cause.status);

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The platform's REST API, as far as a deployment needs what wrangler does not do. */
export class Platform {
  readonly #token: string;

  constructor(token: string) {
    this.#token = token;
  }

  async get<T>(path: string, schema: z.ZodType<T>): Promise<T> {
    return schema.parse((await this.#call('GET', path)).result);
  }

  /** Undefined where the platform knows nothing under this path. */
  async find<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
    try {
      return await this.get(path, schema);
    } catch (cause) {
      if (isAbsent(cause)) return undefined;
      throw cause;
    }
  }

  /** All pages of a listing. */
  async list<T>(path: string, item: z.ZodType<T>): Promise<T[]> {
    const items: T[] = [];
    for (let page = 1; page <= MOST_PAGES; page += 1) {
      const query = { page, per_page: PAGE_SIZE };
      const { result, result_info: info } = await this.#call('GET', withQuery(path, query));
      const found = z.array(item).parse(result ?? []);
      items.push(...found);
      // Not every listing says how many pages it has.
      const isLast = info?.total_pages === undefined ? found.length < PAGE_SIZE : page >= info.total_pages;
      if (isLast) return items;
    }
    throw new DeployFailure(`${path} does not end.`);
  }

  /** One page of a listing that goes on from a cursor; the next cursor is undefined at its end. */
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

  /** What is gone already counts as removed. */
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
        // Whether a write was done, nobody knows; the next run looks.
        if (!last && method !== 'POST') return undefined;
        throw new DeployFailure(`The platform's API is out of reach (${method} ${path}): ${reason(cause)}`);
      });
      const again = response && !last && isPassing(response.status, method);
      if (response && !again) return this.#read(response, method, path);
      const asked = Number(response?.headers.get('retry-after') ?? attempt);
      await wait(Math.min(Number.isFinite(asked) ? asked : attempt, LONGEST_WAIT_S) * 1000);
    }
  }

  async #fetch(method: string, path: string, body: unknown): Promise<Response> {
    // While wrangler ran nothing else did: connections that the platform has closed meanwhile are to be noticed first.
    await wait(NOTICED_MS);
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
    const { data } = answerSchema.safeParse(parsed(text));
    if (response.ok && data?.success) return data;
    const [error] = data?.errors ?? [];
    const said = printable(error?.message ?? (text || 'nothing'));
    throw new PlatformFailure(`${method} ${path}`, path, response.status, error?.code ?? 0, said);
  }
}

/** Too many requests, and the platform's own troubles where doing it twice does no harm. */
const isPassing = (status: number, method: string) => status === 429 || (status >= 500 && method !== 'POST');

const reason = (cause: unknown) =>
  cause instanceof Error
    ? printable(String(cause.cause instanceof Error ? cause.cause.message : cause.message))
    : '';

function parsed(text: string): unknown {
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
