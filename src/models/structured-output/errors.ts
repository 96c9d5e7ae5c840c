import { APICallError, type FinishReason, NoObjectGeneratedError } from 'ai';
import { DomainError, getErrorMessage, Upstream } from '#src/lib/errors.ts';
import { parseRetryAfter } from '#src/upstream/retry-after.ts';
import { isRetryableStatus } from '#src/upstream/retryable.ts';

/** Converts the error of a failed language model call to a `DomainError`. */
export function toDomainError(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  if (NoObjectGeneratedError.isInstance(error)) return createNoObjectError(error.finishReason, error);
  if (!APICallError.isInstance(error)) {
    const message = `engine_error: The model returned no answer: ${getErrorMessage(error)}`;
    return new Upstream(message, { retryable: true, cause: error });
  }
  // If a request fails after the answer has begun, the SDK wraps the error of Sluice's HTTP client. The
  // original error is restored here.
  if (error.cause instanceof DomainError) return error.cause;
  const { statusCode: status, isRetryable, responseHeaders } = error;
  const isAnswer = status !== undefined && status >= 200 && status < 300;
  const retryAfter = parseRetryAfter(responseHeaders?.['retry-after'] ?? null);
  const what = isAnswer
    ? 'answered with something other than a completion'
    : `answered ${status ?? 'nothing'}`;
  return new Upstream(`engine_error: The model endpoint ${what}.`, {
    retryable: isAnswer || (status === undefined ? isRetryable : isRetryableStatus(status)),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(status !== undefined && { status }),
    cause: error,
  });
}

/**
 * Creates the error for an answer without the requested JSON object. The finish reason of the answer
 * determines the message.
 */
export function createNoObjectError(finishReason: FinishReason | undefined, cause?: unknown): DomainError {
  if (finishReason === 'content-filter') {
    return new DomainError('invalid', 'llm_refusal: The model refused to answer.');
  }
  const what = finishReason === 'length' ? 'was cut off before its end' : 'is not the requested JSON';
  return new Upstream(`engine_error: The model's answer ${what}.`, { retryable: true, cause });
}
