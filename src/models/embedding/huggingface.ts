import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { nameWrongField } from '#src/models/definition/name-wrong-field.ts';
import { createBatchedEmbedder } from './shared/batched.ts';
import { defineEmbedder, embedderField, QUICK_RETRIES, testEmbedder } from './shared/definition.ts';
import { createAnswerError } from './shared/unit-vector.ts';

const POOLINGS = ['cls', 'last', 'mean'] as const;

type Pooling = (typeof POOLINGS)[number];

const ROUTER = 'https://router.huggingface.co/hf-inference/models';
/** Default models that the Hugging Face hub recommends for each task. */
const RECOMMENDED = {
  'feature-extraction': 'thenlper/gte-large',
  'sentence-similarity': 'sentence-transformers/all-MiniLM-L6-v2',
} as const;
/** Default maximum number of texts per call of the servers that implement this API. */
const MAX_BATCH = 32;
const DEFAULT_TIMEOUT_SECONDS = 60;
const MAX_ANSWER_BYTES = 64 * 2 ** 20;

/**
 * Embedding models of Hugging Face, and of servers with the same API. `model_name` is the name of a model or
 * the address of a server.
 */
export const huggingface = defineEmbedder({
  kind: 'PROVIDER_E_EMBEDDING',
  title: 'Model-hub inference API',
  client: { word: 'HUGGINGFACE_API_EMBEDDING', className: 'HuggingFaceInferenceAPIEmbedding' },
  fields: {
    token: withoutEffect(
      z.union([secret(), z.boolean()]).nullish().describe('API token. With `false`, no token is sent.'),
      (value) =>
        value === true ? 'No token is stored on this machine. Set the token itself instead.' : undefined,
    ),
    cookies: embedderField.secretMap(),
    headers: embedderField.secretMap(),
    model_name: field
      .text()
      .describe('Name of a model or URL of a server. Default: the recommended model of `task`.'),
    pooling: z
      .enum(POOLINGS)
      .nullable()
      .default('cls')
      .describe('Combines the vectors of tokens into one vector, if the model returns one vector per token.'),
    query_instruction: field.text().describe('Text that is added before each query.'),
    task: z
      .enum(Object.keys(RECOMMENDED) as (keyof typeof RECOMMENDED)[])
      .nullish()
      .describe('Task that selects the model if `model_name` is absent.'),
    text_instruction: field.text().describe('Text that is added before each indexed text.'),
    timeout: field.number().describe('Timeout in seconds.'),
  },
  capabilities: { maxBatch: MAX_BATCH, distinguishesPurpose: false },
  open(settings, deps) {
    const { token, cookies, pooling } = settings;
    const model = settings.model_name || RECOMMENDED[settings.task ?? 'feature-extraction'];
    const isServer = /^https?:/i.test(model);
    const address = isServer ? model : `${ROUTER}/${toModelPath(model)}/pipeline/feature-extraction`;
    const seconds = settings.timeout || DEFAULT_TIMEOUT_SECONDS;
    const http = deps.http({
      name: `The embedding endpoint ${isServer ? getHost(model) : 'PROVIDER_E_EMBEDDING'}`,
      silenceSeconds: seconds,
      totalSeconds: seconds,
      maxBytes: MAX_ANSWER_BYTES,
    });
    const cookie = Object.entries(cookies ?? {}).map(([name, value]) => `${name}=${value}`);
    const headers = new Headers({
      'content-type': 'application/json',
      ...(typeof token === 'string' && token && { authorization: `Bearer ${token}` }),
      ...(cookie.length > 0 && { cookie: cookie.join('; ') }),
    });
    for (const [name, value] of Object.entries(settings.headers ?? {})) headers.set(name, value);
    const instructions = { document: settings.text_instruction, query: settings.query_instruction };
    return createBatchedEmbedder({
      modelId: `${settings.model_name || 'default'}@PROVIDER_E_EMBEDDING/${pooling ?? 'cls'}`,
      dimension: 0,
      batchSize: Math.min(settings.embed_batch_size ?? 10, MAX_BATCH),
      workers: settings.num_workers ?? 1,
      retries: QUICK_RETRIES,
      log: deps.log,
      async embedBatch(texts, purpose, signal) {
        const instruction = instructions[purpose];
        const inputs = instruction ? texts.map((text) => `${instruction} ${text}`.trim()) : texts;
        const body = JSON.stringify({ inputs, truncate: true });
        const response = await http.request(
          address,
          { method: 'POST', headers, body, signal },
          { what: 'vectors' },
        );
        const rows = await http.json(response, z.array(z.unknown(), { error: 'is not a list of vectors' }));
        return rows.map((row) => poolTokens(row, pooling ?? 'cls'));
      },
    });
  },
  check: (embedder) =>
    nameWrongField(testEmbedder(embedder), { address: 'model_name', key: 'token', model: 'model_name' }),
});

/** Returns the URL path of a model. Its name consists of owner and name, or of a name only for old models. */
const toModelPath = (model: string) => model.split('/').map(encodeURIComponent).join('/');

const getHost = (address: string) => URL.parse(address)?.host ?? '';

/**
 * Combines the vectors of a text's tokens into one vector. Values that are not a list of vectors are returned
 * unchanged.
 */
function poolTokens(row: unknown, pooling: Pooling): unknown {
  if (!Array.isArray(row) || !Array.isArray(row[0])) return row;
  // Some servers return the token vectors of a text inside a list with one element.
  const isWrapped = row.length === 1 && Array.isArray(row[0][0]);
  const tokens = (isWrapped ? row[0] : row) as unknown[][];
  if (pooling === 'cls') return tokens[0];
  if (pooling === 'last') return tokens.at(-1);
  const sum = new Float64Array(tokens[0]!.length);
  for (const token of tokens) {
    if (!Array.isArray(token) || token.length !== sum.length) {
      throw createAnswerError('The model returned vectors of different lengths for the tokens of a text.');
    }
    // A value that is not a number turns the sum into NaN, which is detected later.
    for (const [at, value] of token.entries()) sum[at]! += typeof value === 'number' ? value : Number.NaN;
  }
  return Array.from(sum, (value) => value / tokens.length);
}
