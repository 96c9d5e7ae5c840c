import { type Behaviour, bearer } from './behaviour.ts';
import { embeddings } from './embedding.ts';

export const openaiError = (status: number, message: string) => ({
  error: { message, type: 'invalid_request_error', param: null, code: String(status) },
});

interface EmbeddingBody {
  model: string;
  input: string[];
  dimensions?: number;
}

export const openai: Behaviour = {
  name: 'openai',
  error: openaiError,
  ...bearer,
  settings: {
    key: 'key-of-the-vendor',
    models: ['m', 'text-embedding-3-small', 'text-embedding-3-large', 'text-embedding-ada-002'],
    dimension: 4,
  },
  operations: {
    'POST /embeddings': {
      sample: { body: { model: 'm', input: ['a'], encoding_format: 'float', dimensions: 4, user: 'u' } },
      answer(request) {
        const { model, input, dimensions } = request.body as EmbeddingBody;
        if (!(request.settings.models as string[]).includes(model)) {
          return { status: 404, body: openaiError(404, `The model ${model} does not exist`) };
        }
        return openaiEmbeddings(request, model, input, dimensions);
      },
    },
  },
};

export function openaiEmbeddings(
  request: Parameters<Behaviour['operations'][string]['answer']>[0],
  model: string,
  input: string[],
  dimensions: number | null | undefined,
) {
  const texts = [input].flat();
  return embeddings(request, { texts }, dimensions ?? (request.settings.dimension as number), (vectors) => ({
    body: {
      object: 'list',
      model,
      // Reverses the list, because clients must use `index` instead of the order.
      data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })).reverse(),
      usage: { prompt_tokens: texts.length, total_tokens: texts.length },
    },
  }));
}
