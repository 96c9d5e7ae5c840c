import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { baseUrl } from '#src/lib/base-url.ts';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { nameWrongField } from '#src/models/definition/name-wrong-field.ts';
import { createBatchedEmbedder } from './shared/batched.ts';
import { defineEmbedder, embedderField, limitRetries, testEmbedder } from './shared/definition.ts';
import * as protocol from './shared/openai-protocol.ts';
import { createSdkBatch, createWireFetch } from './shared/sdk.ts';

const DEFAULT_BASE = 'https://api.openai.com/v1';

/** Embedding models of OpenAI, and of compatible endpoints whose address is `api_base`. */
export const openai = defineEmbedder({
  kind: 'PROVIDER_G_EMBEDDING',
  title: 'Standard hosted API',
  client: { word: 'OPENAI_EMBEDDING', className: 'OpenAIEmbedding' },
  fields: {
    additional_kwargs: embedderField.furtherMembers(),
    api_base: field.text().describe('URL of the API. Default: the hosted API.'),
    api_key: secret().nullish(),
    api_version: field.textOr(''),
    default_headers: embedderField.secretMap(),
    dimensions: embedderField.dimensions(),
    max_retries: embedderField.retries(),
    model_name: embedderField.model(),
    reuse_client: embedderField.reuseClient(),
    timeout: embedderField.seconds(),
  },
  capabilities: { maxBatch: protocol.MAX_BATCH, distinguishesPurpose: false },
  open(settings, deps) {
    const model = settings.model_name || protocol.DEFAULT_MODEL;
    const baseURL = baseUrl(settings.api_base || DEFAULT_BASE);
    // For the default address, error messages name the provider type instead of the host, so that they do not
    // reveal the vendor.
    const place = settings.api_base ? baseURL : 'PROVIDER_G_EMBEDDING';
    const name = `The embedding endpoint ${getHost(place)}`;
    const provider = createOpenAICompatible({
      name: 'embedding',
      baseURL,
      ...(settings.api_key && { apiKey: settings.api_key }),
      ...(settings.api_version && { queryParams: { 'api-version': settings.api_version } }),
      headers: settings.default_headers ?? {},
      fetch: createWireFetch(
        {
          name,
          timeoutSeconds: settings.timeout || protocol.DEFAULT_TIMEOUT_SECONDS,
          parameters: settings.additional_kwargs ?? {},
          answer: protocol.sortVectors,
        },
        deps,
      ),
    });
    const hosted = protocol.HOSTED_MODELS[model];
    return createBatchedEmbedder({
      modelId: `${settings.model_name || 'default'}@${place}`,
      dimension: settings.dimensions ?? hosted?.dimension ?? 0,
      dimensionField: settings.dimensions ? 'dimensions' : 'model_name',
      batchSize: Math.min(settings.embed_batch_size ?? 10, protocol.MAX_BATCH),
      tokensPerCall: protocol.TOKENS_PER_CALL,
      tokensPerText: hosted?.tokens,
      workers: settings.num_workers ?? 1,
      retries: limitRetries(settings.max_retries),
      log: deps.log,
      embedBatch: createSdkBatch(
        provider.embeddingModel(model),
        name,
        protocol.createDimensionsOption('embedding', settings.dimensions),
      ),
    });
  },
  check: (embedder) =>
    nameWrongField(testEmbedder(embedder), { address: 'api_base', key: 'api_key', model: 'model_name' }),
});

const getHost = (place: string) => URL.parse(place)?.host ?? place;
