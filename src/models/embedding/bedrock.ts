import { z } from 'zod';
import { field } from '#src/lib/component.ts';
import { secret } from '#src/lib/secret-schema.ts';
import { defineEmbedderSettings, embedderField } from './definition.ts';

export const bedrock = defineEmbedderSettings({
  kind: 'PROVIDER_B_EMBEDDING',
  className: 'BedrockEmbedding',
  fields: {
    additional_kwargs: field.map(),
    cloud_access_key_id: secret().nullish(),
    cloud_secret_access_key: secret().nullish(),
    cloud_session_token: secret().nullish(),
    max_retries: z.int().gt(0).nullable().default(10),
    model_name: embedderField.model(),
    profile_name: field.text(),
    region_name: field.text(),
    timeout: z.number().nullable().default(60).describe('Seconds, for connecting and for reading.'),
  },
});
