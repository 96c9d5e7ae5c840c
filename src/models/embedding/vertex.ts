import { z } from 'zod';
import { Invalid } from '#src/lib/errors.ts';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { namingField } from '#src/models/definition/naming-field.ts';
import { serviceAccountOf, serviceAccountToken, vertexHost } from '#src/models/definition/vertex.ts';
import type { EmbeddingPurpose } from '#src/ports/embedder.ts';
import { untilAborted } from '#src/upstream/watched-body.ts';
import { batchedEmbedder } from './shared/batched.ts';
import {
  componentLoc,
  defineEmbedder,
  embedderField,
  QUICK_RETRIES,
  tryEmbedder,
} from './shared/definition.ts';
import { embeddingHttp } from './shared/embedding-http.ts';

const DEFAULT_MODEL = 'text-embedding-005';
const MAX_BATCH = 250;
/** Maximum tokens of all texts in one call. */
const TOKENS_PER_CALL = 20_000;
const TIMEOUT_SECONDS = 60;

const MODES = ['classification', 'clustering', 'default', 'retrieval', 'similarity'] as const;
type Task = Record<EmbeddingPurpose, string> | string | undefined;
/** Task type of each embedding mode; `default` sends none. */
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
 * Publisher models of Vertex AI behind `:predict`, with a service account. The SDK's driver is not used,
 * because it requests tokens without the guarded fetch and at an address of its own.
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
  capabilities: { maxBatch: MAX_BATCH, tellsPurpose: true },
  open(settings, deps) {
    const { location, project } = settings;
    const model = settings.model_name || DEFAULT_MODEL;
    const host = hostOf(location);
    const access = serviceAccountToken(serviceAccountOf(settings, ['body', ...componentLoc]), deps);
    const name = `The embedding endpoint ${host}`;
    const ask = embeddingHttp(deps, { name, seconds: TIMEOUT_SECONDS });
    const path = ['projects', project, 'locations', location, 'publishers', 'google', 'models', model];
    const url = `https://${host}/v1/${path.map(encodeURIComponent).join('/')}:predict`;
    const parameters = parametersOf(settings.additional_kwargs ?? {});
    const asked = parameters?.outputDimensionality;
    return batchedEmbedder({
      modelId: `${settings.model_name || 'default'}@PROVIDER_H_EMBEDDING`,
      dimension: typeof asked === 'number' ? asked : 0,
      dimensionField: 'additional_kwargs',
      batchSize: Math.min(settings.embed_batch_size ?? 10, textsPerCall(model)),
      tokensPerCall: TOKENS_PER_CALL,
      // The model truncates longer texts unless `auto_truncate` is false, but refuses calls above this limit.
      tokensPerText: TOKENS_PER_CALL,
      workers: settings.num_workers ?? 1,
      retries: QUICK_RETRIES,
      log: deps.log,
      async embedBatch(texts, purpose, signal) {
        const task = taskOf(settings.embed_mode ?? 'retrieval', purpose);
        const instances = texts.map((content) => ({ content, ...(task && { task_type: task }) }));
        const token = await untilAborted(access.get(), signal);
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
        const body = JSON.stringify({ instances, ...(parameters && { parameters }) });
        try {
          const { predictions } = await ask(url, { headers, body, signal }, answer);
          return predictions.map(({ embeddings }) => embeddings.values);
        } catch (error) {
          // The token was revoked early, so the next call requests another.
          if ((error as { status?: number }).status === 401) await access.drop(token);
          throw error;
        }
      },
    });
  },
  check: (embedder) =>
    namingField(tryEmbedder(embedder), {
      address: 'location or project',
      key: 'client_email or project',
      model: 'model_name',
    }),
});

/** The newest model family accepts one text per call. */
const textsPerCall = (model: string) => (model.startsWith('gemini-embedding') ? 1 : MAX_BATCH);

function taskOf(mode: keyof typeof TASKS, purpose: EmbeddingPurpose): string | undefined {
  const task = TASKS[mode];
  return typeof task === 'object' ? task[purpose] : task;
}

/** Clients use either spelling of these parameters; the service accepts one. */
function parametersOf(given: Record<string, unknown>) {
  const camelCase = (name: string) =>
    name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const entries = Object.entries(given).map(([name, value]) => [camelCase(name), value] as const);
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/** Validates a location, which becomes part of the host name. */
function hostOf(location: string): string {
  if (/^[a-z0-9-]{1,40}$/.test(location)) return vertexHost(location);
  throw wrongField('location', 'Input should be a location such as us-central1');
}

const wrongField = (name: string, message: string) =>
  Invalid.field([...componentLoc, name], message, 'value_error');
