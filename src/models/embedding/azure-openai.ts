import { createAzure } from '@ai-sdk/azure';
import { baseUrl } from '#src/lib/base-url.ts';
import { Invalid } from '#src/lib/errors.ts';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { namingField } from '#src/models/definition/naming-field.ts';
import { batchedEmbedder } from './shared/batched.ts';
import {
  componentLoc,
  defineEmbedder,
  embedderField,
  quickRetries,
  tryEmbedder,
} from './shared/definition.ts';
import * as protocol from './shared/openai-protocol.ts';
import { sdkBatch, wireFetch } from './shared/sdk.ts';

/** Latest API version that the vendor marks as generally available. */
const DEFAULT_VERSION = '2024-10-21';

/** Azure OpenAI deployments. The address names the deployment and thereby the model. */
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
      .describe('In place of `cloud_endpoint`: the whole address, up to and without `/deployments`.'),
    api_key: secret().nullish(),
    api_version: field.textOr('').describe('A stable version when omitted.'),
    cloud_deployment: field.text().describe('`model_name` when omitted.'),
    cloud_endpoint: field.text().describe('The address of the resource.'),
    default_headers: embedderField.secretMap(),
    dimensions: embedderField.dimensions().describe('Only for models of the third generation.'),
    max_retries: embedderField.retries(),
    model_name: embedderField.model(),
    reuse_client: embedderField.reuseClient(),
    timeout: embedderField.seconds(),
  },
  capabilities: { maxBatch: protocol.MAX_BATCH, tellsPurpose: false },
  open(settings, deps) {
    const baseURL = baseOf(settings);
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
      fetch: wireFetch(
        {
          name,
          timeoutSeconds: settings.timeout || protocol.DEFAULT_TIMEOUT_SECONDS,
          parameters: settings.additional_kwargs ?? {},
          request(body, headers) {
            // Without a key, `default_headers` contain the credentials.
            if (!headers.get('api-key')) headers.delete('api-key');
            return { ...body, model: settings.model_name || deployment };
          },
          answer: protocol.inOrder,
        },
        deps,
      ),
    });
    const hosted = settings.model_name ? protocol.HOSTED_MODELS[model] : undefined;
    return batchedEmbedder({
      modelId: `${settings.cloud_deployment || settings.model_name || 'default'}@${host}`,
      dimension: settings.dimensions ?? hosted?.dimension ?? 0,
      dimensionField: settings.dimensions ? 'dimensions' : 'model_name',
      batchSize: Math.min(settings.embed_batch_size ?? 10, protocol.MAX_BATCH),
      tokensPerCall: protocol.TOKENS_PER_CALL,
      // All hosted models of this provider accept the same input length.
      tokensPerText: protocol.HOSTED_MODELS[protocol.DEFAULT_MODEL]!.tokens,
      workers: settings.num_workers ?? 1,
      retries: quickRetries(settings.max_retries),
      log: deps.log,
      embedBatch: sdkBatch(
        // Escaped here, because the SDK inserts the name into the path unescaped.
        provider.embeddingModel(encodeURIComponent(deployment)),
        name,
        protocol.dimensionsOption('openai', settings.dimensions),
      ),
    });
  },
  check: (embedder, { cloud_endpoint, cloud_deployment }) =>
    namingField(tryEmbedder(embedder), {
      address: cloud_endpoint ? 'cloud_endpoint' : 'api_base',
      key: 'api_key',
      model: cloud_deployment ? 'cloud_deployment' : 'model_name',
    }),
});

/**
 * Returns the address up to and without `/deployments`. `cloud_endpoint` is the address of a resource or of a gateway
 * before it, so `/openai` follows its path. Throws Invalid if there is no address.
 */
function baseOf({
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
