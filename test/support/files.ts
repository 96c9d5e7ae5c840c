import { env } from 'cloudflare:workers';
import { BASE, call, fetchService } from './client.ts';

export interface FileBody {
  id: string;
  name: string;
  file_size: number | null;
  file_type: string | null;
  external_file_id: string | null;
}

export interface UrlBody {
  url: string;
  expires_at: string;
  form_fields: null;
  file_id: string;
}

/** Requests a presigned URL without a key. */
export function follow(
  url: string,
  method = 'GET',
  init: { headers?: Record<string, string>; raw?: BodyInit } = {},
) {
  return fetchService(method, url.replace(BASE, ''), { key: null, ...init });
}

export async function presignedUpload(
  body: Record<string, unknown>,
  init: { key?: string; query?: string } = {},
): Promise<UrlBody> {
  const answer = await call<UrlBody>('PUT', `/api/v1/files${init.query ?? ''}`, {
    body,
    ...(init.key && { key: init.key }),
  });
  if (answer.status !== 200) throw new Error(`presign: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

export async function multipart(path: string, parts: Record<string, string | File>, key?: string) {
  const form = new FormData();
  for (const [name, value] of Object.entries(parts)) form.append(name, value as string);
  const request = new Request(BASE, { method: 'POST', body: form });
  return call<FileBody>('POST', path, {
    headers: { 'content-type': request.headers.get('content-type')! },
    raw: await request.arrayBuffer(),
    ...(key && { key }),
  });
}

export async function keysUnder(prefix: string): Promise<string[]> {
  const { objects } = await env.FILES.list({ prefix });
  return objects.map((object) => object.key);
}

/** Returns the body as text for any content type. */
export const textOf = async (response: Response) => new TextDecoder().decode(await response.arrayBuffer());
