import { ERROR_HELP } from '#src/lib/error-help.ts';
import type { ErrorCode } from '#src/lib/errors.ts';
import { headers } from '../http/response-headers.ts';

/** For each HTTP status, the name of the error response in the OpenAPI description and the error code. */
const RESPONSES = {
  400: ['BadRequest', 'bad_request'],
  401: ['Unauthenticated', 'unauthenticated'],
  402: ['LimitReached', 'limit_reached'],
  403: ['Forbidden', 'forbidden'],
  404: ['NotFound', 'not_found'],
  409: ['Conflict', 'conflict'],
  413: ['TooLarge', 'too_large'],
  415: ['UnsupportedMediaType', 'unsupported_media_type'],
  422: ['Invalid', 'invalid'],
  429: ['RateLimited', 'rate_limited'],
  500: ['Internal', 'internal'],
  502: ['Upstream', 'upstream'],
  503: ['Unavailable', 'unavailable'],
} as const satisfies Record<number, [string, ErrorCode]>;

export type ErrorStatus = keyof typeof RESPONSES;

/** Statuses of errors that may be retryable and then have a Retry-After header. */
const RETRYABLE = new Set<ErrorStatus>([409, 429, 500, 502, 503]);

interface Traits {
  isPublic: boolean;
  /** True if the operation may change data, which is the case for all methods except GET. */
  changes: boolean;
  /** True if the request contains ids or a project, which the caller may be unable to access. */
  namesThings: boolean;
  hasBody: boolean;
  also: readonly ErrorStatus[];
}

/** Returns the OpenAPI descriptions of all error responses that an operation can send. */
export function buildErrorResponses({
  isPublic,
  changes,
  namesThings: hasIds,
  hasBody,
  also: extra,
}: Traits) {
  return toReferences([
    ...(isPublic ? [] : ([401, 403] as const)),
    ...(hasIds ? [404 as const] : []),
    ...(changes ? [409 as const] : []),
    ...(hasBody ? ([413, 415] as const) : []),
    ...([422, 429, 500, 503] as const),
    ...extra,
  ]);
}

/** Returns references to the shared error responses, by HTTP status. */
export function toReferences(statuses: readonly ErrorStatus[]) {
  return Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/${RESPONSES[status][0]}` }]),
  );
}

/** Error responses that all operations share, by their name in the OpenAPI description. */
export const ERROR_RESPONSES = Object.fromEntries(
  Object.entries(RESPONSES).map(([status, [name, code]]) => [
    name,
    buildResponse(Number(status) as ErrorStatus, code),
  ]),
);

function buildResponse(status: ErrorStatus, code: ErrorCode) {
  const schema = { $ref: `#/components/schemas/${status === 422 ? 'ValidationError' : 'ErrorBody'}` };
  return {
    description: ERROR_HELP[code].meaning,
    headers: {
      ...headers('x-request-id', 'traceresponse'),
      ...(status === 401 && headers('www-authenticate')),
      ...(status === 409 && headers('x-should-retry')),
      ...(RETRYABLE.has(status) && headers('retry-after')),
    },
    content: { 'application/json': { schema, example: buildExample(status, code) } },
  };
}

function buildExample(status: ErrorStatus, code: ErrorCode) {
  return {
    detail:
      status === 422
        ? [{ loc: ['body', 'name'], msg: 'Field required', type: 'missing' }]
        : ERROR_HELP[code].meaning,
    code,
    request_id: '3f1c7c1e-6f5b-4f0e-9d0a-5d8f6c1b2a30',
    retryable: RETRYABLE.has(status) && status !== 409,
  };
}
