import { ParseError } from '#src/documents/errors.ts';
import { DomainError, messageOf, Upstream } from '#src/lib/errors.ts';
import type { Answer, Failure } from '#src/parse/service.ts';

/** What the work gives, or what it failed with: the caller makes the error anew. */
export async function answered<Value>(work: () => Promise<Value>): Promise<Answer<Value>> {
  try {
    return { value: await work() };
  } catch (error) {
    return { failure: failureOf(error) };
  }
}

function failureOf(error: unknown): Failure {
  const message = messageOf(error);
  // Neither the file's fault nor one that is known: the bucket's, or this program's.
  if (!(error instanceof DomainError)) return { code: 'unavailable', message, retryable: true };
  const { code, retryable } = error;
  if (error instanceof ParseError) return { code, message, retryable, reason: error.reason };
  if (error instanceof Upstream) return { code, message, retryable, retryAfter: error.retryAfter };
  return { code, message, retryable };
}
