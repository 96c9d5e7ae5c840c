import { t } from '../i18n/messages.ts';
import { mayRequest } from './deletions.ts';
import { ApiError } from './errors.ts';
import type { Answer, Input, Operation } from './types.ts';

export interface Request {
  method: string;
  path: string;
  params?: Record<string, unknown> | undefined;
  query?: Record<string, unknown> | undefined;
  body?: unknown;
}

/**
 * Id of the project that is added to API requests without a project of their own. `undefined` stands for the
 * caller's default project.
 */
let projectId: string | undefined;
export const setCurrentProject = (id: string | undefined) => {
  projectId = id;
};

/** Called when the service answers 401, which means that the session has ended. */
let onSignedOut: () => void = () => {};
export const setSignedOutListener = (listener: () => void) => {
  onSignedOut = listener;
};
/** Reports that the session has ended. Uploads call this function, because they do not use `send`. */
export const notifySignedOut = () => onSignedOut();

/**
 * Builds the URL of an API operation, relative to the console's origin. Images and downloads use the same
 * URL.
 */
export function buildUrl({ path, params = {}, query = {} }: Omit<Request, 'method'>): string {
  const filledPath = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(params[name])),
  );
  const search = new URLSearchParams();
  const allQuery = path === '/api/v1/session' ? query : { project_id: projectId, ...query };
  for (const [name, value] of Object.entries(allQuery)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null && each !== '') search.append(name, String(each));
    }
  }
  return search.size > 0 ? `${filledPath}?${search}` : filledPath;
}

/**
 * Calls an operation of the API. Rejects with an `ApiError`, or with an `AbortError` if `signal` is aborted.
 */
export async function call<Name extends Operation>(
  operation: Name,
  input: Input<Name>,
  signal?: AbortSignal,
): Promise<Answer<Name>> {
  return (await send(buildRequest(operation, input), signal)) as Answer<Name>;
}

/** Builds the request of an operation, which can be sent or shown as a code sample. */
export function buildRequest<Name extends Operation>(operation: Name, input: Input<Name>): Request {
  const [method, path] = operation.split(' ') as [string, string];
  const { params, query, body } = input as Omit<Request, 'method' | 'path'>;
  return { method, path, params, query, body };
}

/**
 * Sends an API request whose operation is only known at run time. Rejects with an `ApiError`, or with an
 * `AbortError` if `signal` is aborted.
 */
export async function send(request: Request, signal?: AbortSignal): Promise<unknown> {
  const { method, body } = request;
  if (method === 'GET' && !(await mayRequest(request.params))) {
    throw new ApiError(404, { detail: t('This item was deleted.') });
  }
  const isForm = body instanceof FormData;
  const init: RequestInit = {
    method,
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    ...(body !== undefined && !isForm && { headers: { 'content-type': 'application/json' } }),
    ...(signal && { signal }),
  };
  const answer = await fetch(buildUrl(request), init).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(0, undefined);
  });
  if (!answer.ok) throw await readApiError(answer, request.path);
  if (answer.status === 204) return undefined;
  return isJson(answer) ? answer.json() : answer;
}

const isJson = (answer: Response) => answer.headers.get('content-type')?.includes('json') ?? false;

/**
 * Converts a failed HTTP response into an `ApiError`. A response with status 401 also reports that the
 * session has ended.
 */
export async function readApiError(answer: Response, path: string): Promise<ApiError> {
  const payload: unknown = isJson(answer) ? await answer.json().catch(() => undefined) : undefined;
  if (answer.status === 401 && path !== '/api/v1/session') onSignedOut();
  return new ApiError(answer.status, payload, answer.headers);
}
