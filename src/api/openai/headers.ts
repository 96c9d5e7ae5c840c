import type { MiddlewareHandler } from 'hono';
import { getPath } from 'hono/utils/url';
import type { ApiEnv } from '#src/api/http/middleware.ts';
import { RATE_LIMIT_HEADERS } from '#src/api/http/rate-limit-headers.ts';

const DOOR = '/openai/';
const PREFLIGHT_SECONDS = 600;
const EXPOSED = [
  ...RATE_LIMIT_HEADERS,
  'retry-after',
  'traceresponse',
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'x-request-id',
  'x-should-retry',
  'x-warnings',
];

/** Returns the path of a request. Slashes at the end of the paths of this protocol are removed, as some clients add them. */
export function getRoutePath(request: Request): string {
  const path = getPath(request);
  if (!path.startsWith(DOOR)) return path;
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}

/**
 * Lets web pages of the origins in `ALLOWED_ORIGINS` call the protocol with an API key. Cookies are not allowed. Pages of
 * other origins receive no such headers, so that browsers refuse them the response.
 */
export const allowOrigins: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const origin = c.req.header('origin');
  const { ALLOWED_ORIGINS } = c.get('context').settings;
  const isAllowed = origin !== undefined && ALLOWED_ORIGINS.includes(origin);
  const isPreflight = c.req.method === 'OPTIONS';
  if (isPreflight) c.res = new Response(null, { status: 204 });
  else await next();
  // The headers are set last, because a Response that a handler created lacks headers that were set before.
  if (ALLOWED_ORIGINS.length > 0) c.header('vary', 'Origin', { append: true });
  if (!isAllowed) return;
  c.header('access-control-allow-origin', origin);
  c.header('access-control-expose-headers', EXPOSED.join(', '));
  if (!isPreflight) return;
  c.header('access-control-allow-methods', 'GET, POST, DELETE, OPTIONS');
  c.header('access-control-allow-headers', c.req.header('access-control-request-headers') ?? 'authorization');
  c.header('access-control-max-age', String(PREFLIGHT_SECONDS));
};

/** Adds the state of the caller's rate limit in the headers that clients of this protocol read. */
export const addLimitHeaders: MiddlewareHandler<ApiEnv> = async (c, next) => {
  await next();
  const state = c.get('requestLimit');
  if (!state) return;
  c.header('x-ratelimit-limit-requests', String(state.limit));
  c.header('x-ratelimit-remaining-requests', String(state.remaining));
  c.header('x-ratelimit-reset-requests', `${state.resetSeconds.toFixed(3)}s`);
};
