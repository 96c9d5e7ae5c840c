import type { z } from 'zod';
import type { ModelDeps } from '#src/models/definition/definition.ts';

/** Maximum bytes of an answer: 2048 vectors of 1536 written numbers. */
export const MOST_BYTES = 64 * 2 ** 20;

interface Call {
  headers: Record<string, string> | Headers;
  body: string;
  signal: AbortSignal;
}

interface Endpoint {
  /** Name of the endpoint in error messages. */
  name: string;
  seconds: number;
  /** Secrets besides those in headers. */
  secrets?: readonly string[];
}

/** Posts requests to a provider and parses the answers, for drivers that do not use the SDK. */
export function embeddingHttp(deps: ModelDeps, { name, seconds, secrets }: Endpoint) {
  const rules = { name, silenceSeconds: seconds, totalSeconds: seconds, maxBytes: MOST_BYTES };
  const http = deps.http({ ...rules, ...(secrets && { secrets }) });
  return async <T>(url: string, call: Call, schema: z.ZodType<T>): Promise<T> => {
    const response = await http.request(url, { method: 'POST', ...call }, { what: 'vectors' });
    return http.json(response, schema);
  };
}
