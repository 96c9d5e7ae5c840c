import { ParseError } from '#src/documents/errors.ts';
import { DomainError, getErrorMessage, Upstream } from '#src/lib/errors.ts';
import type { Answer, Failure } from '#src/parse/service.ts';

/**
 * Runs the work and returns its value or its failure. Failures are returned instead of thrown, because RPC
 * would lose the error's class. The caller rebuilds the error.
 */
export async function toAnswer<Value>(work: () => Promise<Value>): Promise<Answer<Value>> {
  try {
    return { value: await work() };
  } catch (error) {
    return { failure: toFailure(error) };
  }
}

function toFailure(error: unknown): Failure {
  const message = getErrorMessage(error);
  // An unknown error is not caused by the file, so the call can be retried.
  if (!(error instanceof DomainError)) return { code: 'unavailable', message, retryable: true };
  const { code, retryable } = error;
  if (error instanceof ParseError) return { code, message, retryable, reason: error.reason };
  if (error instanceof Upstream) return { code, message, retryable, retryAfter: error.retryAfter };
  return { code, message, retryable };
}
