import { sha256 } from '#src/lib/secrets/hash.ts';
import type { SinkDeps } from '#src/ports/sink.ts';
import { storeHttp } from '#src/sinks/external/store-http.ts';
import { token as answer } from './wire.ts';

export interface ClientCredentials {
  tenantId: string;
  clientId: string;
  clientSecret: string;
}

const HOST = 'https://login.microsoftonline.com';
const SCOPE = 'https://search.azure.com/.default';
/** Before a token ends another is asked for, so that none ends on its way; of a short life a quarter is left. */
const EARLY_SECONDS = 5 * 60;
const MOST_TOKENS = 500;

interface Token {
  token: string;
  /** Until when it is given out, milliseconds since 1970. */
  until: number;
}

/** Tokens of this isolate, each by all of its credentials: who has another's id, but not its secret, gets none of them. */
const kept = new Map<string, Token>();

/** Access tokens of an application, by its id and secret. */
export function clientTokens(credentials: ClientCredentials, kind: string, deps: SinkDeps) {
  const { tenantId, clientId, clientSecret } = credentials;
  const http = storeHttp({ kind, deps, secrets: [clientSecret] });
  const url = `${HOST}/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`;
  const name = sha256(JSON.stringify([tenantId, clientId, clientSecret]));

  /** Under way for all who need it here. Other requests do not wait for it: its own may end before it does. */
  let asking: Promise<Token> | undefined;

  async function ask(): Promise<Token> {
    const start = Date.now();
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      scope: SCOPE,
    });
    const response = await http.request(url, { method: 'POST', body }, { what: 'an access token' });
    const { access_token: token, expires_in } = await http.json(response, answer);
    const early = Math.min(EARLY_SECONDS, expires_in / 4);
    return { token, until: start + (expires_in - early) * 1000 };
  }

  return {
    async token(): Promise<string> {
      const key = await name;
      const known = kept.get(key);
      if (known && known.until > Date.now()) return known.token;
      asking ??= ask().finally(() => {
        asking = undefined;
      });
      const fresh = await asking;
      kept.delete(key);
      kept.set(key, fresh);
      if (kept.size > MOST_TOKENS) kept.delete(kept.keys().next().value!);
      return fresh.token;
    },
    /** The vendor does not take this one any more. */
    forget(token: string): void {
      for (const [key, each] of kept) if (each.token === token) kept.delete(key);
    },
  };
}
