import { checkAgainstDescription } from './check-answer.ts';
import { BASE, fetchService, type Init } from './fetch-service.ts';

export { BASE, fetchService };

export interface Answer<Body = Record<string, unknown>> {
  status: number;
  headers: Headers;
  body: Body;
}

/**
 * Calls the service like a client and checks the answer against the API description. If `key` is null, no
 * credentials are sent. By default, the first key is used.
 */
export async function call<Body = Record<string, never>>(
  method: string,
  path: string,
  init: Init = {},
): Promise<Answer<Body>> {
  const answer = await answerOf<Body>(await fetchService(method, path, init));
  await checkAgainstDescription(method, path, answer);
  return answer;
}

export async function answerOf<Body>(response: Response): Promise<Answer<Body>> {
  const text = await response.text();
  // JSON Lines have the type application/x-ndjson and are no JSON as a whole.
  const isJson = /[/+]json\b/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    body: (isJson && text ? JSON.parse(text) : text) as Body,
  };
}

/** Uploads bytes as a file and returns the file id. */
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
