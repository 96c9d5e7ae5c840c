import { createAzure } from '@ai-sdk/azure';
import { baseUrl } from '#src/lib/base-url.ts';
import { Invalid } from '#src/lib/errors.ts';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { nameWrongField } from '#src/models/definition/name-wrong-field.ts';
import { createBatchedEmbedder } from './shared/batched.ts';
import {
  componentLoc,
  defineEmbedder,
  embedderField,
  limitRetries,
  testEmbedder,
} from './shared/definition.ts';
import * as protocol from './shared/openai-protocol.ts';
import { createSdkBatch, createWireFetch } from './shared/sdk.ts';

/** Latest API version of Azure OpenAI that Microsoft marks as generally available. */
const DEFAULT_VERSION = '2024-10-21';

/**
 * Embedding models that are deployed in Azure OpenAI. The address names the deployment, and the deployment
 * determines the model.
 */
export const azureOpenai = defineEmbedder({
  kind: 'PROVIDER_A_EMBEDDING',
  title: 'Cloud-hosted deployment of a commercial model',
  client: {
    word: 'AZURE_EMBEDDING',
    className: 'AzureOpenAIEmbedding',
    fields: { cloud_deployment: 'azure_deployment', cloud_endpoint: 'azure_endpoint' },
  },
  fields: {
    additional_kwargs: embedderField.furtherMembers(),
    api_base: field
      .textOr('')
      .describe('Complete URL up to `/deployments`, exclusive. Replaces `cloud_endpoint`.'),
    api_key: secret().nullish(),
    api_version: field.textOr('').describe('Version of the API. Default: a stable version.'),
    cloud_deployment: field.text().describe('Name of the deployment. Default: `model_name`.'),
    cloud_endpoint: field.text().describe('URL of the resource.'),
    default_headers: embedderField.secretMap(),
    dimensions: embedderField
      .dimensions()
      .describe('Number of dimensions. Only for models of the third generation.'),
    max_retries: embedderField.retries(),
    model_name: embedderField.model(),
    reuse_client: embedderField.reuseClient(),
    timeout: embedderField.seconds(),
  },
  capabilities: { maxBatch: protocol.MAX_BATCH, distinguishesPurpose: false },
  open(settings, deps) {
    const baseURL = buildBaseUrl(settings);
    const model = settings.model_name || protocol.DEFAULT_MODEL;
    const deployment = settings.cloud_deployment || model;
    const { host } = new URL(baseURL);
    const name = `The embedding endpoint ${host}`;
    const provider = createAzure({
      baseURL,
      apiKey: settings.api_key ?? '',
      apiVersion: settings.api_version || DEFAULT_VERSION,
      useDeploymentBasedUrls: true,
      headers: settings.default_headers ?? {},
      fetch: createWireFetch(
        {
          name,
          timeoutSeconds: settings.timeout || protocol.DEFAULT_TIMEOUT_SECONDS,
          parameters: settings.additional_kwargs ?? {},
          request(body, headers) {
            // Without a key, `default_headers` contain the credentials, so an empty `api-key` header is
            // removed.
            if (!headers.get('api-key')) headers.delete('api-key');
            return { ...body, model: settings.model_name || deployment };
          },
          answer: protocol.sortVectors,
        },
        deps,
      ),
    });
    const hosted = settings.model_name ? protocol.HOSTED_MODELS[model] : undefined;
    return createBatchedEmbedder({
      modelId: `${settings.cloud_deployment || settings.model_name || 'default'}@${host}`,
      dimension: settings.dimensions ?? hosted?.dimension ?? 0,
      dimensionField: settings.dimensions ? 'dimensions' : 'model_name',
      batchSize: Math.min(settings.embed_batch_size ?? 10, protocol.MAX_BATCH),
      tokensPerCall: protocol.TOKENS_PER_CALL,
      // All embedding models of Azure OpenAI accept the same input length.
      tokensPerText: protocol.HOSTED_MODELS[protocol.DEFAULT_MODEL]!.tokens,
      workers: settings.num_workers ?? 1,
      retries: limitRetries(settings.max_retries),
      log: deps.log,
      embedBatch: createSdkBatch(
        // Escapes the deployment name, because the SDK inserts the name into the path unescaped.
        provider.embeddingModel(encodeURIComponent(deployment)),
        name,
        protocol.createDimensionsOption('openai', settings.dimensions),
      ),
    });
  },
  check: (embedder, { cloud_endpoint, cloud_deployment }) =>
    nameWrongField(testEmbedder(embedder), {
      address: cloud_endpoint ? 'cloud_endpoint' : 'api_base',
      key: 'api_key',
      model: cloud_deployment ? 'cloud_deployment' : 'model_name',
    }),
});

/**
 * Returns the part of the address before `/deployments`. `cloud_endpoint` is the address of an Azure resource
 * or of a gateway, to which `/openai` is appended. Throws `Invalid` if no address is configured.
 */
function buildBaseUrl({
  cloud_endpoint,
  api_base,
}: {
  cloud_endpoint?: string | null | undefined;
  api_base: string | null;
}): string {
  const field = cloud_endpoint || !api_base ? 'cloud_endpoint' : 'api_base';
  const given = baseUrl(cloud_endpoint || api_base || '');
  if (!given) throw Invalid.field([...componentLoc, field], 'Field required, or api_base instead', 'missing');
  const url = URL.parse(given);
  if (!url) throw Invalid.field([...componentLoc, field], 'Input should be a valid URL', 'url_parsing');
  const isWhole = given.endsWith('/openai') || (field === 'api_base' && url.pathname !== '/');
  return isWhole ? given : `${given}/openai`;
}
