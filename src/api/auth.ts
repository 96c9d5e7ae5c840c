import { parse } from 'hono/utils/cookie';
import type { Actor, Context, TenantContext } from '#src/context.ts';
import { Forbidden, Unauthenticated } from '#src/errors.ts';
import { actorOfKey } from '#src/services/tenancy/api-keys.ts';
import { type RequestedScope, resolveScope } from '#src/services/tenancy/request-scope.ts';
import { actorOfSession } from '#src/services/tenancy/sessions.ts';
import { publicOrigin } from '#src/settings.ts';

export interface Caller {
  tenantContext(scope: RequestedScope): Promise<TenantContext>;
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** A bearer key, or the session cookie. A request that carries a bearer key is judged by it alone. */
export async function authenticate(ctx: Context, request: Request): Promise<Caller> {
  const actor = await identify(ctx, request);
  if (!actor) throw new Unauthenticated();
  return { tenantContext: (scope) => resolveScope(ctx, actor, scope) };
}

async function identify(ctx: Context, request: Request): Promise<Actor | undefined> {
  const authorization = request.headers.get('authorization');
  if (authorization !== null) {
    const key = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    return key === undefined ? undefined : actorOfKey(ctx, key);
  }
  const session = sessionCookieOf(request);
  if (!session) return undefined;
  if (!SAFE_METHODS.has(request.method)) requireOwnOrigin(ctx, request);
  return actorOfSession(ctx, session);
}

export function sessionCookieOf(request: Request): string | undefined {
  return parse(request.headers.get('cookie') ?? '', 'session').session;
}

/** Browsers attach cookies to requests that other sites cause; the Origin header tells those apart. */
export function requireOwnOrigin(ctx: Context, request: Request): void {
  const origin = request.headers.get('origin');
  const own = publicOrigin(ctx.settings, request.url);
  if (origin === null || (origin !== own && !ctx.settings.ALLOWED_ORIGINS.includes(origin))) {
    throw new Forbidden('Requests that rely on the session cookie need a matching Origin header.');
  }
}
