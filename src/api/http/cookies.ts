import { parse, serialize } from 'hono/utils/cookie';
import type { Context } from '#src/context/context.ts';
import { SESSION_LIFETIME_SECONDS } from '#src/services/tenancy/sessions.ts';
import { publicOrigin } from '#src/settings/settings.ts';

/** `Secure` is omitted on plain HTTP only, because local browsers would drop the cookie. */
const isSecure = ({ settings }: Context, request: Request) =>
  publicOrigin(settings, request.url).startsWith('https:');

/** Returns the header that sets the session cookie. An empty value removes the cookie. */
export function sessionCookie(ctx: Context, request: Request, value: string): string {
  const secure = isSecure(ctx, request);
  const maxAge = value === '' ? 0 : SESSION_LIFETIME_SECONDS;
  return serialize('session', value, { path: '/', httpOnly: true, sameSite: 'Strict', secure, maxAge });
}

/**
 * Name of the cookie of a sign-in that waits for the identity provider. The prefix keeps other hosts of the
 * domain from setting it.
 */
const getSignInName = (secure: boolean) => (secure ? '__Host-sign_in' : 'sign_in');

/**
 * Returns the header that sets the cookie of a sign-in. Unlike the session cookie, browsers have to send it when
 * the provider leads them back, so it is not `Strict`.
 */
export function signInCookie(ctx: Context, request: Request, value: string, maxAge: number): string {
  const secure = isSecure(ctx, request);
  const name = getSignInName(secure);
  return serialize(name, value, { path: '/', httpOnly: true, sameSite: 'Lax', secure, maxAge });
}

export function readSignInCookie(ctx: Context, request: Request): string | undefined {
  const name = getSignInName(isSecure(ctx, request));
  return parse(request.headers.get('cookie') ?? '', name)[name] || undefined;
}
