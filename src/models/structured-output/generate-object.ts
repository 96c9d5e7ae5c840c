import { generateText, jsonSchema, type LanguageModel, Output } from 'ai';
import { Upstream } from '#src/lib/errors.ts';
import { toDomainError, withoutObject } from './errors.ts';
import { SCHEMA_AS_HINT } from './schema-hint.ts';

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
 * format and in the prompt, for endpoints that ignore the format. Rejects with a DomainError, or with the signal's
 * reason when the caller gives up.
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
    const result = await generateText({
      model,
      system: `${system}\n\nAnswer with one JSON object of this JSON Schema and nothing else:\n${JSON.stringify(schema)}`,
      prompt,
      output: Output.object({ schema: jsonSchema(schema as Parameters<typeof jsonSchema>[0]) }),
      temperature: 0,
      maxRetries: 0,
      abortSignal: AbortSignal.any([signal, timeout]),
      ...(!isStrict && { providerOptions: SCHEMA_AS_HINT }),
    });
    // The SDK reads no output of an answer that ended without a text.
    if (result.text === '') throw withoutObject(result.finishReason);
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
