import { createGoogle } from '@ai-sdk/google';
import { z } from 'zod';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { address, defineLanguageModel, MAX_ANSWER_BYTES, modelName } from './definition.ts';

/**
 * Gemini models, called through the Gemini API with an API key. For Gemini in Google Cloud projects, see
 * vertex.ts.
 */
export const gemini = defineLanguageModel({
  kind: 'gemini',
  className: 'Gemini',
  telemetryName: 'gcp.gemini',
  settings: z.object({
    model: modelName(),
    api_key: secret().min(1),
    base_url: address().default('https://generativelanguage.googleapis.com/v1beta'),
  }),
  capabilities: { structuredOutput: true },
  open({ model, api_key: apiKey, base_url: baseURL }, limits, deps) {
    return createGoogle({
      apiKey,
      baseURL,
      fetch: deps.http({ name: 'Gemini', ...limits, maxBytes: MAX_ANSWER_BYTES }).fetch,
    })(model);
  },
});
