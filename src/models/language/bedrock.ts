import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { z } from 'zod';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { address, defineLanguageModel, MAX_ANSWER_BYTES, modelName } from './definition.ts';

/** A language model of Amazon Bedrock, called through the Converse API with signed requests. */
export const bedrock = defineLanguageModel({
  kind: 'bedrock',
  className: 'BedrockConverse',
  telemetryName: 'aws.bedrock',
  settings: z.object({
    model: modelName().describe('Id of a model or of an inference profile.'),
    region: z.string().regex(/^[a-z\d-]{1,40}$/, 'is a region, as in eu-central-1'),
    access_key_id: z.string().min(1),
    secret_access_key: secret().min(1),
    session_token: secret().optional(),
    base_url: address().optional(),
  }),
  capabilities: { structuredOutput: true },
  fields: { address: 'region', key: 'access_key_id or secret_access_key' },
  open(settings, limits, deps) {
    const { model, region, access_key_id, secret_access_key, session_token, base_url } = settings;
    const secrets = [secret_access_key, ...(session_token ? [session_token] : [])];
    return createAmazonBedrock({
      region,
      // Without this blank key, the SDK would prefer a bearer token from the environment to the configured
      // credentials.
      apiKey: ' ',
      accessKeyId: access_key_id,
      secretAccessKey: secret_access_key,
      ...(session_token && { sessionToken: session_token }),
      ...(base_url && { baseURL: base_url }),
      fetch: deps.http({ name: 'Bedrock', ...limits, maxBytes: MAX_ANSWER_BYTES, secrets }).fetch,
    })(model);
  },
});
