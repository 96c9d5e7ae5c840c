import { z } from 'zod';
import { field } from '#src/lib/component.ts';
import { secret } from '#src/lib/secret-schema.ts';
import { defineEmbedderSettings, embedderField } from './definition.ts';

export const huggingface = defineEmbedderSettings({
  kind: 'PROVIDER_E_EMBEDDING',
  className: 'HuggingFaceInferenceAPIEmbedding',
  fields: {
    token: z.union([secret(), z.boolean()]).nullish().describe('false: no token is sent.'),
    cookies: embedderField.secretMap(),
    headers: embedderField.secretMap(),
    model_name: field.text(),
    pooling: z.enum(['cls', 'last', 'mean']).nullable().default('cls'),
    query_instruction: field.text(),
    task: field.text(),
    text_instruction: field.text(),
    timeout: field.number().describe('Seconds.'),
  },
});
