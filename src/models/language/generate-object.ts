import {
  APICallError,
  generateText,
  jsonSchema,
  type LanguageModel,
  NoObjectGeneratedError,
  Output,
  RetryError,
} from 'ai';
import { DomainError, Upstream } from '#src/errors.ts';
import { retryAfterOf } from '#src/upstream/retry-after.ts';
import { NOT_STRICT } from './language-model.ts';

export interface ObjectRequest {
  model: LanguageModel;
  system: string;
  prompt: string;
  /** Draft 2020-12. */
  schema: Record<string, unknown>;
  /** False for a schema that constrained decoding does not know: it is then a hint. */
  isStrict?: boolean;
  signal: AbortSignal;
  timeoutMs?: number;
}

/** A long answer takes minutes; an endpoint that hangs must not hold its job for longer. */
const CALL_TIMEOUT_MS = 5 * 60_000;

/**
 * One structured answer of a model, as JSON that is not checked yet. The schema goes along both as the response
 * format and in the prompt, for endpoints that ignore the format. Rejects with a DomainError.
 */
export async function generateObject({
  model,
  system,
  prompt,
  schema,
  isStrict = true,
  signal,
  timeoutMs = CALL_TIMEOUT_MS,
}: ObjectRequest): Promise<unknown> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const { output } = await generateText({
      model,
      system: `${system}\n\nAnswer with one JSON object of this JSON Schema and nothing else:\n${JSON.stringify(schema)}`,
      prompt,
      output: Output.object({ schema: jsonSchema(schema as Parameters<typeof jsonSchema>[0]) }),
      temperature: 0,
      maxRetries: 2,
      abortSignal: AbortSignal.any([signal, timeout]),
      ...(!isStrict && { providerOptions: NOT_STRICT }),
    });
    return output;
  } catch (error) {
    if (signal.aborted) throw error;
    if (timeout.aborted) {
      const message = `engine_error: The model did not answer within ${timeoutMs / 1000} s.`;
      throw new Upstream(message, { retryable: true, cause: error });
    }
    throw toDomainError(error);
  }
}

function toDomainError(thrown: unknown): unknown {
  const error = RetryError.isInstance(thrown) ? thrown.lastError : thrown;
  if (NoObjectGeneratedError.isInstance(error)) {
    if (error.finishReason === 'content-filter') {
      return new DomainError('invalid', 'llm_refusal: The model refused to answer.');
    }
    const cut = error.finishReason === 'length';
    const what = cut ? 'was cut off before its end' : 'is not the JSON that was asked for';
    return new Upstream(`engine_error: The model's answer ${what}.`, { retryable: true, cause: error });
  }
  if (!APICallError.isInstance(error)) return thrown;
  const { statusCode, isRetryable, responseHeaders } = error;
  const wait = retryAfterOf(responseHeaders?.['retry-after'] ?? null);
  return new Upstream(`engine_error: The model endpoint answered ${statusCode ?? 'nothing'}.`, {
    retryable: isRetryable,
    ...(wait !== undefined && { retryAfter: wait }),
    cause: error,
  });
}
