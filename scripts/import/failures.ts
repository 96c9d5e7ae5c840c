/** Failure of an HTTP request. The message contains no secrets. */
export class RequestFailure extends Error {
  /** HTTP status of the response. `undefined` if there was no response. */
  readonly status: number | undefined;
  /** True if the same request may succeed when it is repeated later. */
  readonly isTransient: boolean;
  /** Milliseconds to wait before the next attempt, if the server specifies them. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    facts: { status?: number; isTransient?: boolean; retryAfterMs?: number } = {},
  ) {
    super(message);
    this.status = facts.status;
    this.isTransient = facts.isTransient ?? false;
    this.retryAfterMs = facts.retryAfterMs;
  }

  /**
   * True if it is unknown whether the server executed the request, because the response was lost or the
   * server failed.
   */
  get isAmbiguous(): boolean {
    return this.isTransient && this.status !== 429;
  }
}

/** Error for wrong arguments of a command. The command ends immediately. */
export class UsageError extends Error {}

export const getMessage = (cause: unknown): string =>
  cause instanceof Error ? cause.message : String(cause);
