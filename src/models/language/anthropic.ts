import { createAnthropic } from '@ai-sdk/anthropic';
import { z } from 'zod';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { address, defineLanguageModel, MAX_ANSWER_BYTES, modelName } from './definition.ts';

/** Claude language models, called through Anthropic's API. */
export const anthropic = defineLanguageModel({
  kind: 'anthropic',
  className: 'Anthropic',
  telemetryName: 'anthropic',
  settings: z.object({
    model: modelName(),
    api_key: secret().min(1),
    base_url: address().default('https://api.anthropic.com/v1'),
  }),
  capabilities: { structuredOutput: true },
  open({ model, api_key: apiKey, base_url: baseURL }, limits, deps) {
    return createAnthropic({
      apiKey,
      baseURL,
      fetch: deps.http({ name: 'Anthropic', ...limits, maxBytes: MAX_ANSWER_BYTES }).fetch,
    })(model);
  },
});
