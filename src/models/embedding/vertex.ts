import { z } from 'zod';
import { field } from '#src/lib/component.ts';
import { secret } from '#src/lib/secret-schema.ts';
import { defineEmbedderSettings, embedderField } from './definition.ts';

export const vertex = defineEmbedderSettings({
  kind: 'PROVIDER_H_EMBEDDING',
  className: 'VertexTextEmbedding',
  fields: {
    client_email: z.string(),
    location: z.string(),
    private_key: secret(),
    private_key_id: z.string(),
    project: z.string(),
    token_uri: z.string(),
    additional_kwargs: field.map(),
    embed_mode: z
      .enum(['classification', 'clustering', 'default', 'retrieval', 'similarity'])
      .nullable()
      .default('retrieval'),
    model_name: embedderField.model(),
  },
});
