import { type Behaviour, bearer } from './behaviour.ts';
import { embeddings } from './embedding.ts';

const cohereError = (_: number, message: string) => ({ message });

interface EmbedBody {
  model: string;
  texts: string[];
  input_type: string;
  embedding_types?: string[];
  output_dimension?: number;
}

const PURPOSES: Record<string, string> = { search_document: 'document', search_query: 'query' };

export const cohere: Behaviour = {
  name: 'cohere',
  error: cohereError,
  ...bearer,
  settings: {
    key: 'key-of-the-vendor',
    models: ['m', 'embed-english-v3.0', 'embed-multilingual-v3.0', 'embed-v4.0'],
    dimension: 8,
  },
  operations: {
    'POST /v2/embed': {
      sample: {
        body: {
          model: 'm',
          texts: ['a'],
          input_type: 'search_query',
          embedding_types: ['float'],
          truncate: 'END',
          output_dimension: 4,
        },
      },
      answer(request) {
        const body = request.body as EmbedBody;
        if (!(request.settings.models as string[]).includes(body.model)) {
          return { status: 404, body: cohereError(404, `model '${body.model}' not found`) };
        }
        const note = { texts: body.texts, purpose: PURPOSES[body.input_type] };
        const dimension = body.output_dimension ?? (request.settings.dimension as number);
        const types = body.embedding_types ?? ['float'];
        return embeddings(request, note, dimension, (vectors) => ({
          body: {
            id: 'd2b0c6f4-5f1e-4a3c-9f65-0d7d1e0c9a11',
            response_type: 'embeddings_by_type',
            texts: body.texts,
            embeddings: Object.fromEntries(
              types.map((type) => [type, vectors.map((vector) => compressed(vector, type))]),
            ),
            meta: { api_version: { version: '2' }, billed_units: { input_tokens: body.texts.length } },
          },
        }));
      },
    },
  },
};

/** Compresses a vector to an embedding type. Other values stay unchanged. */
function compressed(vector: unknown, type: string): unknown {
  if (type === 'float' || !Array.isArray(vector)) return vector;
  const largest = Math.max(...vector.map(Math.abs));
  const small = vector.map((value: number) => Math.round((value / largest) * 127));
  if (type === 'int8') return small;
  if (type === 'uint8') return small.map((value) => value + 128);
  if (type === 'base64') return Buffer.from(Float32Array.from(vector).buffer).toString('base64');
  const bytes: number[] = [];
  for (let at = 0; at < vector.length; at += 8) {
    const bits = vector.slice(at, at + 8).map((value: number) => (value > 0 ? 1 : 0));
    bytes.push(Number.parseInt(bits.join('').padEnd(8, '0'), 2));
  }
  return type === 'ubinary' ? bytes : bytes.map((byte) => byte - 128);
}
