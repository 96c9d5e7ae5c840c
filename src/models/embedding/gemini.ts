import { z } from 'zod';
import { baseUrl } from '#src/lib/base-url.ts';
import { Invalid, Upstream } from '#src/lib/errors.ts';
import { field } from '#src/lib/schema/component.ts';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { nameWrongField } from '#src/models/definition/name-wrong-field.ts';
import type { EmbeddingPurpose } from '#src/ports/embedder.ts';
import { createBatchedEmbedder } from './shared/batched.ts';
import {
  componentLoc,
  defineEmbedder,
  embedderField,
  QUICK_RETRIES,
  testEmbedder,
} from './shared/definition.ts';
import { createEmbeddingHttp } from './shared/embedding-http.ts';

const DEFAULT_BASE = 'https://generativelanguage.googleapis.com';
const VERSION = 'v1beta';
const DEFAULT_MODEL = 'gemini-embedding-001';
/** Maximum number of input tokens of the default model. */
const DEFAULT_MODEL_TOKENS = 2048;
const MAX_BATCH = 100;
const TIMEOUT_SECONDS = 60;

const TASKS = [
  'retrieval_document',
  'retrieval_query',
  'semantic_similarity',
  'classification',
  'clustering',
  'question_answering',
  'fact_verification',
  'code_retrieval_query',
] as const;
type Task = (typeof TASKS)[number];

const answer = z.object({ embeddings: z.array(z.object({ values: z.unknown() })) });

/**
 * Embedding models of Google's Gemini API. The driver of the SDK is not used, because it cannot send document
 * titles and does not escape the model name in the address.
 */
export const gemini = defineEmbedder({
  kind: 'PROVIDER_D_EMBEDDING',
  title: 'Hosted API with task types',
  client: { word: 'GEMINI_EMBEDDING', className: 'GeminiEmbedding' },
  fields: {
    api_base: field.text().describe('URL of the API. Default: the hosted API.'),
    api_key: secret().nullish(),
    model_name: embedderField.model(),
    output_dimensionality: field
      .int()
      .describe('Number of dimensions. The oldest model does not support it.'),
    task_type: field
      .textOr('retrieval_document')
      .describe(
        'Kind of the texts. With retrieval_document, queries are embedded as retrieval_query. Other kinds apply to both.',
      ),
    title: field.textOr('').describe('Title of the texts. Only for retrieval_document.'),
    transport: withoutEffect(field.text(), (value) =>
      value === 'rest' ? undefined : 'Requests always use REST.',
    ),
  },
  capabilities: { maxBatch: MAX_BATCH, distinguishesPurpose: true },
  open(settings, deps) {
    const { api_key: key, output_dimensionality: dimension } = settings;
    const base = parseBaseUrl(settings.api_base);
    const model = (settings.model_name || DEFAULT_MODEL).replace(/^models\//, '');
    const configured = parseTask(settings.task_type);
    const place = settings.api_base ? base : 'PROVIDER_D_EMBEDDING';
    const name = `The embedding endpoint ${settings.api_base ? new URL(base).host : place}`;
    const ask = createEmbeddingHttp(deps, { name, seconds: TIMEOUT_SECONDS });
    const url = `${base}/models/${encodeURIComponent(model)}:batchEmbedContents`;
    const headers = { 'content-type': 'application/json', ...(key && { 'x-goog-api-key': key }) };
    return createBatchedEmbedder({
      modelId: `${settings.model_name || 'default'}@${place}`,
      dimension: dimension || 0,
      dimensionField: 'output_dimensionality',
      batchSize: Math.min(settings.embed_batch_size ?? 10, MAX_BATCH),
      tokensPerText: model === DEFAULT_MODEL ? DEFAULT_MODEL_TOKENS : undefined,
      workers: settings.num_workers ?? 1,
      retries: QUICK_RETRIES,
      log: deps.log,
      async embedBatch(texts, purpose, signal) {
        const task = chooseTask(configured, purpose);
        const requests = texts.map((text) => ({
          model: `models/${model}`,
          content: { parts: [{ text }] },
          taskType: task.toUpperCase(),
          ...(settings.title && task === 'retrieval_document' && { title: settings.title }),
          ...(dimension && { outputDimensionality: dimension }),
        }));
        const body = JSON.stringify({ requests });
        const { embeddings } = await ask(url, { headers, body, signal }, answer);
        return embeddings.map(({ values }) => values);
      },
    });
  },
  check: (embedder, { api_base }) =>
    nameWrongField(testEmbedder(embedder).catch(rethrowWrongKey), {
      ...(api_base && { address: 'api_base' }),
      key: 'api_key',
      model: 'model_name',
    }),
});

/**
 * Rethrows an error of the Gemini API. Gemini answers a wrong key with status 400, which is changed to 401.
 */
function rethrowWrongKey(error: unknown): never {
  if (!(error instanceof Upstream && error.status === 400 && /api key/i.test(error.message))) throw error;
  throw new Upstream(error.message, { retryable: false, status: 401, cause: error });
}

const chooseTask = (configured: Task, purpose: EmbeddingPurpose): Task =>
  configured === 'retrieval_document' && purpose === 'query' ? 'retrieval_query' : configured;

/** Parses the name of the embedding task, which clients send in lower or upper case. */
function parseTask(given: string | null): Task {
  const named = (given || 'retrieval_document').toLowerCase();
  const task = TASKS.find((each) => each === named);
  if (task) return task;
  const message = `Input should be one of ${TASKS.join(', ')}`;
  throw Invalid.field([...componentLoc, 'task_type'], message, 'enum');
}

/** Returns the base URL of the Gemini API. Adds the API version if the configured address has no path. */
function parseBaseUrl(given: string | null | undefined): string {
  const base = baseUrl(given || DEFAULT_BASE);
  const url = URL.parse(base);
  if (!url) throw Invalid.field([...componentLoc, 'api_base'], 'Input should be a valid URL', 'url_parsing');
  return url.pathname === '/' ? `${base}/${VERSION}` : base;
}
