import { field } from '#src/lib/component.ts';
import { secret } from '#src/lib/secret-schema.ts';
import { defineEmbedderSettings, embedderField } from './definition.ts';

export const gemini = defineEmbedderSettings({
  kind: 'PROVIDER_D_EMBEDDING',
  className: 'GeminiEmbedding',
  fields: {
    api_base: field.text(),
    api_key: secret().nullish(),
    model_name: embedderField.model(),
    output_dimensionality: field.int().describe('Not for the oldest model.'),
    task_type: field.textOr('retrieval_document'),
    title: field.textOr('').describe('Only for retrieval_document tasks.'),
    transport: field.text(),
  },
});
