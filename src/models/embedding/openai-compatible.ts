import { z } from 'zod';
import type { ModelDeps } from '#src/models/definition.ts';
import { batchedEmbedder } from './batched.ts';
import type { Embedder } from './embedder.ts';

export interface EmbeddingsEndpoint {
  /** Up to and without `/embeddings`. */
  base: string;
  model: string;
  /** What clients are told of both. */
  told: { base: string; model: string };
  headers: Record<string, string>;
  query?: Record<string, string>;
  /** Further members of the request. */
  parameters?: Record<string, unknown>;
  /** Asked of the model when it is given. */
  dimensions?: number | undefined;
  /** Of models that are asked for none; 0 when the model is to say it. */
  knownDimension?: number | undefined;
  batchSize: number;
  workers: number;
  timeoutSeconds: number;
  retries: number;
}

/** A batch of 2048 vectors of 1536 numbers each, written out. */
const MOST_BYTES = 64 * 2 ** 20;

const answer = z.object({
  data: z.array(z.looseObject({ index: z.int().nonnegative().optional(), embedding: z.unknown() })),
});

/** Any endpoint that takes `POST {base}/embeddings` and answers as the hosted API does. */
export function openaiCompatibleEmbedder(endpoint: EmbeddingsEndpoint, deps: ModelDeps): Embedder {
  const { model, told, dimensions, timeoutSeconds: silenceSeconds, retries } = endpoint;
  const base = endpoint.base.replace(/(?<!\/)\/+$/, '');
  const http = deps.http({
    name: `The embedding endpoint ${URL.canParse(base) ? hostOf(told.base) : ''}`.trim(),
    silenceSeconds,
    totalSeconds: silenceSeconds * (1 + retries),
    maxBytes: MOST_BYTES,
    retries,
  });
  const address = () => {
    const url = new URL(`${base}/embeddings`);
    for (const [name, value] of Object.entries(endpoint.query ?? {})) url.searchParams.set(name, value);
    return url;
  };
  return batchedEmbedder({
    modelId: `${told.model}@${told.base.replace(/(?<!\/)\/+$/, '')}`,
    dimension: dimensions ?? endpoint.knownDimension ?? 0,
    batchSize: endpoint.batchSize,
    workers: endpoint.workers,
    async embedBatch(texts, _purpose, signal) {
      const body = {
        ...endpoint.parameters,
        model,
        input: texts,
        encoding_format: 'float',
        ...(dimensions && { dimensions }),
      };
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...endpoint.headers },
        body: JSON.stringify(body),
        signal,
      };
      const response = await http.request(URL.canParse(base) ? address() : base, init, { what: 'vectors' });
      const { data } = await http.json(response, answer);
      const places = data.map(({ index }, position) => index ?? position);
      return data.map((_, place) => data[places.indexOf(place)]?.embedding);
    },
  });
}

const hostOf = (told: string) => URL.parse(told)?.host ?? told;
