import { env, exports } from 'cloudflare:workers';

export const BASE = 'http://sluice.test';

export interface Answer<Body = Record<string, unknown>> {
  status: number;
  headers: Headers;
  body: Body;
}

type Init = { key?: string | null; headers?: Record<string, string>; body?: unknown; raw?: BodyInit };

/** Calls the service as a client would. `key` null sends no credentials; absent sends the first key. */
export async function call<Body = Record<string, never>>(
  method: string,
  path: string,
  init: Init = {},
): Promise<Answer<Body>> {
  return answerOf(await fetchService(method, path, init));
}

export async function answerOf<Body>(response: Response): Promise<Answer<Body>> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  return {
    status: response.status,
    headers: response.headers,
    body: (isJson && text ? JSON.parse(text) : text) as Body,
  };
}

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

/** Uploads bytes as a file and gives its id. */
export async function upload(
  name: string,
  content: string | Uint8Array,
  init: { key?: string; query?: string } = {},
): Promise<string> {
  const form = new FormData();
  form.append('upload_file', new File([content as string], name));
  const request = new Request(BASE, { method: 'POST', body: form });
  const answer = await call<{ id: string }>('POST', `/api/v1/files${init.query ?? ''}`, {
    ...(init.key !== undefined && { key: init.key }),
    headers: { 'content-type': request.headers.get('content-type')! },
    raw: await request.arrayBuffer(),
  });
  if (answer.status !== 200) throw new Error(`upload: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body.id;
}
