import { type Behaviour, bearer, type VendorRequest } from './behaviour.ts';
import { embeddings } from './embedding.ts';

const hubError = (_: number, message: string) => ({ error: message });

function answer(request: VendorRequest) {
  const { owner, model } = request.params;
  const name = owner ? `${owner}/${model}` : model!;
  if (!(request.settings.models as string[]).includes(name)) {
    return { status: 404, body: hubError(404, `Model ${name} is not supported by provider hf-inference`) };
  }
  const { inputs } = request.body as { inputs: string | string[] };
  const texts = [inputs].flat();
  const { dimension, tokens } = request.settings as { dimension: number; tokens?: boolean };
  return embeddings(request, { texts }, dimension, (vectors) => {
    const body = tokens ? vectors.map(toTokenVectors) : vectors;
    return { body: typeof inputs === 'string' ? body[0] : body };
  });
}

/**
 * Returns the token vectors of a model without pooling: three tokens, with the given vector in the middle.
 */
export function toTokenVectors(vector: unknown): unknown {
  if (!Array.isArray(vector)) return vector;
  return [vector.map((value) => value + 1), vector, vector.map((value) => value * 4)];
}

const sample = { body: { inputs: ['a'], normalize: true, truncate: true, truncation_direction: 'right' } };

export const huggingface: Behaviour = {
  name: 'huggingface-inference',
  error: hubError,
  ...bearer,
  settings: {
    key: 'key-of-the-vendor',
    models: ['m', 'o/m', 'BAAI/bge-small-en-v1.5', 'sentence-transformers/all-MiniLM-L6-v2'],
    dimension: 4,
  },
  operations: {
    'POST /hf-inference/models/{owner}/{model}/pipeline/feature-extraction': {
      sample: { params: { owner: 'o', model: 'm' }, ...sample },
      answer,
    },
    'POST /hf-inference/models/{model}/pipeline/feature-extraction': {
      sample: { params: { model: 'm' }, ...sample },
      answer,
    },
  },
};
