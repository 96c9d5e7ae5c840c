/** What an authorization server gives for a client's credentials. */
export interface Token {
  token: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** Tokens by name, fetched once for all who need them, and again before they expire. */
export interface Tokens {
  /** `refresh` is called when there is none that will hold; what it rejects with is passed on. */
  get(name: string, refresh: () => Promise<Token>): Promise<string>;
  /** The token was refused: nobody gets it any more. One that has been replaced meanwhile stays. */
  drop(name: string, token: string): Promise<void>;
}

const MARGIN_MS = 60_000;
const UNKNOWN_LIFE_MS = 5 * 60_000;
const LONGEST_LIFE_MS = 24 * 3600_000;

/** Until when a token is given out: a minute less than it holds, or a quarter of a short life. */
export function freshUntil(expiresAt: number, now: number): number {
  const life = Number.isFinite(expiresAt) ? Math.min(expiresAt - now, LONGEST_LIFE_MS) : UNKNOWN_LIFE_MS;
  return now + life - Math.min(MARGIN_MS, life / 4);
}

/** Tokens that are forgotten with this object, for checks and other work that one request does. */
export function memoryTokens(now: () => number = Date.now): Tokens {
  const kept = new Map<string, Promise<{ token: string; until: number }>>();
  const isCurrent = async (name: string, of: (entry: { token: string; until: number }) => boolean) => {
    const entry = await kept.get(name)?.catch(() => undefined);
    return entry !== undefined && of(entry);
  };
  return {
    async get(name, refresh) {
      const known = kept.get(name);
      const isFresh = known !== undefined && (await isCurrent(name, ({ until }) => until > now()));
      // Another caller may have begun to refresh it while this one looked.
      if (!isFresh && kept.get(name) === known) {
        kept.set(
          name,
          refresh().then(({ token, expiresAt }) => ({ token, until: freshUntil(expiresAt, now()) })),
        );
      }
      return (await kept.get(name)!).token;
    },
    async drop(name, token) {
      if (await isCurrent(name, (entry) => entry.token === token)) kept.delete(name);
    },
  };
}

/** Calls `use` with the token, and once more with a new one when the answer is that the token is void. */
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
