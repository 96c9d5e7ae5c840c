import { z } from 'zod';
import { sha256 } from '#src/lib/secrets/hash.ts';
import type { UpstreamHttp } from './http.ts';

export interface Token {
  token: string;
  /** Expiry time of the access token, in milliseconds since 1970. */
  expiresAt: number;
}

/**
 * Cache of access tokens by name. A token is requested once for all callers, and requested again before it
 * expires.
 */
export interface Tokens {
  /**
   * Returns an access token. Calls `refresh` if no usable token of this name is cached. Rejects if `refresh`
   * rejects.
   */
  get(name: string, refresh: () => Promise<Token>): Promise<string>;
  /** Removes an access token that was rejected. A newer token in the cache is kept. */
  drop(name: string, token: string): Promise<void>;
}

const answer = z.object({ access_token: z.string().min(1), expires_in: z.coerce.number() });

/**
 * Parses the response of a token endpoint (RFC 6749). Rejects with an error of the client `http` if the
 * response contains no token.
 */
export async function readToken(http: UpstreamHttp, response: Response): Promise<Token> {
  const { access_token: token, expires_in: seconds } = await http.json(response, answer);
  return { token, expiresAt: Date.now() + seconds * 1000 };
}

const MARGIN_MS = 60_000;
const UNKNOWN_LIFE_MS = 5 * 60_000;
const LONGEST_LIFE_MS = 24 * 3600_000;

/**
 * Returns the time until which an access token may be used, in milliseconds since 1970. This is one minute
 * before the token expires. For tokens with a short lifetime, it is after three quarters of the lifetime.
 */
export function getUsableUntil(expiresAt: number, now: number): number {
  const life = Number.isFinite(expiresAt) ? Math.min(expiresAt - now, LONGEST_LIFE_MS) : UNKNOWN_LIFE_MS;
  return now + life - Math.min(MARGIN_MS, life / 4);
}

interface CachedToken {
  token: string;
  until: number;
}

/** Maximum number of access tokens in a cache. The oldest token is removed first. */
const MAX_CACHED_TOKENS = 1000;

/**
 * Creates a cache of access tokens in memory. The tokens are stored in `cache`. By default, `cache` lives as
 * long as the returned object.
 */
export function createMemoryTokens(
  now: () => number = Date.now,
  cache: Map<string, CachedToken> = new Map<string, CachedToken>(),
): Tokens {
  const pendingRenewals = new Map<string, Promise<string>>();

  async function renew(name: string, refresh: () => Promise<Token>): Promise<string> {
    const { token, expiresAt } = await refresh();
    cache.delete(name);
    cache.set(name, { token, until: getUsableUntil(expiresAt, now()) });
    if (cache.size > MAX_CACHED_TOKENS) cache.delete(cache.keys().next().value!);
    return token;
  }

  return {
    async get(name, refresh) {
      const known = cache.get(name);
      if (known && known.until > now()) return known.token;
      const renewing =
        pendingRenewals.get(name) ?? renew(name, refresh).finally(() => pendingRenewals.delete(name));
      pendingRenewals.set(name, renewing);
      return renewing;
    },
    async drop(name, token) {
      if (cache.get(name)?.token === token) cache.delete(name);
    },
  };
}

const ISOLATE_TOKENS = new Map<string, CachedToken>();

/**
 * Returns an access token for these credentials, which all requests of the isolate share. A request does not
 * wait for a renewal that another request started. The renewal would stop when that request ends.
 */
export function createIsolateToken(credentials: readonly unknown[], refresh: () => Promise<Token>) {
  const tokens = createMemoryTokens(Date.now, ISOLATE_TOKENS);
  const name = sha256(JSON.stringify(credentials));
  return {
    get: async (): Promise<string> => tokens.get(await name, refresh),
    drop: async (token: string): Promise<void> => tokens.drop(await name, token),
  };
}

/** Calls `use` with a token. If the response has status 401, calls it once more with a new token. */
export async function withToken(
  tokens: Tokens,
  name: string,
  refresh: () => Promise<Token>,
  use: (token: string) => Promise<Response>,
): Promise<Response> {
  const token = await tokens.get(name, refresh);
  const response = await use(token);
  if (response.status !== 401) return response;
  await response.body?.cancel();
  await tokens.drop(name, token);
  return use(await tokens.get(name, refresh));
}
