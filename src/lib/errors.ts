/** Errors of the domain. Only src/api/http/respond.ts maps them to HTTP. Queues use `retryable`. */
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
 * One violated rule of an input, in the format that clients of this API parse. `loc` begins with the part of
 * the request.
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
  /** Whether the same call may succeed later without being changed. */
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
  /** Creates the error for a rule on a field of the body that no schema can express. */
  static field(path: (string | number)[], msg: string, type = 'value_error'): Invalid {
    return new Invalid([{ loc: ['body', ...path], msg, type }]);
  }
}

/**
 * Returns the failed rules of an invalid input, or `undefined` for an error of another code. Errors such as that of a
 * file that cannot be parsed are invalid without naming a field; they fail as one rule about the whole body.
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

/** Thrown if the caller has to wait. */
export class RateLimited extends DomainError {
  /** Seconds until it has some again. */
  readonly retryAfter: number;
  /** Name of the project limit, if it is one. */
  readonly limit: string | undefined;
  constructor(message: string, retryAfter: number, limit?: string) {
    super('rate_limited', message, { retryable: true });
    this.retryAfter = retryAfter;
    this.limit = limit;
  }
}

export interface UpstreamOptions {
  retryable: boolean;
  /** Seconds. */
  retryAfter?: number | undefined;
  status?: number | undefined;
  cause?: unknown;
}

/** Failure or refusal of an external system: a source, sink or model. */
export class Upstream extends DomainError {
  /** Seconds the other side asked us to wait, when it said so. */
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
  constructor(message: string, cause?: unknown) {
    super('unavailable', message, { retryable: true, cause });
  }
}

/** Error class of each code. */
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
 * Restores the class of an error that came over RPC, which transfers message and members only. `further` maps
 * names of further error classes. Other values are returned unchanged.
 */
export function rehydrated(error: unknown, further: Record<string, ErrorClass> = {}): unknown {
  if (!(error instanceof Error) || error instanceof DomainError || !isDomainErrorWithoutClass(error))
    return error;
  return Object.setPrototypeOf(error, classOf(error, further).prototype);
}

type Told = Error & { code: ErrorCode; issues?: unknown };

function isDomainErrorWithoutClass(error: Error): error is Told {
  const { code, retryable } = error as { code?: unknown; retryable?: unknown };
  return typeof retryable === 'boolean' && typeof code === 'string' && Object.hasOwn(classes, code);
}

function classOf({ name, code, issues }: Told, further: Record<string, ErrorClass>): ErrorClass {
  if (Object.hasOwn(further, name)) return further[name]!;
  // An unknown class may share the code of a class whose members it lacks.
  return code === 'invalid' && !Array.isArray(issues) ? DomainError : classes[code];
}

/**
 * Returns the message of anything thrown, for status details and logs. A failed query is described by its
 * cause, because its own message lists the parameters, which are client data.
 */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'query' in error && 'params' in error ? `query failed: ${messageOf(error.cause)}` : error.message;
}

/** Returns the stack trace without the message. */
export function stackOf(error: unknown): string | undefined {
  const lines = error instanceof Error ? error.stack?.split('\n') : undefined;
  return lines?.filter((line) => /^\s+at /.test(line)).join('\n');
}
