import { APICallError, type FinishReason, NoObjectGeneratedError } from 'ai';
import { DomainError, messageOf, Upstream } from '#src/lib/errors.ts';
import { retryAfterOf } from '#src/upstream/retry-after.ts';
import { isRetryableStatus } from '#src/upstream/retryable.ts';

/** What a failed call to a language model comes to, in the words of the domain. */
export function toDomainError(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  if (NoObjectGeneratedError.isInstance(error)) return withoutObject(error.finishReason, error);
  if (!APICallError.isInstance(error)) {
    const message = `engine_error: The model gave no answer: ${messageOf(error)}`;
    return new Upstream(message, { retryable: true, cause: error });
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

/** What an answer that is not the object asked for comes to, by how it ended. */
export function withoutObject(finishReason: FinishReason | undefined, cause?: unknown): DomainError {
  if (finishReason === 'content-filter') {
    return new DomainError('invalid', 'llm_refusal: The model refused to answer.');
  }
  const what =
    finishReason === 'length' ? 'was cut off before its end' : 'is not the JSON that was asked for';
  return new Upstream(`engine_error: The model's answer ${what}.`, { retryable: true, cause });
}
