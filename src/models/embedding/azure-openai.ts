import { field } from '#src/lib/component.ts';
import { secret } from '#src/lib/secret-schema.ts';
import { defineEmbedderSettings, embedderField } from './definition.ts';

export const azureOpenai = defineEmbedderSettings({
  kind: 'PROVIDER_A_EMBEDDING',
  className: 'AzureOpenAIEmbedding',
  fields: {
    additional_kwargs: field.map(),
    api_base: field.textOr(''),
    api_key: secret().nullish(),
    api_version: field.textOr(''),
    cloud_deployment: field.text(),
    cloud_endpoint: field.text(),
    default_headers: embedderField.secretMap(),
    dimensions: field.int().describe('Only for models of the third generation.'),
    max_retries: embedderField.retries(),
    model_name: embedderField.model(),
    reuse_client: field.flagOr(true),
    timeout: embedderField.seconds(),
  },
});
