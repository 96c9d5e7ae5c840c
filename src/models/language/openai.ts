import { createOpenAI } from '@ai-sdk/openai';
import { z } from 'zod';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { address, defineLanguageModel, MAX_ANSWER_BYTES, modelName } from './definition.ts';

/**
 * Language models of OpenAI, called through chat completions. The newer Responses API is not used, because it
 * stores its input by default.
 */
export const openai = defineLanguageModel({
  kind: 'openai',
  className: 'OpenAI',
  telemetryName: 'openai',
  settings: z.object({
    model: modelName(),
    api_key: secret().min(1),
    organization: z.string().min(1).optional(),
    base_url: address().default('https://api.openai.com/v1'),
  }),
  capabilities: { structuredOutput: true },
  open({ model, api_key: apiKey, organization, base_url: baseURL }, limits, deps) {
    return createOpenAI({
      apiKey,
      baseURL,
      ...(organization && { organization }),
      fetch: deps.http({ name: 'OpenAI', ...limits, maxBytes: MAX_ANSWER_BYTES }).fetch,
    }).chat(model);
  },
});
