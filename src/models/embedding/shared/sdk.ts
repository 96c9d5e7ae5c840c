import { APICallError, type EmbeddingModel } from 'ai';
import { DomainError, messageOf, Upstream } from '#src/lib/errors.ts';
import type { ModelDeps } from '#src/models/definition/definition.ts';
import type { EmbeddingPurpose } from '#src/ports/embedder.ts';

/** Changes to requests and answers for which the SDK has no option. */
export interface Wire {
  /** Name of the endpoint in error messages. */
  name: string;
  timeoutSeconds: number;
  /** Further members of the request. The driver's own members take precedence. */
  parameters?: Record<string, unknown> | undefined;
  /** Changes a request before it is sent. */
  request?(body: Record<string, unknown>, headers: Headers): Record<string, unknown>;
  /** Converts an answer to the form that the SDK expects. */
  answer?(body: unknown): unknown;
}

/** Maximum bytes of an answer: 2048 vectors of 1536 written numbers. */
const MOST_BYTES = 64 * 2 ** 20;

/** Creates the guarded fetch for a provider of the SDK. Statuses other than 2xx reject with a DomainError. */
export function wireFetch(wire: Wire, deps: ModelDeps): typeof fetch {
  const { name, timeoutSeconds: seconds } = wire;
  const http = deps.http({ name, silenceSeconds: seconds, totalSeconds: seconds, maxBytes: MOST_BYTES });
  return (async (input: RequestInfo | URL, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    const given = { ...wire.parameters, ...(JSON.parse(String(init.body)) as Record<string, unknown>) };
    const body = JSON.stringify(wire.request?.(given, headers) ?? given);
    const response = await http.request(String(input), { ...init, headers, body }, { what: 'vectors' });
    // Parsed here, so that broken answers are reported like those of other upstreams.
    const answer = await http.json(response);
    return Response.json(wire.answer?.(answer) ?? answer);
  }) as typeof fetch;
}

type SdkModel = Extract<EmbeddingModel, { specificationVersion: 'v4' }>;
type ProviderOptions = Parameters<SdkModel['doEmbed']>[0]['providerOptions'];

/** Embeds a batch with one call and without the SDK's retries. `options` are provider options. */
export function sdkBatch(
  model: SdkModel,
  name: string,
  options: (purpose: EmbeddingPurpose) => NonNullable<ProviderOptions> = () => ({}),
) {
  return async (values: string[], purpose: EmbeddingPurpose, abortSignal: AbortSignal) => {
    try {
      const { embeddings } = await model.doEmbed({ values, abortSignal, providerOptions: options(purpose) });
      return embeddings;
    } catch (error) {
      throw abortSignal.aborted ? abortSignal.reason : asDomainError(error, name);
    }
  };
}

function asDomainError(error: unknown, name: string): DomainError {
  if (error instanceof DomainError) return error;
  if (!APICallError.isInstance(error)) {
    return new Upstream(`${name} could not be asked: ${messageOf(error)}.`, {
      retryable: false,
      cause: error,
    });
  }
  if (error.cause instanceof DomainError) return error.cause;
  // The SDK's message quotes the answer, so it is replaced.
  return new Upstream(`${name} answered with JSON of another shape.`, { retryable: false, cause: error });
}
