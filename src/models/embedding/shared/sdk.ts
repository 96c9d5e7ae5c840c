import { APICallError, type EmbeddingModel } from 'ai';
import { DomainError, messageOf, Upstream } from '#src/lib/errors.ts';
import type { ModelDeps } from '#src/models/definition/definition.ts';
import type { EmbeddingPurpose } from '#src/ports/embedder.ts';

/** What a driver changes of a request or an answer that the SDK has no option for. */
export interface Wire {
  /** How errors name the endpoint. */
  name: string;
  timeoutSeconds: number;
  /** Members of the request that the driver's own win against. */
  parameters?: Record<string, unknown> | undefined;
  /** The request as it is to be sent. */
  request?(body: Record<string, unknown>, headers: Headers): Record<string, unknown>;
  /** The answer as the SDK knows it. */
  answer?(body: unknown): unknown;
}

/** A batch of 2048 vectors of 1536 numbers each, written out. */
const MOST_BYTES = 64 * 2 ** 20;

/** The guarded fetch for a provider of the SDK. Statuses other than 2xx reject with our own errors. */
export function wireFetch(wire: Wire, deps: ModelDeps): typeof fetch {
  const { name, timeoutSeconds: seconds } = wire;
  const http = deps.http({ name, silenceSeconds: seconds, totalSeconds: seconds, maxBytes: MOST_BYTES });
  return (async (input: RequestInfo | URL, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    const given = { ...wire.parameters, ...(JSON.parse(String(init.body)) as Record<string, unknown>) };
    const body = JSON.stringify(wire.request?.(given, headers) ?? given);
    const response = await http.request(String(input), { ...init, headers, body }, { what: 'vectors' });
    // Read here: what breaks off or is no JSON is told by the one table of such errors.
    const answer = await http.json(response);
    return Response.json(wire.answer?.(answer) ?? answer);
  }) as typeof fetch;
}

type SdkModel = Extract<EmbeddingModel, { specificationVersion: 'v4' }>;
type ProviderOptions = Parameters<SdkModel['doEmbed']>[0]['providerOptions'];

/** One call for a batch, without the SDK's retries. `options`: what the provider is told besides the texts. */
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
  // Its own message repeats the answer.
  return new Upstream(`${name} answered with JSON of another shape.`, { retryable: false, cause: error });
}
