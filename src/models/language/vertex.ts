import { GoogleLanguageModel } from '@ai-sdk/google/internal';
import { z } from 'zod';
import { baseUrl } from '#src/lib/base-url.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { serviceAccountOf, serviceAccountToken, vertexHost } from '#src/models/definition/vertex.ts';
import { readKeyFile } from '#src/upstream/service-account.ts';
import { address, defineLanguageModel, MOST_BYTES, modelName } from './definition.ts';

/**
 * Gemini models in a Google Cloud project, with a service account. The SDK's provider would request tokens
 * without the guarded fetch, so a token of ours is passed.
 */
export const vertex = defineLanguageModel({
  kind: 'vertex',
  className: 'Vertex',
  settings: z
    .object({
      model: modelName(),
      project: z.string().regex(/^[a-z\d:.-]{1,100}$/i, 'is the id of a project'),
      location: z
        .string()
        .regex(/^[a-z\d-]{1,40}$/, 'is a location, as in europe-west4')
        .default('us-central1'),
      client_email: z.string().min(1),
      private_key: secret().min(1),
      private_key_id: z.string().min(1).optional(),
      base_url: address().optional().describe('Up to and without /v1/projects.'),
      token_uri: address().default('https://oauth2.googleapis.com/token'),
    })
    .superRefine((account, { addIssue }) => {
      const read = readKeyFile(account);
      // Validated at the start of the service, so that an operator sees the error before a caller does.
      if ('member' in read) addIssue({ code: 'custom', path: [read.member], message: read.message });
    }),
  capabilities: { structuredOutput: true },
  fields: { key: 'client_email, private_key_id or private_key' },
  open({ model, project, location, base_url, ...account }, limits, deps) {
    const http = deps.http({
      name: 'Vertex AI',
      ...limits,
      maxBytes: MOST_BYTES,
      secrets: [account.private_key],
    });
    const access = serviceAccountToken(serviceAccountOf(account, []), deps);
    const host = base_url ? baseUrl(base_url) : `https://${vertexHost(location)}`;
    return new GoogleLanguageModel(model, {
      provider: 'google.vertex.chat',
      baseURL: `${host}/v1/projects/${project}/locations/${location}/publishers/google`,
      generateId: () => crypto.randomUUID(),
      async fetch(input, init) {
        const token = await access.get();
        const headers = new Headers(init?.headers);
        headers.set('authorization', `Bearer ${token}`);
        const answer = await http.fetch(input, { ...init, headers });
        if (answer.status === 401) await access.drop(token);
        return answer;
      },
    });
  },
});
