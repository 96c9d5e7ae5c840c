/** A request that failed, told without anything secret in it. */
export class RequestFailure extends Error {
  /** Of the answer; undefined when none came. */
  readonly status: number | undefined;
  /** Whether the same request may pass later. */
  readonly passing: boolean;
  /** Milliseconds that the server asks to be left alone. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, facts: { status?: number; passing?: boolean; retryAfterMs?: number } = {}) {
    super(message);
    this.status = facts.status;
    this.passing = facts.passing ?? false;
    this.retryAfterMs = facts.retryAfterMs;
  }

  /** Nobody knows whether the server did what it was asked: an answer was lost, or the server fell over it. */
  get unsure(): boolean {
    return this.passing && this.status !== 429;
  }
}

/** What is wrong with how the import was called; ends it at once. */
export class WrongUse extends Error {}

export const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
