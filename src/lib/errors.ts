/**
 * What can go wrong, in the words of the domain. HTTP is decided in src/api/http/respond.ts only;
 * queues ask `retryable`, objects and services throw.
 */
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

/** One failed rule of an input, in the shape clients of this API parse. `loc` starts with where it was. */
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
  /** An input rule that no schema can state, on one field of the body. */
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

/** What the project may have is used up, and waiting alone gives it no more. */
export class LimitReached extends DomainError {
  /** The limit's name. */
  readonly limit: string;
  constructor(limit: string, message: string) {
    super('limit_reached', message);
    this.limit = limit;
  }
}

/** The caller had its share for now. */
export class RateLimited extends DomainError {
  /** Seconds until it has some again. */
  readonly retryAfter: number;
  /** The limit's name, where it is one of the project. */
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

/** A system that Sluice calls (a source, sink or model) refused or failed. */
export class Upstream extends DomainError {
  /** Seconds the other side asked us to wait, when it said so. */
  readonly retryAfter: number | undefined;
  /** The HTTP status that it answered, when it answered one. */
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

/** What an error of each code is. */
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
 * Gives an error that came over RPC its class back: the text and the members of an error arrive, its class does
 * not. `further`: classes that other rooms derive, by the `name` of their errors. Anything else comes back as it is.
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
  // A class that nobody named here may share the code of one whose members it lacks.
  return code === 'invalid' && !Array.isArray(issues) ? DomainError : classes[code];
}

/**
 * The text of anything thrown, for status details and logs. A failed query is told by its cause: its own
 * message lists the parameters, which are clients' data.
 */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'query' in error && 'params' in error ? `query failed: ${messageOf(error.cause)}` : error.message;
}

/** Where it was thrown, without its message. */
export function stackOf(error: unknown): string | undefined {
  const lines = error instanceof Error ? error.stack?.split('\n') : undefined;
  return lines?.filter((line) => /^\s+at /.test(line)).join('\n');
}
