import { messageOf, Upstream } from '#src/errors.ts';
import { guardUrl } from '#src/upstream/address-guard.ts';
import { retryAfterOf } from '#src/upstream/retry-after.ts';
import type { EmbeddingComponent } from './components.ts';
import type { Embedder, EmbedderDriver } from './embedder.ts';

/** Of models that are asked for no particular length. */
const KNOWN_DIMENSIONS: Record<string, number> = {
  'text-embedding-ada-002': 1536,
  'text-embedding-3-small': 1536,
  'text-embedding-3-large': 3072,
};

/** Tries within one call; whoever owns the work tries again later and counts that. */
const QUICK_RETRIES = 2;
const DEFAULT_TIMEOUT_S = 60;

interface EmbeddingsAnswer {
  data?: { index?: number; embedding?: number[] }[];
}

/** Any endpoint that takes `POST {api_base}/embeddings` and answers as the hosted API does. */
export const openaiCompatibleEmbedder: EmbedderDriver = (given, settings): Embedder => {
  const component = given as EmbeddingComponent<'PROVIDER_G_EMBEDDING'>;
  const model = component.model_name ?? 'text-embedding-ada-002';
  const base = (component.api_base ?? 'https://api.openai.com/v1').replace(/\/+$/, '');
  const batchSize = component.embed_batch_size ?? 10;
  const tries = 1 + Math.min(component.max_retries ?? QUICK_RETRIES, QUICK_RETRIES);
  let dimension = component.dimensions ?? KNOWN_DIMENSIONS[model] ?? 0;

  async function embedBatch(url: URL, texts: string[]): Promise<Float32Array[]> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return vectorsOf(await request(url, texts), texts.length);
      } catch (error) {
        const isBrief = error instanceof Upstream && error.retryable && error.retryAfter === undefined;
        if (!isBrief || attempt >= tries) throw error;
        await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** attempt * (0.5 + Math.random())));
      }
    }
  }

  async function request(url: URL, texts: string[]): Promise<EmbeddingsAnswer> {
    const { host } = url;
    const seconds = component.timeout || DEFAULT_TIMEOUT_S;
    let response: Response;
    try {
      response = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          'content-type': 'application/json',
          ...(component.api_key && { authorization: `Bearer ${component.api_key}` }),
          ...component.default_headers,
        },
        body: JSON.stringify({
          ...component.additional_kwargs,
          model,
          input: texts,
          encoding_format: 'float',
          ...(component.dimensions && { dimensions: component.dimensions }),
        }),
        signal: AbortSignal.timeout(seconds * 1000),
      });
      if (response.ok) return (await response.json()) as EmbeddingsAnswer;
    } catch (cause) {
      throw new Upstream(`${host} gave no vectors: ${messageOf(cause)}.`, { retryable: true, cause });
    }
    const said = (await response.text().catch(() => '')).slice(0, 300);
    const { status } = response;
    const retryAfter = retryAfterOf(response.headers.get('retry-after')) ?? (status === 429 ? 1 : undefined);
    throw new Upstream(`${host} answered ${status} to a request for vectors: ${said}`, {
      retryable: status === 408 || status === 409 || status === 429 || status >= 500,
      ...(retryAfter !== undefined && { retryAfter }),
    });
  }

  function vectorsOf(answer: EmbeddingsAnswer, expected: number): Float32Array[] {
    const rows = (answer.data ?? []).toSorted((a, b) => (a.index ?? 0) - (b.index ?? 0));
    const vectors = rows.map((row) => unit(Float32Array.from(row.embedding ?? [])));
    dimension ||= vectors[0]?.length ?? 0;
    const isWhole = vectors.length === expected && vectors.every((vector) => vector.length === dimension);
    if (isWhole && dimension > 0) return vectors;
    const lengths = [...new Set(vectors.map((vector) => vector.length))].join(', ');
    throw new Upstream(
      `The model gave ${vectors.length} vectors of length ${lengths || '0'} for ${expected} texts, not ${dimension || 'any'}.`,
      { retryable: false },
    );
  }

  return {
    modelId: `${model}@${base}`,
    get dimension() {
      return dimension;
    },
    async embed(texts) {
      const url = await guardUrl(`${base}/embeddings`, settings);
      if (component.api_version) url.searchParams.set('api-version', component.api_version);
      const vectors: Float32Array[] = [];
      for (let from = 0; from < texts.length; from += batchSize) {
        vectors.push(...(await embedBatch(url, texts.slice(from, from + batchSize))));
      }
      return vectors;
    },
  };
};

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return length > 0 ? vector.map((value) => value / length) : vector;
}
