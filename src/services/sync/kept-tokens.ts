import { freshUntil, type Token, type Tokens } from '#src/upstream/tokens.ts';
import type { TokenOwner } from '#src/work/token-owner.ts';

const ASK_AGAIN_MS = 200;

/**
 * Tokens that the owner of a pipeline keeps for all of its consumers: one of them fetches, the others wait for it.
 * `owner` gives a stub that may be used now.
 */
export function keptTokens(
  owner: () => TokenOwner,
  of: { dataSourceId: string; fingerprint: string },
): Tokens {
  /** What this isolate has seen of them spares asking for each request. */
  const seen = new Map<string, { token: string; until: number }>();

  async function fetchNew(name: string, lease: string, refresh: () => Promise<Token>): Promise<string> {
    const key = { ...of, name };
    try {
      const { token, expiresAt } = await refresh();
      const until = freshUntil(expiresAt, Date.now());
      await owner().keepToken(key, lease, token, until);
      seen.set(name, { token, until });
      return token;
    } catch (error) {
      // Else the others wait until the lease is over.
      await owner()
        .abandonToken(key, lease)
        .catch(() => {});
      throw error;
    }
  }

  return {
    async get(name, refresh) {
      const known = seen.get(name);
      if (known && known.until > Date.now()) return known.token;
      for (;;) {
        const grant = await owner().takeToken({ ...of, name });
        if (grant.state === 'refresh') return fetchNew(name, grant.lease, refresh);
        if (grant.state === 'fresh') {
          seen.set(name, grant);
          return grant.token;
        }
        await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
      }
    },
    async drop(name, token) {
      if (seen.get(name)?.token === token) seen.delete(name);
      await owner().dropToken({ ...of, name }, token);
    },
  };
}
