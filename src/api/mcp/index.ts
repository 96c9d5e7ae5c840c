import { Hono, type Context as HonoContext } from 'hono';
import { authenticate } from '#src/api/http/auth.ts';
import type { ApiEnv } from '#src/api/http/middleware.ts';
import { decodeQuery } from '#src/api/http/read-input.ts';
import { errorResponse } from '#src/api/http/respond.ts';
import { scopeQuery } from '#src/api/operation/endpoint.ts';
import type { Context, TenantContext } from '#src/context/context.ts';
import { Forbidden, Unauthenticated } from '#src/lib/errors.ts';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import { publicOrigin } from '#src/settings/settings.ts';
import { readMessage, refusal } from './message.ts';
import { challenge, KEY_NEEDED, METADATA_PATH, protectedResource } from './protected-resource.ts';

/**
 * The Model Context Protocol over streamable HTTP, without sessions. Not among the operations: their description is
 * what `tools/list` answers.
 */
export function mcpRoutes() {
  const routes = new Hono<ApiEnv>();
  routes.get(METADATA_PATH, (c) => c.json(protectedResource(c.get('context'), c.req.url, '')));
  routes.get(`${METADATA_PATH}/mcp`, (c) => c.json(protectedResource(c.get('context'), c.req.url, '/mcp')));
  routes.all('/mcp', async (c) => {
    const context = c.get('context');
    const request = c.req.raw;
    requireTrustedOrigin(context, request);
    const ctx = await callerOf(c);
    if (ctx instanceof Response) return ctx;
    const message = request.method === 'POST' ? await readMessage(request) : undefined;
    if (message instanceof Response) return message;
    if (request.method !== 'GET' && request.method !== 'POST' && request.method !== 'DELETE') {
      return refusal(405, -32000, 'Method not allowed.');
    }
    // Loaded when the first agent comes: what starts up without one does not pay for it.
    const { serve } = await import('./server.ts');
    return serve(request, message, { ctx, requestId: c.get('requestId') });
  });
  return routes;
}

/**
 * A page that a browser shows may be anybody's, and reach a service on the reader's own machine by a name that it has
 * turned there. Whatever else than a browser asks sends no Origin.
 */
function requireTrustedOrigin({ settings }: Context, request: Request): void {
  const origin = request.headers.get('origin');
  if (origin === null || origin === publicOrigin(settings, request.url)) return;
  if (!settings.ALLOWED_ORIGINS.includes(origin)) {
    throw new Forbidden('Requests from this Origin are not allowed: ALLOWED_ORIGINS does not name it.');
  }
}

/** Who asks, by a key alone: browsers attach cookies by themselves. */
async function callerOf(c: HonoContext<ApiEnv>): Promise<TenantContext | Response> {
  const context = c.get('context');
  const request = c.req.raw;
  const hasCredentials = request.headers.has('authorization');
  try {
    if (!hasCredentials) throw new Unauthenticated();
    const caller = await authenticate(context, request);
    const query = decodeQuery(scopeQuery, new URL(request.url).searchParams);
    return await caller.tenantContext(parseInput(scopeQuery, query, ['query']));
  } catch (error) {
    if (!(error instanceof Unauthenticated)) throw error;
    const answer = errorResponse(c, new Unauthenticated(KEY_NEEDED));
    answer.headers.set('www-authenticate', challenge(context, request.url, hasCredentials));
    return answer;
  }
}
