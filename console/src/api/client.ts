import { ApiError } from './errors.ts';
import type { Answer, Input, Operation } from './types.ts';

export interface Request {
  /** In capitals. */
  method: string;
  path: string;
  params?: Record<string, unknown> | undefined;
  query?: Record<string, unknown> | undefined;
  body?: unknown;
}

/** Which project requests act on that name none; the shell sets it from the address of the page. */
let projectId: string | undefined;
export const actOnProject = (id: string | undefined) => {
  projectId = id;
};

/** Called when the service no longer knows who asks. */
let onSignedOut: () => void = () => {};
export const whenSignedOut = (listener: () => void) => {
  onSignedOut = listener;
};
/** For what asks in another way than `send`. */
export const tellSignedOut = () => onSignedOut();

/** The address of an operation on this origin, for pictures and downloads too. */
export function addressOf({ path, params = {}, query = {} }: Omit<Request, 'method'>): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const search = new URLSearchParams();
  const asked = path === '/api/v1/session' ? query : { project_id: projectId, ...query };
  for (const [name, value] of Object.entries(asked)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null && each !== '') search.append(name, String(each));
    }
  }
  return search.size > 0 ? `${filled}?${search}` : filled;
}

/** Asks an operation. Rejects with an ApiError, and with an AbortError when `signal` is aborted. */
export async function call<Name extends Operation>(
  operation: Name,
  input: Input<Name>,
  signal?: AbortSignal,
): Promise<Answer<Name>> {
  return (await send(requestOf(operation, input), signal)) as Answer<Name>;
}

/** A request as it can be sent, and shown as code. */
export function requestOf<Name extends Operation>(operation: Name, input: Input<Name>): Request {
  const [method, path] = operation.split(' ') as [string, string];
  const { params, query, body } = input as Omit<Request, 'method' | 'path'>;
  return { method, path, params, query, body };
}

/** The same for what is put together while the page runs. */
export async function send(request: Request, signal?: AbortSignal): Promise<unknown> {
  const { method, body } = request;
  const isForm = body instanceof FormData;
  const init: RequestInit = {
    method,
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    ...(body !== undefined && !isForm && { headers: { 'content-type': 'application/json' } }),
    ...(signal && { signal }),
  };
  const answer = await fetch(addressOf(request), init).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(0, undefined);
  });
  if (!answer.ok) throw await failureOf(answer, request.path);
  if (answer.status === 204) return undefined;
  return isJson(answer) ? answer.json() : answer;
}

const isJson = (answer: Response) => answer.headers.get('content-type')?.includes('json') ?? false;

/** What an answer that is no success says; the shell is told when the service no longer knows who asks. */
export async function failureOf(answer: Response, path: string): Promise<ApiError> {
  const said: unknown = isJson(answer) ? await answer.json().catch(() => undefined) : undefined;
  if (answer.status === 401 && path !== '/api/v1/session') onSignedOut();
  return new ApiError(answer.status, said, answer.headers);
}
