import { z } from 'zod';
import { operation } from '#src/api/endpoint.ts';
import { rotateSecrets } from '#src/services/secrets/rotate-secrets.ts';

export const adminOperations = [
  operation({
    method: 'post',
    path: '/api/v1/admin/rotate-secrets',
    id: 'rotateSecrets',
    tag: 'Administration',
    summary: 'Seal stored secrets under the current encryption key, a page of rows a call',
    description: 'Takes the bootstrap key only. Repeat with next_page_token until there is none.',
    access: 'resource',
    body: {
      json: z.object({
        page_size: z.number().int().min(1).max(1000).nullish(),
        page_token: z.string().nullish(),
      }),
      optional: true,
    },
    response: {
      status: 200,
      json: z
        .object({
          examined: z.number().int(),
          rotated: z.number().int(),
          failed: z.array(z.object({ place: z.string(), message: z.string() })),
          next_page_token: z.string().nullish(),
        })
        .meta({ id: 'RotationStep' }),
    },
    handle: ({ ctx, body }) => rotateSecrets(ctx, body ?? {}),
  }),
];
