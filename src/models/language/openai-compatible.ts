import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { z } from 'zod';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { address, defineLanguageModel, MAX_ANSWER_BYTES, modelName } from './definition.ts';

/** A language model behind any chat endpoint that implements OpenAI's protocol. */
export const openaiCompatible = defineLanguageModel({
  kind: 'openai_compatible',
  className: 'OpenAILike',
  telemetryName: 'openai_compatible',
  settings: z.object({
    base_url: address(),
    model: modelName(),
    api_key: secret().optional(),
  }),
  capabilities: { structuredOutput: true },
  open({ base_url: baseURL, model, api_key: apiKey }, limits, deps) {
    const name = `The model endpoint ${new URL(baseURL).host}`;
    return createOpenAICompatible({
      name: 'llm',
      baseURL,
      ...(apiKey && { apiKey }),
      supportsStructuredOutputs: true,
      includeUsage: true,
      fetch: deps.http({ name, ...limits, maxBytes: MAX_ANSWER_BYTES }).fetch,
    })(model);
  },
});
