import { t } from '../i18n/messages.ts';
import { buildUrl, notifySignedOut } from './client.ts';
import { ApiError } from './errors.ts';
import { toFolder } from './folders.ts';
import type { Answer } from './types.ts';

export type StoredFile = Answer<'POST /api/v1/files'>;

/** Maximum length of a file's `external_file_id` in characters. */
const MAX_EXTERNAL_ID_LENGTH = 3000;

/**
 * Uploads a file and reports how many of its bytes have been sent. The code uses `XMLHttpRequest`, because
 * `fetch` reports no upload progress. For a file from a chosen folder, `path` becomes the `external_file_id`, and
 * the folders in it become the folder of the file. Rejects with an `ApiError` if the upload fails.
 */
export function uploadFile(
  { file, path, folder }: { file: File; path: string | undefined; folder: string | undefined },
  projectId: string | undefined,
  onProgress: (sent: number) => void,
  signal: AbortSignal,
): Promise<StoredFile> {
  const form = new FormData();
  form.append('upload_file', file, file.name);
  form.append(
    'folder',
    toFolder(path === undefined ? (folder ?? '') : path.split('/').slice(0, -1).join('/')),
  );
  const request = new XMLHttpRequest();
  const answered = new Promise<StoredFile>((resolve, reject) => {
    request.upload.onprogress = ({ loaded }) => onProgress(Math.min(loaded, file.size));
    request.onload = () => {
      const payload = parseJson(request.responseText);
      if (request.status < 300) return resolve(payload as StoredFile);
      if (request.status === 401) notifySignedOut();
      reject(new ApiError(request.status, payload, readHeaders(request)));
    };
    request.onerror = () => reject(new ApiError(0, undefined));
    request.onabort = () => reject(new DOMException(t('The upload was cancelled.'), 'AbortError'));
  });
  signal.addEventListener('abort', () => request.abort());
  const externalId = path !== undefined && path.length <= MAX_EXTERNAL_ID_LENGTH ? path : undefined;
  const query = { project_id: projectId, external_file_id: externalId };
  request.open('POST', buildUrl({ path: '/api/v1/files', query }));
  request.send(form);
  return answered;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readHeaders(request: XMLHttpRequest): Headers {
  const headers = new Headers();
  for (const name of ['retry-after', 'x-request-id']) {
    const value = request.getResponseHeader(name);
    if (value) headers.set(name, value);
  }
  return headers;
}
