import type { MiddlewareHandler } from 'hono';
import type { ApiEnv } from '#src/api/http/middleware.ts';
import { RATE_LIMIT_HEADERS } from '#src/api/http/rate-limit-headers.ts';
import { Forbidden } from '#src/lib/errors.ts';
import { isLoopbackHost } from '#src/services/applications/redirect-uri.ts';
import { publicOrigin, type Settings } from '#src/settings/settings.ts';

const PREFLIGHT_SECONDS = 600;
const EXPOSED = ['mcp-session-id', ...RATE_LIMIT_HEADERS, 'retry-after', 'www-authenticate', 'x-request-id'];

/**
 * Returns whether a web page of this origin may call the endpoint: the service's own origin, those in ALLOWED_ORIGINS,
 * and pages of this machine if the service is also reached at a loopback address. A page that uses DNS rebinding has
 * neither a loopback origin nor a loopback address of the service.
 */
function isTrusted(settings: Settings, requestUrl: string, origin: string): boolean {
  const own = publicOrigin(settings, requestUrl);
  if (origin === own || settings.ALLOWED_ORIGINS.includes(origin)) return true;
  const hosts = [origin, own, requestUrl].map((each) => URL.parse(each)?.hostname ?? '');
  return hosts.every(isLoopbackHost);
}

/**
 * Rejects requests of unknown web pages, and lets the others read the answer. Only browsers send an Origin header, so
 * requests without one are accepted. Cookies are never accepted, so that a page needs a key or token of its own.
 */
export const requireTrustedOrigin: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const { settings } = c.get('context');
  const origin = c.req.header('origin');
  if (origin === undefined) return next();
  if (!isTrusted(settings, c.req.url, origin)) {
    throw new Forbidden('Requests from this Origin are not allowed: ALLOWED_ORIGINS does not name it.');
  }
  const isPreflight =
    c.req.method === 'OPTIONS' && c.req.header('access-control-request-method') !== undefined;
  if (isPreflight) c.res = new Response(null, { status: 204 });
  else await next();
  c.header('access-control-allow-origin', origin);
  c.header('access-control-expose-headers', EXPOSED.join(', '));
  c.header('vary', 'Origin', { append: true });
  if (!isPreflight) return;
  c.header('access-control-allow-methods', 'POST');
  c.header('access-control-allow-headers', c.req.header('access-control-request-headers') ?? 'authorization');
  c.header('access-control-max-age', String(PREFLIGHT_SECONDS));
};
