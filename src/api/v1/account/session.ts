import { z } from 'zod';
import { getSessionCookie, requireOwnOrigin } from '#src/api/http/auth.ts';
import { readClientAddress } from '#src/api/http/client-address.ts';
import { sessionCookie } from '#src/api/http/cookies.ts';
import { operation } from '#src/api/operation/endpoint.ts';
import { timestamp } from '#src/api/operation/schemas.ts';
import { API_SCOPES, ROLES } from '#src/db/schema/index.ts';
import { Unauthenticated } from '#src/lib/errors.ts';
import { recordEvent } from '#src/services/audit/record.ts';
import { recordFailure } from '#src/services/audit/record-failure.ts';
import { getProviders } from '#src/services/sign-in/providers.ts';
import { deriveFirstOrganizationId } from '#src/services/tenancy/bootstrap.ts';
import { describeBrowser } from '#src/services/tenancy/browser.ts';
import { type Caller, describeCaller, KEY_REACHES } from '#src/services/tenancy/caller.ts';
import { closeSession, openSession } from '#src/services/tenancy/sessions.ts';

const tag = 'Session';

/** Maximum bytes of a sign-in request, which anyone may send before authentication. */
const SIGN_IN_BYTES = 4 * 1024;

const named = z.object({ id: z.uuid(), name: z.string() });

const sessionBody = z
  .object({
    user: named
      .extend({ email: z.string().nullable() })
      .describe('Id of the user in the organization of the request.'),
    role: z.enum(ROLES).describe('Role in that organization, lowered to what the scope of the key allows.'),
    organization: named,
    project_id: z
      .uuid()
      .nullable()
      .describe('Id of the only project that the key has access to. Null if it has access to all projects.'),
    default_project: named.describe('Id of the project of requests that name none.'),
    key: z
      .object({
        id: z.uuid(),
        name: z.string().nullable(),
        scope: z
          .enum(KEY_REACHES)
          .describe('Reach of the key: all organizations of its user, one organization, or one project.'),
        scopes: z.array(z.enum(API_SCOPES)).describe('Scopes of the key, which say what it may do.'),
        expires_at: timestamp.nullable().describe('Time at which the key expires. Null if it never expires.'),
      })
      .nullable()
      .describe('Null if the browser signed in with an identity provider.'),
    expires_at: timestamp
      .nullable()
      .describe('Time at which the session ends. Null if the request was made with a key.'),
  })
  .meta({ id: 'Session' });

function present({
  key,
  apiScope,
  scope,
  onlyProjectId,
  endsAt,
  project,
  ...rest
}: Caller): z.input<typeof sessionBody> {
  return {
    ...rest,
    project_id: onlyProjectId,
    default_project: project,
    key: key && {
      ...{ id: key.id, name: key.name, scope, scopes: [apiScope] },
      expires_at: key.expiresAt?.toISOString() ?? null,
    },
    expires_at: endsAt?.toISOString() ?? null,
  };
}

export const sessionOperations = [
  operation({
    method: 'get',
    path: '/api/v1/session/providers',
    id: 'listSignInProviders',
    needs: null,
    tag,
    summary: 'List the identity providers',
    description:
      'Returns the identity providers with which a browser can sign in at `/sign-in/{id}`. The list is empty if ' +
      'none is configured.',
    access: 'public',
    response: {
      status: 200,
      json: z.array(z.object({ id: z.string(), name: z.string() }).meta({ id: 'SignInProvider' })),
    },
    handle: async ({ ctx }) => Object.entries(getProviders(ctx)).map(([id, { name }]) => ({ id, name })),
  }),
  operation({
    method: 'get',
    path: '/api/v1/session',
    id: 'getSession',
    needs: 'retrieve',
    tag,
    summary: 'Read who the caller is',
    description:
      'Returns the user, the organization, the project that requests without a scope act in, and the ' +
      'API key. The answer is the same for a key and for the session cookie of a browser.',
    access: 'organization',
    response: { status: 200, json: sessionBody },
    handle: async ({ ctx }) => present(await describeCaller(ctx)),
  }),
  operation({
    method: 'post',
    path: '/api/v1/session',
    id: 'signIn',
    needs: null,
    tag,
    summary: 'Sign in with an API key',
    description:
      'Checks the key and sets the session cookie, which signs a browser in for 12 hours. Programs do ' +
      'not need a session: they send the key in the `Authorization` header.',
    access: 'public',
    body: {
      json: z.object({ api_key: z.string().min(1).meta({ format: 'password' }) }),
      limit: SIGN_IN_BYTES,
    },
    response: { status: 204 },
    errors: [401, 403],
    async handle({ ctx, body, request, requestId }) {
      // Only the console's own page may replace the session of a browser. Another site cannot end it.
      const isBrowser = request.headers.has('origin');
      if (isBrowser) requireOwnOrigin(ctx, request);
      const former = isBrowser ? getSessionCookie(request) : undefined;
      const address = readClientAddress(request, ctx.settings);
      const browser = describeBrowser(request.headers.get('user-agent'));
      const event = { operation: 'signIn', requestId, address };
      const { session, actor } = await openSession(ctx, body.api_key, address, browser).catch(
        async (error: unknown) => {
          if (error instanceof Unauthenticated) {
            // A wrong key belongs to no known user, so the first organization gets the event.
            const organizationId = await deriveFirstOrganizationId();
            await recordFailure(ctx, { ...event, organizationId }, address);
          }
          throw error;
        },
      );
      if (former) await closeSession(ctx, former);
      const { organizationId, userId, keyId } = actor;
      await recordEvent(ctx, { ...event, organizationId, userId, keyId });
      return new Response(null, {
        status: 204,
        headers: { 'set-cookie': sessionCookie(ctx, request, session) },
      });
    },
  }),
  operation({
    method: 'delete',
    path: '/api/v1/session',
    id: 'signOut',
    needs: null,
    tag,
    summary: 'Sign out',
    description:
      'Ends the session of the request’s cookie and removes the cookie. A request without a session ' +
      'succeeds too.',
    access: 'public',
    response: { status: 204 },
    errors: [403],
    async handle({ ctx, request }) {
      const session = getSessionCookie(request);
      if (session || request.headers.has('origin')) requireOwnOrigin(ctx, request);
      if (session) await closeSession(ctx, session);
      return new Response(null, { status: 204, headers: { 'set-cookie': sessionCookie(ctx, request, '') } });
    },
  }),
];
