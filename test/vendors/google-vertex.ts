import type { Behaviour, VendorRequest } from './behaviour.ts';
import { embeddings } from './embedding.ts';
import { issueAccessToken } from './google-oauth-token.ts';

const STATUSES: Record<number, string> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
};

export const googleError = (code: number, message: string) => ({
  error: { code, message, status: STATUSES[code] ?? 'UNKNOWN' },
});

interface PredictBody {
  instances: { content: string; task_type?: string; title?: string }[];
  parameters?: { outputDimensionality?: number; autoTruncate?: boolean };
}

export const PURPOSES: Record<string, string> = { RETRIEVAL_DOCUMENT: 'document', RETRIEVAL_QUERY: 'query' };
/** Characters that this server counts as one token. Tokens of the real service are no longer than that. */
const LETTERS_PER_TOKEN = 10;
const TOKENS_PER_CALL = 20_000;

function predict(request: VendorRequest) {
  const { projectsId, modelsId, publishersId, locationsId } = request.params;
  const { models, project, dimension } = request.settings as Record<string, unknown>;
  if (projectsId !== project) {
    const message = `Permission 'aiplatform.endpoints.predict' denied on resource '//${projectsId}'.`;
    return { status: 403, body: googleError(403, message) };
  }
  const isThere = request.url.hostname === getVertexHost(locationsId!);
  if (!isThere || publishersId !== 'google' || !(models as string[]).includes(modelsId!)) {
    return { status: 404, body: googleError(404, `Publisher Model ${modelsId} not found.`) };
  }
  const { instances, parameters } = request.body as PredictBody;
  const letters = instances.reduce((sum, { content }) => sum + content.length, 0);
  const problem =
    modelsId!.startsWith('gemini-embedding') && instances.length > 1
      ? 'only 1 instance is allowed'
      : letters > TOKENS_PER_CALL * LETTERS_PER_TOKEN
        ? 'the input token count is more than the model supports'
        : undefined;
  if (problem) return { status: 400, body: googleError(400, problem) };
  const texts = instances.map(({ content }) => content);
  const purpose = PURPOSES[instances[0]!.task_type ?? ''];
  const wanted = parameters?.outputDimensionality ?? (dimension as number);
  return embeddings(request, { texts, purpose }, wanted, (vectors) => ({
    body: {
      predictions: vectors.map((values) => ({
        embeddings: { values, statistics: { truncated: false, token_count: 1 } },
      })),
      metadata: { billableCharacterCount: letters },
    },
  }));
}

const getVertexHost = (location: string) =>
  `${location === 'global' ? '' : `${location}-`}aiplatform.googleapis.com`;

const TEMPLATE =
  '/v1/projects/{projectsId}/locations/{locationsId}/publishers/{publishersId}/models/{modelsId}:predict';

export const googleVertex: Behaviour = {
  name: 'google-vertex',
  error: googleError,
  authenticate: ({ headers, settings }) =>
    headers.authorization === `Bearer ${issueAccessToken(settings)}`
      ? undefined
      : { status: 401, message: 'Request had invalid authentication credentials.' },
  sign: (_, settings) => ({ authorization: `Bearer ${issueAccessToken(settings)}` }),
  settings: {
    clientEmail: 'vendor@p.iam.gserviceaccount.com',
    project: 'p',
    models: ['text-embedding-005'],
    dimension: 4,
  },
  operations: {
    [`POST ${TEMPLATE}`]: {
      sample: {
        params: {
          ...{ projectsId: 'p', locationsId: 'us-central1', location: 'us-central1' },
          ...{ publishersId: 'google', modelsId: 'text-embedding-005' },
        },
        body: {
          instances: [{ content: 'a', task_type: 'RETRIEVAL_DOCUMENT', title: 't' }],
          parameters: { autoTruncate: true, outputDimensionality: 4 },
        },
      },
      answer: predict,
    },
  },
};
