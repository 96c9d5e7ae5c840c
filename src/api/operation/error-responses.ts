import { headers } from '../http/response-headers.ts';

/** Name and meaning of each error status in the description. */
const ANSWERS = {
  400: ['BadRequest', 'The request cannot be done as it stands'],
  401: ['Unauthenticated', 'Missing or invalid credentials'],
  402: ['LimitReached', 'The project has no more of what `limit` names'],
  403: ['Forbidden', 'Not allowed to this caller'],
  404: ['NotFound', 'No such resource for this caller'],
  409: ['Conflict', 'In conflict with what is stored, or changed by somebody else at the same time'],
  413: ['TooLarge', 'The body is too large'],
  415: ['UnsupportedMediaType', 'The body has another content type than this operation takes'],
  422: ['Invalid', 'Validation error'],
  429: ['RateLimited', 'Too many requests; Retry-After says when to come again'],
  500: ['Internal', 'Something went wrong on the side of the service'],
  502: ['Upstream', 'A system that the service calls refused or failed'],
  503: ['Unavailable', 'Not possible at this moment; Retry-After says when to come again'],
} as const;

export type ErrorStatus = keyof typeof ANSWERS;

/** Statuses whose error may be retryable and then carries Retry-After. */
const RETRYABLE = new Set<ErrorStatus>([409, 429, 500, 502, 503]);

interface Traits {
  isPublic: boolean;
  /** Whether the operation changes anything: all methods except GET. */
  changes: boolean;
  /** Whether the operation takes ids or a scope, which may be inaccessible. */
  namesThings: boolean;
  hasBody: boolean;
  also: readonly ErrorStatus[];
}

/** Returns all error responses of an operation, for its description. */
export function errorResponses({ isPublic, changes, namesThings, hasBody, also }: Traits) {
  return referTo([
    ...(isPublic ? [] : ([401, 403] as const)),
    ...(namesThings ? [404 as const] : []),
    ...(changes ? [409 as const] : []),
    ...(hasBody ? ([413, 415] as const) : []),
    ...([422, 429, 500, 503] as const),
    ...also,
  ]);
}

/** Returns references to the shared responses of the description. */
export function referTo(statuses: readonly ErrorStatus[]) {
  return Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${ANSWERS[status][0]}` }]),
  );
}

/** Shared error responses by name. */
export const ERROR_RESPONSES = Object.fromEntries(
  Object.entries(ANSWERS).map(([status, [name, description]]) => [
    name,
    failure(Number(status) as ErrorStatus, name, description),
  ]),
);

function failure(status: ErrorStatus, name: string, description: string) {
  const schema = { $ref: `#/components/schemas/${status === 422 ? 'ValidationError' : 'ErrorBody'}` };
  return {
    description,
    headers: {
      ...headers('x-request-id', 'traceresponse'),
      ...(status === 401 && headers('www-authenticate')),
      ...(status === 409 && headers('x-should-retry')),
      ...(RETRYABLE.has(status) && headers('retry-after')),
    },
    content: { 'application/json': { schema, example: exampleOf(status, name, description) } },
  };
}

function exampleOf(status: ErrorStatus, name: string, description: string) {
  return {
    detail:
      status === 422 ? [{ loc: ['body', 'name'], msg: 'Field required', type: 'missing' }] : description,
    code: name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase(),
    request_id: '3f1c7c1e-6f5b-4f0e-9d0a-5d8f6c1b2a30',
    retryable: RETRYABLE.has(status) && status !== 409,
  };
}
