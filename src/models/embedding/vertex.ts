import { z } from 'zod';
import { Invalid } from '#src/lib/errors.ts';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { nameWrongField } from '#src/models/definition/name-wrong-field.ts';
import { createServiceAccountToken, getVertexHost, toServiceAccount } from '#src/models/definition/vertex.ts';
import type { EmbeddingPurpose } from '#src/ports/embedder.ts';
import { raceAbort } from '#src/upstream/watched-body.ts';
import { createBatchedEmbedder } from './shared/batched.ts';
import {
  componentLoc,
  defineEmbedder,
  embedderField,
  QUICK_RETRIES,
  testEmbedder,
} from './shared/definition.ts';
import { createEmbeddingHttp } from './shared/embedding-http.ts';

const DEFAULT_MODEL = 'text-embedding-005';
const MAX_BATCH = 250;
const TOKENS_PER_CALL = 20_000;
const TIMEOUT_SECONDS = 60;

const MODES = ['classification', 'clustering', 'default', 'retrieval', 'similarity'] as const;
type Task = Record<EmbeddingPurpose, string> | string | undefined;
/**
 * Task type that Vertex AI receives for each embedding mode. For the mode `default`, no task type is sent.
 */
const TASKS: Record<(typeof MODES)[number], Task> = {
  classification: 'CLASSIFICATION',
  clustering: 'CLUSTERING',
  default: undefined,
  retrieval: { document: 'RETRIEVAL_DOCUMENT', query: 'RETRIEVAL_QUERY' },
  similarity: 'SEMANTIC_SIMILARITY',
};

const answer = z.object({
  predictions: z.array(z.object({ embeddings: z.object({ values: z.unknown() }) })),
});

/**
 * Embedding models of Google's Vertex AI, called with a service account. The driver of the SDK is not used,
 * because it requests access tokens without the checks of Sluice's HTTP client.
 */
export const vertex = defineEmbedder({
  kind: 'PROVIDER_H_EMBEDDING',
  title: 'Cloud machine-learning platform',
  client: { word: 'VERTEXAI_EMBEDDING', className: 'VertexTextEmbedding' },
  fields: {
    client_email: z.string(),
    location: z.string(),
    private_key: secret(),
    private_key_id: z.string(),
    project: z.string(),
    token_uri: z.string(),
    additional_kwargs: field
      .map()
      .describe('Parameters of each request: `output_dimensionality`, `auto_truncate`.'),
    embed_mode: z.enum(MODES).nullable().default('retrieval'),
    model_name: embedderField.model(),
  },
  capabilities: { maxBatch: MAX_BATCH, distinguishesPurpose: true },
  open(settings, deps) {
    const { location, project } = settings;
    const model = settings.model_name || DEFAULT_MODEL;
    const host = buildHost(location);
    const access = createServiceAccountToken(toServiceAccount(settings, ['body', ...componentLoc]), deps);
    const name = `The embedding endpoint ${host}`;
    const ask = createEmbeddingHttp(deps, { name, seconds: TIMEOUT_SECONDS });
    const path = ['projects', project, 'locations', location, 'publishers', 'google', 'models', model];
    const url = `https://${host}/v1/${path.map(encodeURIComponent).join('/')}:predict`;
    const parameters = pickParameters(settings.additional_kwargs ?? {});
    const dimensions = parameters?.outputDimensionality;
    return createBatchedEmbedder({
      modelId: `${settings.model_name || 'default'}@PROVIDER_H_EMBEDDING`,
      dimension: typeof dimensions === 'number' ? dimensions : 0,
      dimensionField: 'additional_kwargs',
      batchSize: Math.min(settings.embed_batch_size ?? 10, getMaxTexts(model)),
      tokensPerCall: TOKENS_PER_CALL,
      // The model truncates longer texts unless `auto_truncate` is false. It rejects calls with more tokens
      // than this limit.
      tokensPerText: TOKENS_PER_CALL,
      workers: settings.num_workers ?? 1,
      retries: QUICK_RETRIES,
      log: deps.log,
      async embedBatch(texts, purpose, signal) {
        const task = chooseTask(settings.embed_mode ?? 'retrieval', purpose);
        const instances = texts.map((content) => ({ content, ...(task && { task_type: task }) }));
        const token = await raceAbort(access.get(), signal);
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
        const body = JSON.stringify({ instances, ...(parameters && { parameters }) });
        try {
          const { predictions } = await ask(url, { headers, body, signal }, answer);
          return predictions.map(({ embeddings }) => embeddings.values);
        } catch (error) {
          // Status 401 means that the access token was revoked early. The token is dropped, so that the next
          // call requests a new one.
          if ((error as { status?: number }).status === 401) await access.drop(token);
          throw error;
        }
      },
    });
  },
  check: (embedder) =>
    nameWrongField(testEmbedder(embedder), {
      address: 'location or project',
      key: 'client_email or project',
      model: 'model_name',
    }),
});

/** Returns the maximum number of texts per call. The newest model family accepts one text per call. */
const getMaxTexts = (model: string) => (model.startsWith('gemini-embedding') ? 1 : MAX_BATCH);

function chooseTask(mode: keyof typeof TASKS, purpose: EmbeddingPurpose): string | undefined {
  const task = TASKS[mode];
  return typeof task === 'object' ? task[purpose] : task;
}

/**
 * Converts names of parameters to camelCase. Clients also write snake_case, but the provider accepts only
 * camelCase.
 */
function pickParameters(given: Record<string, unknown>) {
  const camelCase = (name: string) =>
    name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const entries = Object.entries(given).map(([name, value]) => [camelCase(name), value] as const);
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/** Validates a Vertex AI location, which becomes part of the host name. */
function buildHost(location: string): string {
  if (/^[a-z0-9-]{1,40}$/.test(location)) return getVertexHost(location);
  throw createFieldError('location', 'Input should be a location such as us-central1');
}

const createFieldError = (name: string, message: string) =>
  Invalid.field([...componentLoc, name], message, 'value_error');
