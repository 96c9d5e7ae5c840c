import { APICallError, NoObjectGeneratedError, RetryError } from 'ai';
import { DomainError, messageOf, Upstream } from '#src/errors.ts';
import { retryAfterOf } from '#src/upstream/retry-after.ts';
import { isRetryableStatus } from '#src/upstream/retryable.ts';

/** What a failed call to a language model comes to, in the words of the domain. */
export function toDomainError(thrown: unknown): DomainError {
  // The SDK tries again on its own and then reports all errors in one.
  const error = RetryError.isInstance(thrown) ? thrown.lastError : thrown;
  if (error instanceof DomainError) return error;
  if (NoObjectGeneratedError.isInstance(error)) return noObject(error);
  if (!APICallError.isInstance(error)) {
    const message = `engine_error: The model gave no answer: ${messageOf(error)}`;
    return new Upstream(message, { retryable: true, cause: thrown });
  }
  // The SDK wraps what its fetch throws once the answer has begun.
  if (error.cause instanceof DomainError) return error.cause;
  const { statusCode: status, isRetryable, responseHeaders } = error;
  const isAnswer = status !== undefined && status >= 200 && status < 300;
  const retryAfter = retryAfterOf(responseHeaders?.['retry-after'] ?? null);
  const what = isAnswer ? 'answered with something that is no completion' : `answered ${status ?? 'nothing'}`;
  return new Upstream(`engine_error: The model endpoint ${what}.`, {
    retryable: isAnswer || (status === undefined ? isRetryable : isRetryableStatus(status)),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(status !== undefined && { status }),
    cause: error,
  });
}

function noObject(error: NoObjectGeneratedError): DomainError {
  if (error.finishReason === 'content-filter') {
    return new DomainError('invalid', 'llm_refusal: The model refused to answer.');
  }
  const cut = error.finishReason === 'length';
  const what = cut ? 'was cut off before its end' : 'is not the JSON that was asked for';
  return new Upstream(`engine_error: The model's answer ${what}.`, { retryable: true, cause: error });
}
