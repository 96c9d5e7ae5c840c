import { z } from 'zod';

/** Call of the Cloudflare API. */
export interface Call {
  method: string;
  /** Path without `/client/v4`, account and query. */
  path: string;
  query: URLSearchParams;
  /** Parsed JSON or upload form. */
  body: unknown;
  headers: Record<string, string | string[] | undefined>;
}

/** Error in the format of Cloudflare. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Result in the envelope of Cloudflare, with page information of lists. */
export interface Answer {
  result: unknown;
  result_info?: Record<string, unknown>;
}

export type Handler = (call: Call, parameters: string[]) => Answer | Promise<Answer>;
/** Route with method, path pattern and handler. */
export type Route = readonly [method: string, path: string, handler: Handler];

export const result = (value: unknown): Answer => ({ result: value });

/** Parses a body and rejects unknown members. */
export function parseBody<T>(schema: z.ZodType<T>, { body }: Call): T {
  const { success, data, error } = schema.safeParse(body);
  if (!success) throw new Refusal(400, 10001, `Invalid body: ${z.prettifyError(error)}`);
  return data;
}

/** Returns a numbered page of a list. */
export function buildResultPage(items: readonly unknown[], { query }: Call): Answer {
  const perPage = Number(query.get('per_page') ?? 20);
  const page = Number(query.get('page') ?? 1);
  if (!(perPage >= 1 && perPage <= 100)) throw new Refusal(400, 10002, 'per_page is from 1 to 100');
  const total_pages = Math.ceil(items.length / perPage);
  const shown = items.slice((page - 1) * perPage, page * perPage);
  return {
    result: shown,
    result_info: { page, per_page: perPage, count: shown.length, total_count: items.length, total_pages },
  };
}
