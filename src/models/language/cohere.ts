import { createCohere } from '@ai-sdk/cohere';
import { wrapLanguageModel } from 'ai';
import { z } from 'zod';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { removeSchemaHints } from '../structured-output/schema-hint.ts';
import { address, defineLanguageModel, MAX_ANSWER_BYTES, modelName } from './definition.ts';

/** Command language models, called through Cohere's API. */
export const cohere = defineLanguageModel({
  kind: 'cohere',
  className: 'Cohere',
  telemetryName: 'cohere',
  settings: z.object({
    model: modelName(),
    api_key: secret().min(1),
    base_url: address().default('https://api.cohere.com/v2'),
  }),
  capabilities: { structuredOutput: true },
  open({ model, api_key: apiKey, base_url: baseURL }, limits, deps) {
    const provider = createCohere({
      apiKey,
      baseURL,
      fetch: deps.http({ name: 'Cohere', ...limits, maxBytes: MAX_ANSWER_BYTES }).fetch,
    });
    return wrapLanguageModel({ model: provider(model), middleware: removeSchemaHints });
  },
});
