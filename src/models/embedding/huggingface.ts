import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { namingField } from '#src/models/definition/naming-field.ts';
import { batchedEmbedder } from './shared/batched.ts';
import { defineEmbedder, embedderField, QUICK_RETRIES, tryEmbedder } from './shared/definition.ts';
import { wrongAnswer } from './shared/unit-vector.ts';

const POOLINGS = ['cls', 'last', 'mean'] as const;

type Pooling = (typeof POOLINGS)[number];

const ROUTER = 'https://router.huggingface.co/hf-inference/models';
/** Default models that the hub recommends for each task. */
const RECOMMENDED = {
  'feature-extraction': 'thenlper/gte-large',
  'sentence-similarity': 'sentence-transformers/all-MiniLM-L6-v2',
} as const;
/** Default batch limit of the servers behind this API. */
const MAX_BATCH = 32;
const DEFAULT_TIMEOUT_SECONDS = 60;
const MOST_BYTES = 64 * 2 ** 20;

/**
 * Hugging Face models, and servers of the same protocol. `model_name` is a model's name or a server's
 * address.
 */
export const huggingface = defineEmbedder({
  kind: 'PROVIDER_E_EMBEDDING',
  title: 'Model-hub inference API',
  client: { word: 'HUGGINGFACE_API_EMBEDDING', className: 'HuggingFaceInferenceAPIEmbedding' },
  fields: {
    token: withoutEffect(
      z.union([secret(), z.boolean()]).nullish().describe('false: no token is sent.'),
      (value) =>
        value === true ? 'There is no token of the machine to send; give the token itself.' : undefined,
    ),
    cookies: embedderField.secretMap(),
    headers: embedderField.secretMap(),
    model_name: field.text().describe('Or the address of a server; what `task` recommends when omitted.'),
    pooling: z
      .enum(POOLINGS)
      .nullable()
      .default('cls')
      .describe('Makes one vector of those of the tokens, where the model gives a vector for each.'),
    query_instruction: field.text().describe('Stands before each query.'),
    task: z
      .enum(Object.keys(RECOMMENDED) as (keyof typeof RECOMMENDED)[])
      .nullish()
      .describe('Chooses the model when `model_name` is omitted.'),
    text_instruction: field.text().describe('Stands before each text that is indexed.'),
    timeout: field.number().describe('Seconds.'),
  },
  capabilities: { maxBatch: MAX_BATCH, tellsPurpose: false },
  open(settings, deps) {
    const { token, cookies, pooling } = settings;
    const model = settings.model_name || RECOMMENDED[settings.task ?? 'feature-extraction'];
    const isServer = /^https?:/i.test(model);
    const address = isServer ? model : `${ROUTER}/${pathOf(model)}/pipeline/feature-extraction`;
    const seconds = settings.timeout || DEFAULT_TIMEOUT_SECONDS;
    const http = deps.http({
      name: `The embedding endpoint ${isServer ? hostOf(model) : 'PROVIDER_E_EMBEDDING'}`,
      silenceSeconds: seconds,
      totalSeconds: seconds,
      maxBytes: MOST_BYTES,
    });
    const cookie = Object.entries(cookies ?? {}).map(([name, value]) => `${name}=${value}`);
    const headers = new Headers({
      'content-type': 'application/json',
      ...(typeof token === 'string' && token && { authorization: `Bearer ${token}` }),
      ...(cookie.length > 0 && { cookie: cookie.join('; ') }),
    });
    for (const [name, value] of Object.entries(settings.headers ?? {})) headers.set(name, value);
    const instructions = { document: settings.text_instruction, query: settings.query_instruction };
    return batchedEmbedder({
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
        const rows = await http.json(response, z.array(z.unknown(), { error: 'is no list of vectors' }));
        return rows.map((row) => pooled(row, pooling ?? 'cls'));
      },
    });
  },
  check: (embedder) =>
    namingField(tryEmbedder(embedder), { address: 'model_name', key: 'token', model: 'model_name' }),
});

/** Returns the path of a model: owner and name, or an old name without owner. */
const pathOf = (model: string) => model.split('/').map(encodeURIComponent).join('/');

const hostOf = (address: string) => URL.parse(address)?.host ?? '';

/** Combines token vectors into one vector for the text. Values that are no list of vectors stay unchanged. */
function pooled(row: unknown, pooling: Pooling): unknown {
  if (!Array.isArray(row) || !Array.isArray(row[0])) return row;
  // Some servers wrap the token vectors of a text in a batch of one.
  const isWrapped = row.length === 1 && Array.isArray(row[0][0]);
  const tokens = (isWrapped ? row[0] : row) as unknown[][];
  if (pooling === 'cls') return tokens[0];
  if (pooling === 'last') return tokens.at(-1);
  const sum = new Float64Array(tokens[0]!.length);
  for (const token of tokens) {
    if (!Array.isArray(token) || token.length !== sum.length) {
      throw wrongAnswer('The model gave vectors of different lengths for the tokens of a text.');
    }
    // A value that is no number makes the sum NaN, which is detected later.
    for (const [at, value] of token.entries()) sum[at]! += typeof value === 'number' ? value : Number.NaN;
  }
  return Array.from(sum, (value) => value / tokens.length);
}
