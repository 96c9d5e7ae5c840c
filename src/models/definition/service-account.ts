import { DomainError, Invalid, Upstream } from '#src/lib/errors.ts';
import { sha256 } from '#src/lib/secrets/hash.ts';
import {
  type KeyFile,
  readKeyFile,
  type ServiceAccount,
  tokenAnswer,
  tokenRequest,
} from '#src/upstream/service-account.ts';
import type { ModelDeps } from './definition.ts';
import { FieldFault } from './naming-field.ts';

/** Throws Invalid, which names the member at `loc`, when the key file can open nothing. */
export function serviceAccountOf(given: KeyFile, loc: readonly string[]): ServiceAccount {
  const account = readKeyFile(given);
  if (!('member' in account)) return account;
  const { member, message: msg } = account;
  throw new Invalid([{ loc: [...loc, member], msg, type: 'value_error' }]);
}

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const TIMEOUT_SECONDS = 30;
const MOST_BYTES = 64 * 1024;
/** Before a token ends another is asked for, so that none ends on its way; of a short life a quarter is left. */
const EARLY_SECONDS = 5 * 60;
const MOST_TOKENS = 500;
const KEY_FIELDS = 'client_email, private_key_id or private_key';

interface Token {
  token: string;
  /** Until when it is given out, milliseconds since 1970. */
  until: number;
}

/** Tokens of this isolate, each by the whole account: who has another's name, but not its key, gets none of them. */
const kept = new Map<string, Token>();

/** Access tokens of a service account, by an assertion that its key signs (RFC 7523). */
export function serviceAccountTokens(account: ServiceAccount, deps: ModelDeps) {
  const { clientEmail, keyId, tokenUri } = account;
  const http = deps.http({
    name: `The token endpoint ${new URL(tokenUri).host}`,
    silenceSeconds: TIMEOUT_SECONDS,
    totalSeconds: TIMEOUT_SECONDS,
    maxBytes: MOST_BYTES,
  });
  const name = sha256(account.pkcs8).then((key) => JSON.stringify([clientEmail, keyId, tokenUri, key]));

  /** Under way for all who need it here. Other requests do not wait for it: its own may end before it does. */
  let asking: Promise<Token> | undefined;

  async function ask(): Promise<Token> {
    const start = Date.now();
    const body = await tokenRequest(account, SCOPE);
    if (!body) {
      const message = 'The private key of the service account is no RSA key.';
      throw new FieldFault('private_key', new Upstream(message, { retryable: false }));
    }
    try {
      const response = await http.request(tokenUri, { method: 'POST', body }, { what: 'an access token' });
      const { access_token: token, expires_in } = await http.json(response, tokenAnswer);
      const early = Math.min(EARLY_SECONDS, expires_in / 4);
      return { token, until: start + (expires_in - early) * 1000 };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const isKey = error instanceof Upstream && (error.status === 400 || error.status === 401);
      throw new FieldFault(isKey ? KEY_FIELDS : 'token_uri', error);
    }
  }

  return {
    /** Not ended by the signal of any one caller: others wait for the same. */
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
    forget(token: string): void {
      for (const [key, each] of kept) if (each.token === token) kept.delete(key);
    },
  };
}
