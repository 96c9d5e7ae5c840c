import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { ErrorCode } from '#src/lib/errors.ts';

/**
 * HTTP status of each error code. This table is separate from the code that builds responses, so that scripts can read
 * it: scripts/errors-doc.ts writes the statuses into docs/errors.md.
 */
export const ERROR_STATUS: Record<ErrorCode, ContentfulStatusCode> = {
  // Clients of LlamaCloud parse the list of wrong fields only in answers with this status.
  invalid: 422,
  // The service understood the request but cannot carry it out.
  bad_request: 400,
  // Unlike after a 429 response, it does not help to wait and retry.
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
