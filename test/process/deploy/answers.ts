import { z } from 'zod';

/** A call of the platform's API, as it came. */
export interface Call {
  method: string;
  /** Without `/client/v4`, account and query. */
  path: string;
  query: URLSearchParams;
  /** Parsed JSON, or the form of an upload. */
  body: unknown;
  headers: Record<string, string | string[] | undefined>;
}

/** An error as the platform answers it. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** `result` in the platform's envelope, with what listings say of their pages. */
export interface Answer {
  result: unknown;
  result_info?: Record<string, unknown>;
}

export type Handler = (call: Call, parameters: string[]) => Answer | Promise<Answer>;
/** A route: its method, its path with `*` for a part, and what it answers. */
export type Route = readonly [method: string, path: string, handler: Handler];

export const result = (value: unknown): Answer => ({ result: value });

/** A body is taken exactly as it is described, and anything else refused. */
export function bodyOf<T>(schema: z.ZodType<T>, { body }: Call): T {
  const { success, data, error } = schema.safeParse(body);
  if (!success) throw new Refusal(400, 10001, `Invalid body: ${z.prettifyError(error)}`);
  return data;
}

/** One page of a listing by number. */
export function pageOf(items: readonly unknown[], { query }: Call): Answer {
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
