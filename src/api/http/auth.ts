import { parse } from 'hono/utils/cookie';
import type { Actor, Context, TenantContext } from '#src/context/context.ts';
import { Forbidden, Unauthenticated } from '#src/lib/errors.ts';
import type { BucketState } from '#src/lib/token-buckets.ts';
import { findKeyActor, type KeyReader } from '#src/services/tenancy/api-keys.ts';
import { countRequest, identifyCaller, isLookupRefused } from '#src/services/tenancy/rate-limit.ts';
import { type RequestedScope, resolveScope } from '#src/services/tenancy/request-scope.ts';
import { findSessionActor } from '#src/services/tenancy/sessions.ts';
import { publicOrigin } from '#src/settings/settings.ts';
import { readClientAddress } from './client-address.ts';

export interface Caller {
  tenantContext(scope: RequestedScope): Promise<TenantContext>;
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Authenticates a request by its bearer key or session cookie. If a request has a bearer key, its cookie is
 * ignored. Throws RateLimited if the key or the client's address has exceeded its limit. `readKey` is passed
 * to `findKeyActor`, and `onCount` to `countRequest`.
 */
export async function authenticate(
  ctx: Context,
  request: Request,
  readKey?: KeyReader,
  onCount?: (state: BucketState) => void,
): Promise<Caller> {
  const actor = await identify(ctx, request, readKey);
  if (!actor) throw new Unauthenticated();
  await countRequest(ctx, actor, onCount);
  return { tenantContext: (scope) => resolveScope(ctx, actor, scope) };
}

/**
 * Authenticates the caller of a request that is still running, without counting another request. Throws
 * Unauthenticated if the key or session is no longer valid.
 */
export async function authenticateAgain(ctx: Context, request: Request): Promise<Caller> {
  const actor = await identify(ctx, request);
  if (!actor) throw new Unauthenticated();
  return { tenantContext: (scope) => resolveScope(ctx, actor, scope) };
}

async function identify(ctx: Context, request: Request, readKey?: KeyReader): Promise<Actor | undefined> {
  const address = readClientAddress(request, ctx.settings);
  const authorization = request.headers.get('authorization');
  if (authorization !== null) {
    const key = readBearerKey(authorization);
    if (key === undefined) return undefined;
    return identifyCaller(ctx, address, key, () => findKeyActor(ctx, key, readKey));
  }
  const session = getSessionCookie(request);
  if (!session) return undefined;
  if (!SAFE_METHODS.has(request.method)) requireOwnOrigin(ctx, request);
  return identifyCaller(ctx, address, session, () => findSessionActor(ctx, session));
}

/** Returns the API key, token or session cookie that identifies the caller. Returns `undefined` if there is none. */
export function getCredential(request: Request): string | undefined {
  const authorization = request.headers.get('authorization');
  return authorization === null ? getSessionCookie(request) : readBearerKey(authorization);
}

const readBearerKey = (authorization: string): string | undefined =>
  /^Bearer +(\S+)$/i.exec(authorization)?.[1];

/** Returns whether the request has an Authorization header, which contains the API key. */
export const hasKey = (request: Request) => request.headers.has('authorization');

/**
 * Returns whether the client's address has sent too many wrong credentials. Nothing is then read before
 * authentication.
 */
export const isSuspect = (ctx: Context, request: Request) =>
  isLookupRefused(ctx, readClientAddress(request, ctx.settings));

export function getSessionCookie(request: Request): string | undefined {
  return parse(request.headers.get('cookie') ?? '', 'session').session;
}

/**
 * Throws Forbidden if the Origin header is not allowed. Browsers also attach the session cookie to requests
 * that other sites cause.
 */
export function requireOwnOrigin(ctx: Context, request: Request): void {
  const origin = request.headers.get('origin');
  const own = publicOrigin(ctx.settings, request.url);
  if (origin === null || (origin !== own && !ctx.settings.ALLOWED_ORIGINS.includes(origin))) {
    throw new Forbidden('Requests that rely on the session cookie need a matching Origin header.');
  }
}
