import type { WireDialect } from '#src/api/http/wire-dialect.ts';
import { type DomainError, type ErrorCode, Invalid, type Issue } from '#src/lib/errors.ts';
import { ModelNotFound } from './names.ts';

/** Error body of this protocol. */
export interface OpenAiError {
  message: string;
  type: string;
  /** Path of the invalid request field, with its parts joined by dots. */
  param: string | null;
  code: string;
}

const REFUSED = 'invalid_request_error';
const FAILED = 'server_error';

const TYPES: Record<ErrorCode, string> = {
  invalid: REFUSED,
  bad_request: REFUSED,
  unauthenticated: 'authentication_error',
  forbidden: 'permission_error',
  not_found: REFUSED,
  conflict: REFUSED,
  too_large: REFUSED,
  unsupported_media_type: REFUSED,
  limit_reached: 'insufficient_quota',
  rate_limited: 'rate_limit_error',
  upstream: FAILED,
  unavailable: FAILED,
  internal: FAILED,
};

/** Error codes of the protocol that differ from the service's. */
const CODES: Partial<Record<ErrorCode, string>> = {
  unauthenticated: 'invalid_api_key',
  limit_reached: 'insufficient_quota',
  rate_limited: 'rate_limit_exceeded',
};

const formatPath = ({ loc }: Issue) => (loc[0] === 'body' ? loc.slice(1) : loc).join('.');

export function openAiError(error: DomainError): OpenAiError {
  const type = TYPES[error.code];
  if (error instanceof Invalid && error.issues[0]) {
    const [first] = error.issues;
    const message = error.issues
      .map((issue) => [formatPath(issue), issue.msg].filter((part) => part !== '').join(': '))
      .join('; ');
    return { message, type, param: formatPath(first) || null, code: first.type };
  }
  if (error instanceof ModelNotFound) {
    return { message: error.message, type, param: 'model', code: 'model_not_found' };
  }
  return { message: error.message, type, param: null, code: CODES[error.code] ?? error.code };
}

/** Error format of the OpenAI protocol. Inputs and outputs need no translation. */
export const openAiDialect: WireDialect = {
  decodeRequest: (_, value) => value,
  encodeResponse: (_, value) => value,
  encodeError: (error) => error.message,
  translateWarnings: (warnings) => warnings,
  buildErrorResponse: (error, status) => ({
    // Clients of the OpenAI protocol expect status 400 for invalid input, for which Sluice's own API sends
    // 422.
    status: status === 422 ? 400 : status,
    body: { error: openAiError(error) },
  }),
};
