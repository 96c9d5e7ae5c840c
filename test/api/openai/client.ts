import { env } from 'cloudflare:workers';
import OpenAI from 'openai';
import { startWith } from '#test/support/configured.ts';
import { BASE } from '#test/support/fetch-service.ts';

/** Creates an unmodified client of OpenAI that calls the service. */
export function createClient(settings: Record<string, string> = {}, apiKey = String(env.BOOTSTRAP_API_KEY)) {
  const service = startWith(settings);
  const fetch = (input: RequestInfo | URL, init?: RequestInit) => service(new Request(input, init));
  return new OpenAI({ baseURL: `${BASE}/openai/v1`, apiKey, fetch, maxRetries: 0 });
}
