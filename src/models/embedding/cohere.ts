import { z } from 'zod';
import { field } from '#src/lib/component.ts';
import { secret } from '#src/lib/secret-schema.ts';
import { defineEmbedderSettings, embedderField } from './definition.ts';

export const cohere = defineEmbedderSettings({
  kind: 'PROVIDER_C_EMBEDDING',
  className: 'CohereEmbedding',
  fields: {
    api_key: secret(),
    embedding_type: field.textOr('float'),
    input_type: field.text().describe('search_document and search_query when absent.'),
    model_name: embedderField.model(),
    truncate: z.enum(['START', 'END', 'NONE']).nullable().default('END'),
  },
});
