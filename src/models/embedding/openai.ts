import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { baseUrl } from '#src/lib/base-url.ts';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { namingField } from '#src/models/definition/naming-field.ts';
import { batchedEmbedder } from './shared/batched.ts';
import { defineEmbedder, embedderField, quickRetries, tryEmbedder } from './shared/definition.ts';
import * as protocol from './shared/openai-protocol.ts';
import { sdkBatch, wireFetch } from './shared/sdk.ts';

const DEFAULT_BASE = 'https://api.openai.com/v1';

/** OpenAI's API, and every compatible endpoint at `api_base`. */
export const openai = defineEmbedder({
  kind: 'PROVIDER_G_EMBEDDING',
  title: 'Standard hosted API',
  client: { word: 'OPENAI_EMBEDDING', className: 'OpenAIEmbedding' },
  fields: {
    additional_kwargs: embedderField.furtherMembers(),
    api_base: field.text().describe('The address of the hosted API when omitted.'),
    api_key: secret().nullish(),
    api_version: field.textOr(''),
    default_headers: embedderField.secretMap(),
    dimensions: embedderField.dimensions(),
    max_retries: embedderField.retries(),
    model_name: embedderField.model(),
    reuse_client: embedderField.reuseClient(),
    timeout: embedderField.seconds(),
  },
  capabilities: { maxBatch: protocol.MAX_BATCH, tellsPurpose: false },
  open(settings, deps) {
    const model = settings.model_name || protocol.DEFAULT_MODEL;
    const baseURL = baseUrl(settings.api_base || DEFAULT_BASE);
    // Error messages do not reveal the vendor of the default address.
    const place = settings.api_base ? baseURL : 'PROVIDER_G_EMBEDDING';
    const name = `The embedding endpoint ${hostOf(place)}`;
    const provider = createOpenAICompatible({
      name: 'embedding',
      baseURL,
      ...(settings.api_key && { apiKey: settings.api_key }),
      ...(settings.api_version && { queryParams: { 'api-version': settings.api_version } }),
      headers: settings.default_headers ?? {},
      fetch: wireFetch(
        {
          name,
          timeoutSeconds: settings.timeout || protocol.DEFAULT_TIMEOUT_SECONDS,
          parameters: settings.additional_kwargs ?? {},
          answer: protocol.inOrder,
        },
        deps,
      ),
    });
    const hosted = protocol.HOSTED_MODELS[model];
    return batchedEmbedder({
      modelId: `${settings.model_name || 'default'}@${place}`,
      dimension: settings.dimensions ?? hosted?.dimension ?? 0,
      dimensionField: settings.dimensions ? 'dimensions' : 'model_name',
      batchSize: Math.min(settings.embed_batch_size ?? 10, protocol.MAX_BATCH),
      tokensPerCall: protocol.TOKENS_PER_CALL,
      tokensPerText: hosted?.tokens,
      workers: settings.num_workers ?? 1,
      retries: quickRetries(settings.max_retries),
      log: deps.log,
      embedBatch: sdkBatch(
        provider.embeddingModel(model),
        name,
        protocol.dimensionsOption('embedding', settings.dimensions),
      ),
    });
  },
  check: (embedder) =>
    namingField(tryEmbedder(embedder), { address: 'api_base', key: 'api_key', model: 'model_name' }),
});

const hostOf = (place: string) => URL.parse(place)?.host ?? place;
