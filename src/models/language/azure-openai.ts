import { createAzure } from '@ai-sdk/azure';
import { z } from 'zod';
import { baseUrl } from '#src/lib/base-url.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { address, defineLanguageModel, MAX_ANSWER_BYTES, modelName } from './definition.ts';

/** A language model that is deployed in Azure OpenAI, at `https://{resource}.openai.azure.com`. */
export const azureOpenai = defineLanguageModel({
  kind: 'azure_openai',
  className: 'AzureOpenAI',
  telemetryName: 'azure.ai.openai',
  settings: z.object({
    base_url: address(),
    model: modelName().describe('Name of the deployment.'),
    api_key: secret().min(1),
    api_version: z
      .string()
      .regex(/^\d{4}-\d{2}-\d{2}(-preview)?$/, 'is a date, as in 2024-10-21')
      .default('2024-10-21'),
  }),
  capabilities: { structuredOutput: true },
  open({ base_url, model, api_key: apiKey, api_version: apiVersion }, limits, deps) {
    const name = `Azure OpenAI at ${new URL(base_url).host}`;
    return createAzure({
      apiKey,
      apiVersion,
      baseURL: `${baseUrl(base_url)}/openai`,
      useDeploymentBasedUrls: true,
      fetch: deps.http({ name, ...limits, maxBytes: MAX_ANSWER_BYTES }).fetch,
    }).chat(model);
  },
});
