import type { Context as HonoContext } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import {
  DomainError,
  type ErrorCode,
  LimitReached,
  listIssues,
  messageOf,
  RateLimited,
  stackOf,
  Upstream,
} from '#src/lib/errors.ts';
import type { ApiEnv } from './middleware.ts';

const statusOf: Record<ErrorCode, ContentfulStatusCode> = {
  invalid: 422,
  bad_request: 400,
  limit_reached: 402,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  upstream: 502,
  unavailable: 503,
  internal: 500,
};

/**
 * Converts an error to an HTTP response. This is the only place that does. The text of an unexpected error is
 * not shown.
 */
export function errorResponse(c: HonoContext<ApiEnv>, thrown: unknown): Response {
  const error = toDomainError(thrown);
  const requestId = c.get('requestId');
  if (error.code === 'internal') {
    c.get('log').error('unhandled error', { error: messageOf(thrown), stack: stackOf(thrown) });
  }
  if (error.code === 'unauthenticated') c.header('www-authenticate', 'Bearer realm="sluice"');
  // Clients of this API retry a 409 unless told not to.
  if (error.code === 'conflict') c.header('x-should-retry', String(error.retryable));
  const retryAfter = error instanceof Upstream || error instanceof RateLimited ? error.retryAfter : undefined;
  if (error.retryable) c.header('retry-after', String(Math.ceil(retryAfter ?? 1)));
  const status = statusOf[error.code];
  const tongue = c.get('tongue');
  const failure = tongue?.failed?.(error, status);
  if (failure) return c.json(failure.body, failure.status);
  return c.json(
    {
      detail: tongue?.refused(error) ?? listIssues(error) ?? error.message,
      code: error.code,
      request_id: requestId,
      retryable: error.retryable,
      ...limitOf(error),
    },
    status,
  );
}

function limitOf(error: DomainError): { limit?: string } {
  if (!(error instanceof LimitReached || error instanceof RateLimited) || !error.limit) return {};
  return { limit: error.limit };
}

export function toDomainError(thrown: unknown): DomainError {
  if (thrown instanceof DomainError) return thrown;
  if (thrown instanceof HTTPException) {
    return new DomainError(thrown.status === 404 ? 'not_found' : 'bad_request', thrown.message);
  }
  return new DomainError('internal', 'Something went wrong on our side. Quote the request_id.', {
    retryable: true,
  });
}
