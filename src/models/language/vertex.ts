import { GoogleLanguageModel } from '@ai-sdk/google/internal';
import { z } from 'zod';
import { baseUrl } from '#src/lib/base-url.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { createServiceAccountToken, getVertexHost, toServiceAccount } from '#src/models/definition/vertex.ts';
import { parseKeyFile } from '#src/upstream/service-account.ts';
import { address, defineLanguageModel, MAX_ANSWER_BYTES, modelName } from './definition.ts';

/**
 * Gemini models in a Google Cloud project, called with a service account. The provider of the SDK is not
 * used, because it requests access tokens without the checks of Sluice's HTTP client.
 */
export const vertex = defineLanguageModel({
  kind: 'vertex',
  className: 'Vertex',
  telemetryName: 'gcp.vertex_ai',
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
      base_url: address().optional().describe('URL up to /v1/projects, exclusive.'),
      token_uri: address().default('https://oauth2.googleapis.com/token'),
    })
    .superRefine((account, { addIssue }) => {
      const read = parseKeyFile(account);
      // The key file is validated when the service starts, so that the operator sees the error before a
      // caller does.
      if ('member' in read) addIssue({ code: 'custom', path: [read.member], message: read.message });
    }),
  capabilities: { structuredOutput: true },
  fields: { key: 'client_email, private_key_id or private_key' },
  open({ model, project, location, base_url, ...account }, limits, deps) {
    const http = deps.http({
      name: 'Vertex AI',
      ...limits,
      maxBytes: MAX_ANSWER_BYTES,
      secrets: [account.private_key],
    });
    const access = createServiceAccountToken(toServiceAccount(account, []), deps);
    const host = base_url ? baseUrl(base_url) : `https://${getVertexHost(location)}`;
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
