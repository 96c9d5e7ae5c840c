import { generateText, type LanguageModel } from 'ai';
import { Upstream } from '#src/lib/errors.ts';
import { createNoObjectError, toDomainError } from './errors.ts';
import { requestObject } from './output-format.ts';

export interface ObjectRequest {
  model: LanguageModel;
  system: string;
  prompt: string;
  /** JSON Schema of draft 2020-12. */
  schema: Record<string, unknown>;
  /**
   * False if constrained decoding may not support the schema. The schema is then only a hint to the model.
   */
  isStrict?: boolean;
  signal: AbortSignal;
  timeoutMs?: number;
}

/**
 * Default time limit for one answer in milliseconds. Long answers take minutes, but an endpoint that hangs
 * must not block its job any longer.
 */
const CALL_TIMEOUT_MS = 5 * 60_000;

/**
 * Requests a JSON object from a language model and returns it without validation. The schema is sent as the
 * response format and in the prompt, because some endpoints ignore the format. Rejects with a `DomainError`,
 * or with the reason of `signal` if the caller cancels.
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
  const { instruction, settings } = requestObject({ schema, isStrict });
  try {
    const result = await generateText({
      model,
      ...settings,
      system: `${system}\n\n${instruction}`,
      prompt,
      temperature: 0,
      maxRetries: 0,
      abortSignal: AbortSignal.any([signal, timeout]),
    });
    // For an answer without text, the SDK provides no output. The finish reason then explains the error.
    if (result.text === '') throw createNoObjectError(result.finishReason);
    return result.output;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (timeout.aborted) {
      const message = `engine_error: The model did not answer within ${timeoutMs / 1000} s.`;
      throw new Upstream(message, { retryable: true, cause: error });
    }
    throw toDomainError(error);
  }
}
