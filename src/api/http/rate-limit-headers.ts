import type { MiddlewareHandler } from 'hono';
import type { ApiEnv } from './middleware.ts';

/** Names of the headers, for web pages of other origins that may read them. */
export const RATE_LIMIT_HEADERS = ['ratelimit', 'ratelimit-policy'] as const;

/**
 * Adds the state of the caller's rate limit in the headers of the internet draft "RateLimit header fields for HTTP". `q` is
 * the number of requests in `w` seconds, `r` the number that is left, and `t` the seconds until all are available
 * again. Responses to callers without a limit have no such headers.
 */
export const addRateLimitHeaders: MiddlewareHandler<ApiEnv> = async (c, next) => {
  await next();
  const state = c.get('requestLimit');
  if (!state) return;
  const { limit, remaining, resetSeconds } = state;
  c.header('ratelimit-policy', `"requests";q=${limit};w=60`);
  c.header('ratelimit', `"requests";r=${remaining};t=${Math.ceil(resetSeconds)}`);
};
