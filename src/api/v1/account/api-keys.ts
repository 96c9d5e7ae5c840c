import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { idParams, timestamp } from '#src/api/operation/schemas.ts';
import { API_SCOPES, type ApiKey } from '#src/db/schema/index.ts';
import { createApiKey, listApiKeys, revokeApiKey } from '#src/services/tenancy/api-keys.ts';
import { getKeyScope } from '#src/services/tenancy/api-scopes.ts';

const scopes = z.array(z.enum(API_SCOPES)).min(1).max(API_SCOPES.length);

const apiKeyBody = z
  .object({
    id: z.uuid(),
    name: z.string().nullish(),
    project_id: z.uuid().nullish(),
    user_id: z.string(),
    parent_id: z.string().nullish().describe('Id of the key that created this key.'),
    redacted_api_key: z
      .string()
      .describe('The complete key in the answer to its creation. Redacted in all other answers.'),
    key_type: z.enum(['user', 'agent']),
    role: z
      .literal('viewer')
      .nullish()
      .describe('`viewer` if the scopes of the key allow only what viewers may do. Null otherwise.'),
    scopes: scopes.describe('What the key may do. `admin` leaves the key all rights of its user.'),
    expires_at: timestamp.nullish().describe('Time from which the key is refused. Null if it never expires.'),
    last_used_at: timestamp.nullish(),
    created_at: timestamp.nullish(),
    updated_at: timestamp.nullish(),
  })
  .meta({ id: 'ApiKey' });

function present(row: ApiKey): z.input<typeof apiKeyBody> {
  return {
    id: row.id,
    name: row.name,
    project_id: row.projectId,
    user_id: row.userId,
    parent_id: row.parentId,
    redacted_api_key: row.redacted,
    key_type: row.keyType,
    role: row.role,
    scopes: [getKeyScope(row)],
    expires_at: row.expiresAt?.toISOString() ?? null,
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

const tag = 'API keys';

/** Declares the operations on API keys at a path. Current clients use the path under `beta`. */
const operationsAt = <const Path extends string, const Suffix extends string>(path: Path, suffix: Suffix) => [
  operation({
    method: 'post',
    path,
    id: `createApiKey${suffix}`,
    needs: 'admin',
    tag,
    summary: 'Create an API key',
    description:
      'The answer contains the complete key. It is shown only once, because the service stores only a hash ' +
      'of it. A key with a `project_id` has access to that project only.',
    access: 'project',
    body: {
      json: z.object({
        name: z.string().max(255).nullish(),
        project_id: z.uuid().nullish().describe('Limits the key to this project.'),
        expires_at: z.iso
          .datetime({ offset: true })
          .describe(
            'Time at which the key expires, no later than the key that creates it. Default: the expiry of that key.',
          )
          .refine((text) => Date.parse(text) > Date.now(), 'must be in the future')
          .nullish(),
        key_type: z.enum(['user', 'agent']).nullish(),
        role: z.literal('viewer').nullish().describe('`viewer` has the same effect as the scope `read`.'),
        scopes: scopes
          .nullish()
          .describe(
            '`retrieve` retrieves and chats. `read` also reads everything else. `write` also changes projects and ' +
              'their data. `admin` also manages keys, members and projects, if the user may. Each scope includes the ' +
              'ones before it. The key that creates this key must have it too. Default: the scope of that key.',
          ),
        user_id: z
          .uuid()
          .nullish()
          .describe('Id of the member who will own the key. Only admins can set it.'),
      }),
    },
    response: { status: 201, json: apiKeyBody },
    async handle({ ctx, body }) {
      const { row, key } = await createApiKey(ctx, body);
      return { ...present(row), redacted_api_key: key };
    },
  }),
  operation({
    method: 'get',
    path,
    id: `listApiKeys${suffix}`,
    needs: 'read',
    tag,
    summary: 'List API keys',
    description:
      'Returns the keys of the organization, newest first. A key that is limited to a project sees the ' +
      'keys of that project only. The keys themselves are redacted.',
    access: 'project',
    response: { status: 200, json: z.array(apiKeyBody) },
    handle: async ({ ctx }) => (await listApiKeys(ctx, ctx.onlyProjectId)).map(present),
  }),
  operation({
    method: 'delete',
    path: `${path}/{api_key_id}` as const,
    id: `revokeApiKey${suffix}`,
    needs: 'admin',
    tag,
    summary: 'Revoke an API key',
    description:
      'The key and the sessions that were opened with it stop working at once. You can revoke your own ' +
      'keys; an admin can revoke every key of the organization.',
    access: 'project',
    params: idParams('api_key_id'),
    query: z.object({
      with_children: z
        .boolean()
        .nullish()
        .describe('Also revokes all keys that were created with this key, and the keys created with those.'),
    }),
    response: { status: 204 },
    handle: ({ ctx, params, query }) => revokeApiKey(ctx, params.api_key_id, query.with_children ?? false),
  }),
];

export const apiKeyOperations = [
  ...operationsAt('/api/v1/api-keys', ''),
  ...operationsAt('/api/v1/beta/api-keys', 'Beta'),
];
