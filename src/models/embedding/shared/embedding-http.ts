import type { z } from 'zod';
import type { ModelDeps } from '#src/models/definition/definition.ts';

/** A batch of 2048 vectors of 1536 numbers each, written out. */
export const MOST_BYTES = 64 * 2 ** 20;

interface Call {
  headers: Record<string, string> | Headers;
  body: string;
  signal: AbortSignal;
}

interface Endpoint {
  /** How errors name it. */
  name: string;
  seconds: number;
  /** Besides those that headers carry. */
  secrets?: readonly string[];
}

/** Posts to a provider and reads its answer, for drivers that write their own requests. */
export function embeddingHttp(deps: ModelDeps, { name, seconds, secrets }: Endpoint) {
  const rules = { name, silenceSeconds: seconds, totalSeconds: seconds, maxBytes: MOST_BYTES };
  const http = deps.http({ ...rules, ...(secrets && { secrets }) });
  return async <T>(url: string, call: Call, schema: z.ZodType<T>): Promise<T> => {
    const response = await http.request(url, { method: 'POST', ...call }, { what: 'vectors' });
    return http.json(response, schema);
  };
}
