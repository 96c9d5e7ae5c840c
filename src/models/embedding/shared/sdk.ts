import { APICallError, type EmbeddingModel } from 'ai';
import { DomainError, getErrorMessage, Upstream } from '#src/lib/errors.ts';
import type { ModelDeps } from '#src/models/definition/definition.ts';
import type { EmbeddingPurpose } from '#src/ports/embedder.ts';

/** Changes to requests and answers of an embedding provider for which the SDK has no option. */
export interface Wire {
  /** Name of the embedding endpoint in error messages. */
  name: string;
  timeoutSeconds: number;
  /** Additional fields of the request. Fields set by the driver take precedence. */
  parameters?: Record<string, unknown> | undefined;
  /** Changes the body and headers of a request before it is sent, and returns the body. */
  request?(body: Record<string, unknown>, headers: Headers): Record<string, unknown>;
  answer?(body: unknown): unknown;
}

/**
 * Maximum size of an answer in bytes. It is enough for 2,048 vectors with 1,536 numbers in decimal notation.
 */
const MAX_ANSWER_BYTES = 64 * 2 ** 20;

/**
 * Creates the `fetch` function for an embedding provider of the SDK. Requests have limits for time and size.
 * A status other than 2xx rejects with a `DomainError`.
 */
export function createWireFetch(wire: Wire, deps: ModelDeps): typeof fetch {
  const { name, timeoutSeconds: seconds } = wire;
  const http = deps.http({
    name,
    silenceSeconds: seconds,
    totalSeconds: seconds,
    maxBytes: MAX_ANSWER_BYTES,
  });
  return (async (input: RequestInfo | URL, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    const given = { ...wire.parameters, ...(JSON.parse(String(init.body)) as Record<string, unknown>) };
    const body = JSON.stringify(wire.request?.(given, headers) ?? given);
    const response = await http.request(String(input), { ...init, headers, body }, { what: 'vectors' });
    // The answer is parsed here, so that invalid JSON is reported in the same way as for other upstream
    // systems.
    const answer = await http.json(response);
    return Response.json(wire.answer?.(answer) ?? answer);
  }) as typeof fetch;
}

type SdkModel = Extract<EmbeddingModel, { specificationVersion: 'v4' }>;
type ProviderOptions = Parameters<SdkModel['doEmbed']>[0]['providerOptions'];

/**
 * Creates a function that embeds a batch of texts with one call and without the SDK's retries. `options` are
 * options for the provider.
 */
export function createSdkBatch(
  model: SdkModel,
  name: string,
  options: (purpose: EmbeddingPurpose) => NonNullable<ProviderOptions> = () => ({}),
) {
  return async (values: string[], purpose: EmbeddingPurpose, abortSignal: AbortSignal) => {
    try {
      const { embeddings } = await model.doEmbed({ values, abortSignal, providerOptions: options(purpose) });
      return embeddings;
    } catch (error) {
      throw abortSignal.aborted ? abortSignal.reason : toSdkError(error, name);
    }
  };
}

function toSdkError(error: unknown, name: string): DomainError {
  if (error instanceof DomainError) return error;
  if (!APICallError.isInstance(error)) {
    return new Upstream(`${name} could not be called: ${getErrorMessage(error)}.`, {
      retryable: false,
      cause: error,
    });
  }
  if (error.cause instanceof DomainError) return error.cause;
  // The message of the SDK is replaced, because it quotes the provider's answer.
  return new Upstream(`${name} answered with JSON in an unexpected format.`, {
    retryable: false,
    cause: error,
  });
}
