import { AwsV4Signer } from 'aws4fetch';
import { z } from 'zod';
import { Invalid } from '#src/lib/errors.ts';
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
  limitRetries,
  testEmbedder,
} from './shared/definition.ts';
import { createEmbeddingHttp } from './shared/embedding-http.ts';

/**
 * Format of requests and answers of one model family on Amazon Bedrock. The InvokeModel API passes both
 * through unchanged.
 */
interface BedrockFamily {
  /** Maximum number of texts per call. */
  texts: number;
  /** Maximum number of tokens per text. The model rejects longer texts. */
  tokensPerText?: number;
  /**
   * Maximum number of UTF-16 code units per text. The model rejects longer texts regardless of their number
   * of tokens.
   */
  unitsPerText?: number;
  body(texts: string[], purpose: EmbeddingPurpose): Record<string, unknown>;
  answer: z.ZodType<unknown[]>;
}

const INPUT_TYPES = { document: 'search_document', query: 'search_query' } as const;

const titan: BedrockFamily = {
  texts: 1,
  tokensPerText: 8192,
  unitsPerText: 50_000,
  body: ([inputText]) => ({ inputText }),
  answer: z.object({ embedding: z.unknown() }).transform(({ embedding }) => [embedding]),
};

/** Older models answer with a list of vectors. Newer models always group the vectors by their number type. */
const cohereAnswer = z
  .object({
    embeddings: z.union([z.array(z.unknown()), z.object({ float: z.array(z.unknown()) })]),
  })
  .transform(({ embeddings }) => (Array.isArray(embeddings) ? embeddings : embeddings.float));

const cohereV3: BedrockFamily = {
  texts: 96,
  unitsPerText: 2048,
  body: (texts, purpose) => ({ texts, input_type: INPUT_TYPES[purpose], truncate: 'END' }),
  answer: cohereAnswer,
};

const cohereV4: BedrockFamily = {
  texts: 96,
  tokensPerText: 128_000,
  body: (texts, purpose) => ({ texts, input_type: INPUT_TYPES[purpose], embedding_types: ['float'] }),
  answer: cohereAnswer,
};

const FAMILIES: [name: string, family: BedrockFamily][] = [
  ['amazon.titan-embed-text', titan],
  ['amazon.titan-embed-g1-text', titan],
  ['cohere.embed-v4', cohereV4],
  ['cohere.embed-english-v3', cohereV3],
  ['cohere.embed-multilingual-v3', cohereV3],
];

/** Returns the model family for a model id, an inference profile (`us.cohere.embed-v4:0`) or an ARN. */
const findFamily = (model: string) => FAMILIES.find(([name]) => model.includes(name))?.[1];

const FAMILY_NAMES = FAMILIES.map(([name]) => name);

const DEFAULT_MODEL = 'amazon.titan-embed-text-v1';
const DEFAULT_TIMEOUT_SECONDS = 60;

/**
 * Amazon Bedrock embeddings. Requests are signed here, because the SDK would sign the body before additional
 * fields of the configuration are added.
 */
export const bedrock = defineEmbedder({
  kind: 'PROVIDER_B_EMBEDDING',
  title: 'Cloud-managed model service',
  client: {
    word: 'BEDROCK_EMBEDDING',
    className: 'BedrockEmbedding',
    fields: {
      cloud_access_key_id: 'aws_access_key_id',
      cloud_secret_access_key: 'aws_secret_access_key',
      cloud_session_token: 'aws_session_token',
    },
  },
  fields: {
    additional_kwargs: embedderField.furtherMembers(),
    cloud_access_key_id: secret().nullish(),
    cloud_secret_access_key: secret().nullish(),
    cloud_session_token: secret().nullish(),
    max_retries: embedderField.retries(z.int().gt(0)),
    model_name: embedderField.model(),
    profile_name: withoutEffect(
      field.text(),
      'There are no credential files with profiles here. Set cloud_access_key_id and cloud_secret_access_key instead.',
    ),
    region_name: field.text(),
    timeout: z.number().nullable().default(60).describe('Timeout in seconds for connecting and for reading.'),
  },
  capabilities: { maxBatch: 96, distinguishesPurpose: true },
  open(settings, deps) {
    const region = parseRegion(settings.region_name);
    const accessKeyId = requireField('cloud_access_key_id', settings.cloud_access_key_id);
    const secretAccessKey = requireField('cloud_secret_access_key', settings.cloud_secret_access_key);
    const sessionToken = settings.cloud_session_token || undefined;
    const model = settings.model_name || DEFAULT_MODEL;
    const family = findFamily(model);
    if (!family) {
      const message = `Input should name a text embedding model: ${FAMILY_NAMES.join(', ')}`;
      throw Invalid.field([...componentLoc, 'model_name'], message, 'value_error');
    }
    const { timeout } = settings;
    const ask = createEmbeddingHttp(deps, {
      name: `The embedding endpoint bedrock-runtime.${region}`,
      seconds: timeout && timeout > 0 ? timeout : DEFAULT_TIMEOUT_SECONDS,
      secrets: [accessKeyId, secretAccessKey],
    });
    const url = `https://bedrock-runtime.${region}.amazonaws.com/model/${encodeURIComponent(model)}/invoke`;
    return createBatchedEmbedder({
      modelId: `${settings.model_name || 'default'}@PROVIDER_B_EMBEDDING`,
      dimension: 0,
      batchSize: Math.min(settings.embed_batch_size ?? 10, family.texts),
      tokensPerText: family.tokensPerText,
      unitsPerText: family.unitsPerText,
      workers: settings.num_workers ?? 1,
      retries: limitRetries(settings.max_retries),
      log: deps.log,
      async embedBatch(texts, purpose, signal) {
        const body = JSON.stringify({ ...settings.additional_kwargs, ...family.body(texts, purpose) });
        const credentials = { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
        const request = { url, method: 'POST', body, headers: { 'content-type': 'application/json' } };
        const signer = new AwsV4Signer({ ...request, ...credentials, service: 'bedrock', region });
        const { headers } = await signer.sign();
        return ask(url, { headers, body, signal }, family.answer);
      },
    });
  },
  check: (embedder) =>
    nameWrongField(testEmbedder(embedder), {
      address: 'region_name',
      key: 'cloud_access_key_id, cloud_secret_access_key or cloud_session_token',
      model: 'model_name',
    }),
});

/** Validates an AWS region, which becomes part of the host name. */
function parseRegion(given: string | null | undefined): string {
  const region = requireField('region_name', given);
  if (/^[a-z0-9-]{1,40}$/.test(region)) return region;
  const message = 'Input should be a region such as us-east-1';
  throw Invalid.field([...componentLoc, 'region_name'], message, 'value_error');
}

/**
 * Returns a required credential. Throws `Invalid` if a stored configuration lacks the credential, because
 * there is no other source for it.
 */
function requireField(name: string, value: string | null | undefined): string {
  if (value) return value;
  throw Invalid.field([...componentLoc, name], 'Field required', 'missing');
}
