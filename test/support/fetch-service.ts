import { env, exports } from 'cloudflare:workers';

export const BASE = 'http://sluice.test';

export type Init = {
  key?: string | null;
  headers?: Record<string, string>;
  body?: unknown;
  raw?: BodyInit;
};

export function fetchService(method: string, path: string, init: Init = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const key = init.key === undefined ? String(env.BOOTSTRAP_API_KEY) : init.key;
  if (key !== null) headers.set('authorization', `Bearer ${key}`);
  if (init.body !== undefined && !headers.has('content-type'))
    headers.set('content-type', 'application/json');
  const body = init.raw ?? (init.body === undefined ? undefined : JSON.stringify(init.body));
  const worker = (exports as unknown as { default: Fetcher }).default;
  return worker.fetch(new Request(`${BASE}${path}`, { method, headers, body }));
}
