import type { Context as HonoContext } from 'hono';
import { HTTPException } from 'hono/http-exception';
import {
  DomainError,
  getErrorMessage,
  getStackTrace,
  LimitReached,
  listIssues,
  RateLimited,
  Unavailable,
  Upstream,
} from '#src/lib/errors.ts';
import { ERROR_STATUS } from './error-status.ts';
import type { ApiEnv } from './middleware.ts';

/**
 * Converts an error to an HTTP response. All errors are converted here. The text of an unexpected error is
 * not shown to the client.
 */
export function errorResponse(c: HonoContext<ApiEnv>, thrown: unknown): Response {
  const error = toDomainError(thrown);
  const requestId = c.get('requestId');
  if (error.code === 'internal') {
    c.get('log').error('unhandled error', { error: getErrorMessage(thrown), stack: getStackTrace(thrown) });
  }
  if (error.code === 'unauthenticated') c.header('www-authenticate', 'Bearer realm="sluice"');
  // Clients of this API retry a 409 response unless this header says otherwise.
  if (error.code === 'conflict') c.header('x-should-retry', String(error.retryable));
  const namesTime = error instanceof Upstream || error instanceof RateLimited || error instanceof Unavailable;
  const retryAfter = namesTime ? error.retryAfter : undefined;
  if (error.retryable) c.header('retry-after', String(Math.max(1, Math.ceil(retryAfter ?? 1))));
  const status = ERROR_STATUS[error.code];
  const dialect = c.get('dialect');
  const failure = dialect?.buildErrorResponse?.(error, status);
  if (failure) return c.json(failure.body, failure.status);
  return c.json(
    {
      detail: dialect?.encodeError(error) ?? listIssues(error) ?? error.message,
      code: error.code,
      request_id: requestId,
      retryable: error.retryable,
      ...getLimit(error),
    },
    status,
  );
}

function getLimit(error: DomainError): { limit?: string } {
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
