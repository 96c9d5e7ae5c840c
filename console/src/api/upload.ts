import { addressOf, tellSignedOut } from './client.ts';
import { ApiError } from './errors.ts';
import type { Answer } from './types.ts';

export type StoredFile = Answer<'POST /api/v1/files'>;

/** Uploads a file and tells how many of its bytes have gone, which `fetch` cannot. Rejects as `call` does. */
export function uploadFile(
  file: File,
  projectId: string | undefined,
  onProgress: (sent: number) => void,
  signal: AbortSignal,
): Promise<StoredFile> {
  const form = new FormData();
  form.append('upload_file', file);
  const request = new XMLHttpRequest();
  const answered = new Promise<StoredFile>((resolve, reject) => {
    request.upload.onprogress = ({ loaded }) => onProgress(Math.min(loaded, file.size));
    request.onload = () => {
      const said = parsed(request.responseText);
      if (request.status < 300) return resolve(said as StoredFile);
      if (request.status === 401) tellSignedOut();
      reject(new ApiError(request.status, said, headersOf(request)));
    };
    request.onerror = () => reject(new ApiError(0, undefined));
    request.onabort = () => reject(new DOMException('The upload was cancelled.', 'AbortError'));
  });
  signal.addEventListener('abort', () => request.abort());
  request.open('POST', addressOf({ path: '/api/v1/files', query: { project_id: projectId } }));
  request.send(form);
  return answered;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function headersOf(request: XMLHttpRequest): Headers {
  const headers = new Headers();
  for (const name of ['retry-after', 'x-request-id']) {
    const value = request.getResponseHeader(name);
    if (value) headers.set(name, value);
  }
  return headers;
}
