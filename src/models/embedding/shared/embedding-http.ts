import type { z } from 'zod';
import type { ModelDeps } from '#src/models/definition/definition.ts';

/**
 * Maximum size of an answer in bytes. It is enough for 2,048 vectors with 1,536 numbers in decimal notation.
 */
export const MAX_ANSWER_BYTES = 64 * 2 ** 20;

interface Call {
  headers: Record<string, string> | Headers;
  body: string;
  signal: AbortSignal;
}

interface Endpoint {
  name: string;
  seconds: number;
  /** Secrets in requests in addition to those in headers. They are removed from error messages. */
  secrets?: readonly string[];
}

/**
 * Creates a function that posts a request to an embedding provider and parses the answer, for drivers that do
 * not use the SDK.
 */
export function createEmbeddingHttp(deps: ModelDeps, { name, seconds, secrets }: Endpoint) {
  const rules = { name, silenceSeconds: seconds, totalSeconds: seconds, maxBytes: MAX_ANSWER_BYTES };
  const http = deps.http({ ...rules, ...(secrets && { secrets }) });
  return async <T>(url: string, call: Call, schema: z.ZodType<T>): Promise<T> => {
    const response = await http.request(url, { method: 'POST', ...call }, { what: 'vectors' });
    return http.json(response, schema);
  };
}
