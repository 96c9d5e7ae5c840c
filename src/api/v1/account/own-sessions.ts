import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { timestamp } from '#src/api/operation/schemas.ts';
import { endOtherSessions, endOwnSession, listOwnSessions } from '#src/services/tenancy/own-sessions.ts';

const tag = 'Session';

const ownSessionBody = z
  .object({
    id: z.string(),
    browser: z
      .string()
      .nullable()
      .describe('Browser and system at the sign-in, such as `Firefox on Linux`. Null if unknown.'),
    api_key_id: z
      .uuid()
      .nullable()
      .describe('Id of the API key with which the browser signed in. Null after a sign-in by a provider.'),
    is_current: z.boolean().describe('Whether this is the session of the request.'),
    created_at: timestamp,
    last_used_at: timestamp.nullable().describe('Time of the last request, to the minute.'),
    expires_at: timestamp,
  })
  .meta({ id: 'OwnSession' });

export const ownSessionOperations = [
  operation({
    method: 'get',
    path: '/api/v1/sessions',
    id: 'listOwnSessions',
    needs: 'read',
    tag,
    summary: 'List your sessions',
    description:
      'Returns the browser sessions of your user in the organization, newest first, at most 100. A key that is ' +
      'limited to a project or to reading sees only the sessions of such keys. Cookies are never returned.',
    access: 'organization',
    response: { status: 200, json: z.array(ownSessionBody) },
    handle: async ({ ctx }) =>
      (await listOwnSessions(ctx)).map((session) => ({
        id: session.id,
        browser: session.browser,
        api_key_id: session.keyId,
        is_current: session.isCurrent,
        created_at: session.createdAt.toISOString(),
        last_used_at: session.lastUsedAt?.toISOString() ?? null,
        expires_at: session.expiresAt.toISOString(),
      })),
  }),
  operation({
    method: 'delete',
    path: '/api/v1/sessions',
    id: 'endOtherSessions',
    needs: 'read',
    tag,
    summary: 'End your other sessions',
    description: 'Ends the sessions that `GET /api/v1/sessions` lists, except the session of the request.',
    access: 'organization',
    response: { status: 204 },
    async handle({ ctx }) {
      await endOtherSessions(ctx);
    },
  }),
  operation({
    method: 'delete',
    path: '/api/v1/sessions/{session_id}',
    id: 'endOwnSession',
    needs: 'read',
    tag,
    summary: 'End one of your sessions',
    description: 'The browser has to sign in again. Ending the session of the request signs you out.',
    access: 'organization',
    params: z.object({ session_id: z.string().min(1).max(100) }),
    response: { status: 204 },
    handle: ({ ctx, params }) => endOwnSession(ctx, params.session_id),
  }),
];
