/** Codes of domain errors. Only src/api/http/respond.ts maps a code to an HTTP status. */
export type ErrorCode =
  | 'invalid'
  | 'bad_request'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'too_large'
  | 'limit_reached'
  | 'unsupported_media_type'
  | 'rate_limited'
  | 'upstream'
  | 'unavailable'
  | 'internal';

/**
 * One violated rule of a request, in the format that clients of this API parse. `loc` begins with the part of
 * the request, such as `body`.
 */
export interface Issue {
  loc: (string | number)[];
  msg: string;
  type: string;
  input?: unknown;
  ctx?: Record<string, unknown>;
}

export class DomainError extends Error {
  override readonly name: string = 'DomainError';
  readonly code: ErrorCode;
  /**
   * True if the same call may succeed later without changes. Jobs are not retried after a domain error for
   * which this flag is false.
   */
  readonly retryable: boolean;

  constructor(code: ErrorCode, message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? false;
  }
}

export class Invalid extends DomainError {
  readonly issues: Issue[];
  constructor(issues: Issue[]) {
    super('invalid', issues.map((issue) => `${issue.loc.join('.')}: ${issue.msg}`).join('; '));
    this.issues = issues;
  }
  /** Creates the error for a rule on a body field that a schema cannot express. */
  static field(path: (string | number)[], msg: string, type = 'value_error'): Invalid {
    return new Invalid([{ loc: ['body', ...path], msg, type }]);
  }
}

/**
 * Returns the violated rules of an invalid input, or `undefined` for an error with another code. An `invalid`
 * error that names no field, for example for an unreadable file, becomes one issue about the whole body.
 */
export function listIssues(error: DomainError): Issue[] | undefined {
  if (error instanceof Invalid) return error.issues;
  if (error.code !== 'invalid') return undefined;
  return [{ loc: ['body'], msg: error.message, type: 'value_error' }];
}

export class BadRequest extends DomainError {
  constructor(message: string) {
    super('bad_request', message);
  }
}

export class Unauthenticated extends DomainError {
  constructor(message = 'Missing or invalid credentials.') {
    super('unauthenticated', message);
  }
}

export class Forbidden extends DomainError {
  constructor(message: string) {
    super('forbidden', message);
  }
}

export class NotFound extends DomainError {
  constructor(what: string, id?: string) {
    super('not_found', id === undefined ? `${what} not found` : `${what} ${id} not found`);
  }
}

export class Conflict extends DomainError {
  constructor(message: string, options: { retryable?: boolean } = {}) {
    super('conflict', message, options);
  }
}

export class TooLarge extends DomainError {
  constructor(message: string) {
    super('too_large', message);
  }
}

export class UnsupportedMediaType extends DomainError {
  constructor(message: string) {
    super('unsupported_media_type', message);
  }
}

/** Thrown if a quota is exhausted and waiting alone does not help. */
export class LimitReached extends DomainError {
  /** Name of the limit. */
  readonly limit: string;
  constructor(limit: string, message: string) {
    super('limit_reached', message);
    this.limit = limit;
  }
}

/** Thrown if the caller exceeds a rate limit and has to wait. */
export class RateLimited extends DomainError {
  /** Seconds until the caller may try again. */
  readonly retryAfter: number;
  /** Name of the exceeded limit. `undefined` if the limit is not set per project. */
  readonly limit: string | undefined;
  constructor(message: string, retryAfter: number, limit?: string) {
    super('rate_limited', message, { retryable: true });
    this.retryAfter = retryAfter;
    this.limit = limit;
  }
}

export interface UpstreamOptions {
  retryable: boolean;
  /** Seconds to wait before a retry. */
  retryAfter?: number | undefined;
  status?: number | undefined;
  cause?: unknown;
}

/**
 * Thrown if an external system fails or refuses a request. External systems are data sources, data sinks and
 * models.
 */
export class Upstream extends DomainError {
  /** Seconds to wait before a retry, or `undefined` if the external system named no time. */
  readonly retryAfter: number | undefined;
  /** HTTP status of the response, if there was one. */
  readonly status: number | undefined;
  constructor(message: string, options: UpstreamOptions) {
    super('upstream', message, options);
    this.retryAfter = options.retryAfter;
    this.status = options.status;
  }
}

export class Unavailable extends DomainError {
  /** Seconds to wait before a retry, or `undefined` if no time is known. */
  readonly retryAfter: number | undefined;
  constructor(message: string, cause?: unknown, retryAfter?: number) {
    super('unavailable', message, { retryable: true, cause });
    this.retryAfter = retryAfter;
  }
}

const classes = {
  invalid: Invalid,
  bad_request: BadRequest,
  unauthenticated: Unauthenticated,
  forbidden: Forbidden,
  not_found: NotFound,
  conflict: Conflict,
  too_large: TooLarge,
  limit_reached: LimitReached,
  unsupported_media_type: UnsupportedMediaType,
  rate_limited: RateLimited,
  upstream: Upstream,
  unavailable: Unavailable,
  internal: DomainError,
} as const satisfies Record<ErrorCode, ErrorClass>;

type ErrorClass = { prototype: DomainError };

/**
 * Restores the class of a domain error that was received over RPC, which transfers only the message and the
 * members. `further` maps names of additional error classes. Returns other values unchanged.
 */
export function restoreErrorClass(error: unknown, further: Record<string, ErrorClass> = {}): unknown {
  if (!(error instanceof Error) || error instanceof DomainError || !isDomainErrorWithoutClass(error))
    return error;
  return Object.setPrototypeOf(error, getErrorClass(error, further).prototype);
}

type SerializedError = Error & { code: ErrorCode; issues?: unknown };

function isDomainErrorWithoutClass(error: Error): error is SerializedError {
  const { code, retryable } = error as { code?: unknown; retryable?: unknown };
  return typeof retryable === 'boolean' && typeof code === 'string' && Object.hasOwn(classes, code);
}

function getErrorClass(
  { name, code, issues }: SerializedError,
  further: Record<string, ErrorClass>,
): ErrorClass {
  if (Object.hasOwn(further, name)) return further[name]!;
  // An error with the code `invalid` may come from a class that is unknown here and has no issues. It is then
  // restored as a DomainError.
  return code === 'invalid' && !Array.isArray(issues) ? DomainError : classes[code];
}

/**
 * Returns the message of any thrown value, for status details and logs. A failed query is described by its
 * cause, because its own message lists the query parameters, which are client data.
 */
export function getErrorMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'query' in error && 'params' in error
    ? `query failed: ${getErrorMessage(error.cause)}`
    : error.message;
}

/** Returns the stack trace without the message. */
export function getStackTrace(error: unknown): string | undefined {
  const lines = error instanceof Error ? error.stack?.split('\n') : undefined;
  return lines?.filter((line) => /^\s+at /.test(line)).join('\n');
}
