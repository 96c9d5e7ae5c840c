import { z } from 'zod';
import { sha256 } from '#src/lib/secrets/hash.ts';
import type { UpstreamHttp } from './http.ts';

/** An access token, as an authorization server gives it for the credentials of a client. */
export interface Token {
  token: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** Access tokens by name. A token is fetched once for all callers that need it, and again before it expires. */
export interface Tokens {
  /** Calls `refresh` if no token of this name can be used. Rejects if `refresh` rejects. */
  get(name: string, refresh: () => Promise<Token>): Promise<string>;
  /** Forgets a token that was refused. A token that has replaced it is kept. */
  drop(name: string, token: string): Promise<void>;
}

const answer = z.object({ access_token: z.string().min(1), expires_in: z.coerce.number() });

/** Reads the answer of a token endpoint (RFC 6749). Rejects with an error of `http` if the answer has no token. */
export async function readToken(http: UpstreamHttp, response: Response): Promise<Token> {
  const { access_token: token, expires_in: seconds } = await http.json(response, answer);
  return { token, expiresAt: Date.now() + seconds * 1000 };
}

const MARGIN_MS = 60_000;
const UNKNOWN_LIFE_MS = 5 * 60_000;
const LONGEST_LIFE_MS = 24 * 3600_000;

/** Returns until when a token may be used: until a minute before it expires, or for three quarters of a short life. */
export function freshUntil(expiresAt: number, now: number): number {
  const life = Number.isFinite(expiresAt) ? Math.min(expiresAt - now, LONGEST_LIFE_MS) : UNKNOWN_LIFE_MS;
  return now + life - Math.min(MARGIN_MS, life / 4);
}

interface KeptToken {
  token: string;
  until: number;
}

/** Maximum number of tokens in one memory. The token that was fetched first is forgotten first. */
const MOST_KEPT = 1000;

/** Keeps tokens in `kept`, which by default lives as long as the returned object. */
export function memoryTokens(
  now: () => number = Date.now,
  kept: Map<string, KeptToken> = new Map<string, KeptToken>(),
): Tokens {
  const underWay = new Map<string, Promise<string>>();

  async function renew(name: string, refresh: () => Promise<Token>): Promise<string> {
    const { token, expiresAt } = await refresh();
    kept.delete(name);
    kept.set(name, { token, until: freshUntil(expiresAt, now()) });
    if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value!);
    return token;
  }

  return {
    async get(name, refresh) {
      const known = kept.get(name);
      if (known && known.until > now()) return known.token;
      const renewing = underWay.get(name) ?? renew(name, refresh).finally(() => underWay.delete(name));
      underWay.set(name, renewing);
      return renewing;
    },
    async drop(name, token) {
      if (kept.get(name)?.token === token) kept.delete(name);
    },
  };
}

const tokensOfIsolate = new Map<string, KeptToken>();

/**
 * Returns the access token of these credentials, which all requests of the isolate share. Whoever lacks one of the
 * credentials gets another token. A request does not wait for a renewal that another request has begun, because the
 * renewal stops when that request ends.
 */
export function isolateToken(credentials: readonly unknown[], refresh: () => Promise<Token>) {
  const tokens = memoryTokens(Date.now, tokensOfIsolate);
  const name = sha256(JSON.stringify(credentials));
  return {
    get: async (): Promise<string> => tokens.get(await name, refresh),
    /** Forgets a token that was refused. */
    drop: async (token: string): Promise<void> => tokens.drop(await name, token),
  };
}

/** Calls `use` with a token. If the answer has status 401, calls it once more with a new token. */
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
