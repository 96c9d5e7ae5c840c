import { z } from 'zod';
import { operation } from '#src/api/endpoint.ts';
import { embeddingConfig } from '#src/models/embedding/configuration.ts';
import { validateEmbeddingConnection } from '#src/services/connections/validate-integrations.ts';

export const validateIntegrationOperations = [
  operation({
    method: 'post',
    path: '/api/v1/validate-integrations/validate-embedding-connection',
    id: 'validateEmbeddingConnection',
    tag: 'Embedding model configs',
    summary: 'Try an embedding configuration by embedding one text with it',
    access: 'project',
    body: { json: embeddingConfig },
    response: {
      status: 200,
      json: z.object({ success: z.boolean(), message: z.string() }).meta({ id: 'ConnectionCheck' }),
    },
    handle: ({ ctx, body }) => validateEmbeddingConnection(ctx, body),
  }),
];
