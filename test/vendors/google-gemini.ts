import type { Behaviour, VendorRequest } from './behaviour.ts';
import { embeddings } from './embedding.ts';
import { googleError, PURPOSES } from './google-vertex.ts';

const MOST_REQUESTS = 100;

interface BatchBody {
  requests: {
    model: string;
    content: { parts: { text: string }[] };
    taskType?: string;
    title?: string;
    outputDimensionality?: number;
  }[];
}

function batchEmbed(request: VendorRequest) {
  const { requests } = request.body as BatchBody;
  const model = `models/${request.params.model}`;
  if (!(request.settings.models as string[]).includes(model)) {
    return { status: 404, body: googleError(404, `${model} is not found for API version v1beta`) };
  }
  const first = requests[0]!;
  const problem = requests.some((each) => each.model !== model)
    ? 'model must match the one of the path'
    : requests.some(({ title, taskType }) => title && taskType !== 'RETRIEVAL_DOCUMENT')
      ? 'title is only valid for RETRIEVAL_DOCUMENT'
      : requests.length > MOST_REQUESTS
        ? 'at most 100 requests can be in one batch'
        : undefined;
  if (problem) return { status: 400, body: googleError(400, problem) };
  const texts = requests.map(({ content }) => content.parts[0]!.text);
  const dimension = first.outputDimensionality ?? (request.settings.dimension as number);
  const purpose = PURPOSES[first.taskType ?? ''];
  return embeddings(request, { texts, purpose }, dimension, (vectors) => ({
    body: { embeddings: vectors.map((values) => ({ values })) },
  }));
}

export const googleGemini: Behaviour = {
  name: 'google-gemini',
  error: googleError,
  authenticate: ({ headers, query, settings }) =>
    (headers['x-goog-api-key'] ?? query.key) === settings.key
      ? undefined
      : // Gemini reports a wrong key with 400 instead of 401.
        { status: 400, message: 'API key not valid. Please pass a valid API key.' },
  sign: (_, { key }) => ({ 'x-goog-api-key': String(key) }),
  settings: {
    key: 'key-of-the-vendor',
    models: ['models/m', 'models/gemini-embedding-001'],
    dimension: 4,
  },
  operations: {
    'POST /v1beta/models/{model}:batchEmbedContents': {
      sample: {
        params: { model: 'm' },
        body: {
          requests: [
            {
              model: 'models/m',
              content: { role: 'user', parts: [{ text: 'a' }] },
              taskType: 'RETRIEVAL_DOCUMENT',
              title: 't',
              outputDimensionality: 4,
            },
          ],
        },
      },
      answer: batchEmbed,
    },
  },
};
