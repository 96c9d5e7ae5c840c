import { serialize } from 'hono/utils/cookie';
import { z } from 'zod';
import { addressOf, requireOwnOrigin, sessionCookieOf } from '#src/api/auth.ts';
import { operation } from '#src/api/endpoint.ts';
import type { Context } from '#src/context.ts';
import { closeSession, openSession, SESSION_LIFETIME_SECONDS } from '#src/services/tenancy/sessions.ts';
import { publicOrigin } from '#src/settings.ts';

/** Secure is left out on plain HTTP only: a local browser would drop the cookie. */
function cookie({ settings }: Context, request: Request, value: string, maxAge: number): string {
  const secure = publicOrigin(settings, request.url).startsWith('https:');
  return serialize('session', value, { path: '/', httpOnly: true, sameSite: 'Lax', secure, maxAge });
}

const tag = 'Session';

/** Anybody may ask: a key is short, and nobody is to fill the memory before being known. */
const SIGN_IN_BYTES = 4 * 1024;

export const sessionOperations = [
  operation({
    method: 'post',
    path: '/api/v1/session',
    id: 'signIn',
    tag,
    summary: 'Exchange an API key for the session cookie',
    access: 'public',
    body: {
      json: z.object({ api_key: z.string().min(1).meta({ format: 'password' }) }),
      limit: SIGN_IN_BYTES,
    },
    response: { status: 204 },
    errors: [401],
    async handle({ ctx, body, request }) {
      const value = await openSession(ctx, body.api_key, addressOf(request));
      const headers = { 'set-cookie': cookie(ctx, request, value, SESSION_LIFETIME_SECONDS) };
      return new Response(null, { status: 204, headers });
    },
  }),
  operation({
    method: 'delete',
    path: '/api/v1/session',
    id: 'signOut',
    tag,
    summary: 'End the session and drop its cookie',
    access: 'public',
    response: { status: 204 },
    errors: [403],
    async handle({ ctx, request }) {
      const session = sessionCookieOf(request);
      if (session || request.headers.has('origin')) requireOwnOrigin(ctx, request);
      if (session) await closeSession(ctx, session);
      return new Response(null, { status: 204, headers: { 'set-cookie': cookie(ctx, request, '', 0) } });
    },
  }),
];
