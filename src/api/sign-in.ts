import { Hono, type Context as HonoContext } from 'hono';
import { describeBrowser } from '#src/services/tenancy/browser.ts';
import { countSignIn } from '#src/services/tenancy/rate-limit.ts';
import { readSessionId } from '#src/services/tenancy/sessions.ts';
import { publicOrigin } from '#src/settings/settings.ts';
import { getSessionCookie } from './http/auth.ts';
import { readClientAddress } from './http/client-address.ts';
import { readSignInCookie, sessionCookie, signInCookie } from './http/cookies.ts';
import type { ApiEnv } from './http/middleware.ts';

/** Time in seconds for which the browser keeps the cookie of a sign-in. */
const COOKIE_SECONDS = 600;

/**
 * Creates the routes of sign-in with an identity provider. They are not operations, because only browsers open
 * them. The code of the sign-in is loaded at the first request, so that it does not slow down the start.
 */
export function signInRoutes() {
  const routes = new Hono<ApiEnv>();
  routes.get('/:provider', async (c) => {
    const { ctx, address } = readCaller(c);
    countSignIn(ctx, address);
    const session = getSessionCookie(c.req.raw);
    const { beginSignIn } = await import('#src/services/sign-in/sign-in.ts');
    const { location, cookie } = await beginSignIn(ctx, c.req.param('provider'), {
      redirectUri: buildRedirectUri(c),
      returnTo: c.req.query('return_to'),
      sessionId: session && (await readSessionId(ctx, session)),
    });
    return redirect(location, [signInCookie(ctx, c.req.raw, cookie, COOKIE_SECONDS)]);
  });
  routes.get('/:provider/callback', async (c) => {
    const { ctx, address } = readCaller(c);
    const request = c.req.raw;
    countSignIn(ctx, address);
    const { finishSignIn } = await import('#src/services/sign-in/sign-in.ts');
    const finished = await finishSignIn(ctx, c.req.param('provider'), {
      callback: new URL(request.url),
      cookie: readSignInCookie(ctx, request),
      redirectUri: buildRedirectUri(c),
      requestId: c.get('requestId'),
      address,
      browser: describeBrowser(request.headers.get('user-agent')),
    });
    // The cookie is removed in any case, so that a callback cannot be sent again.
    const gone = signInCookie(ctx, request, '', 0);
    if ('refusal' in finished) return redirect(`/console/?sign_in=${finished.refusal}`, [gone]);
    return redirect(finished.returnTo, [gone, sessionCookie(ctx, request, finished.session)]);
  });
  return routes;
}

function readCaller(c: HonoContext<ApiEnv>) {
  const ctx = c.get('context');
  return { ctx, address: readClientAddress(c.req.raw, ctx.settings) };
}

const buildRedirectUri = (c: HonoContext<ApiEnv>) =>
  `${publicOrigin(c.get('context').settings, c.req.url)}/sign-in/${c.req.param('provider')}/callback`;

function redirect(location: string, cookies: string[]): Response {
  const headers = new Headers({ location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  for (const cookie of cookies) headers.append('set-cookie', cookie);
  return new Response(null, { status: 303, headers });
}
