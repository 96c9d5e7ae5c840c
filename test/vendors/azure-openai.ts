import type { Behaviour } from './behaviour.ts';
import { openaiEmbeddings } from './openai.ts';

const azureError = (status: number, message: string) => ({ error: { code: String(status), message } });

export const azureOpenai: Behaviour = {
  name: 'azure-openai',
  error: azureError,
  authenticate: ({ headers, settings }) =>
    headers['api-key'] === settings.key
      ? undefined
      : { status: 401, message: 'Access denied due to invalid subscription key.' },
  sign: (_, { key }) => ({ 'api-key': String(key) }),
  settings: { key: 'key-of-the-vendor', deployments: ['d'], dimension: 4 },
  operations: {
    'POST /deployments/{deployment-id}/embeddings': {
      sample: {
        params: { 'deployment-id': 'd' },
        query: { 'api-version': '2024-10-21' },
        body: { input: ['a'], encoding_format: 'float', dimensions: 4, user: 'u', model: 'm' },
      },
      answer(request) {
        const deployment = request.params['deployment-id']!;
        if (!(request.settings.deployments as string[]).includes(deployment)) {
          return {
            status: 404,
            body: azureError(404, 'The API deployment for this resource does not exist.'),
          };
        }
        const { input, dimensions } = request.body as { input: string[]; dimensions?: number | null };
        return openaiEmbeddings(request, 'model-of-the-deployment', input, dimensions);
      },
    },
  },
};
