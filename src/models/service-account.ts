import { z } from 'zod';
import { DomainError, Invalid, Upstream } from '#src/errors.ts';
import { toBase64Url } from '#src/lib/base64url.ts';
import { sha256 } from '#src/lib/hash.ts';
import type { ModelDeps } from './definition.ts';
import { FieldFault } from './naming-field.ts';

/** As the vendor's key files name them. */
interface KeyFile {
  client_email: string;
  /** PKCS #8, as PEM. */
  private_key: string;
  private_key_id?: string | undefined;
  token_uri: string;
}

export interface ServiceAccount {
  clientEmail: string;
  keyId: string | undefined;
  tokenUri: string;
  /** Its private key. */
  pkcs8: Uint8Array<ArrayBuffer>;
}

/** Throws Invalid, which names the member at `loc`, when the key file can open nothing. */
export function serviceAccountOf(given: KeyFile, loc: readonly string[]): ServiceAccount {
  const wrongField = (name: string, msg: string) =>
    new Invalid([{ loc: [...loc, name], msg, type: 'value_error' }]);
  const { client_email: clientEmail, private_key: privateKey, private_key_id: keyId, token_uri: uri } = given;
  // What it is sent is good for tokens of the account.
  if (URL.parse(uri)?.protocol !== 'https:') throw wrongField('token_uri', 'Input should be an https URL');
  const pkcs8 = pkcs8Of(privateKey);
  if (!pkcs8) throw wrongField('private_key', 'Input should be a PEM block of the type PRIVATE KEY');
  return { clientEmail, keyId, tokenUri: uri, pkcs8 };
}

/** Pasted out of JSON, line ends are often still written as two letters. */
function pkcs8Of(pem: string): Uint8Array<ArrayBuffer> | undefined {
  const block = /-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----/.exec(pem)?.[1];
  try {
    const bytes = block && atob(block.replaceAll('\\n', '').replaceAll(/\s/g, ''));
    return bytes ? Uint8Array.from(bytes, (char) => char.charCodeAt(0)) : undefined;
  } catch {
    return undefined;
  }
}

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const TIMEOUT_SECONDS = 30;
const MOST_BYTES = 64 * 1024;
const LIFE_SECONDS = 3600;
/** Before a token ends another is asked for, so that none ends on its way; of a short life a quarter is left. */
const EARLY_SECONDS = 5 * 60;
const MOST_TOKENS = 500;
const KEY_FIELDS = 'client_email, private_key_id or private_key';

const answer = z.object({ access_token: z.string().min(1), expires_in: z.number().positive() });

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
    const assertion = await assertionOf(account);
    const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
    const body = new URLSearchParams({ grant_type, assertion });
    try {
      const response = await http.request(tokenUri, { method: 'POST', body }, { what: 'an access token' });
      const { access_token: token, expires_in } = await http.json(response, answer);
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

async function assertionOf({ clientEmail, keyId, tokenUri, pkcs8 }: ServiceAccount) {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: clientEmail, scope: SCOPE, aud: tokenUri, iat: now, exp: now + LIFE_SECONDS };
  const signed = [{ alg: 'RS256', typ: 'JWT', ...(keyId && { kid: keyId }) }, claims]
    .map((part) => toBase64Url(JSON.stringify(part)))
    .join('.');
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('pkcs8', pkcs8, algorithm, false, ['sign']).catch(() => {
    const message = 'The private key of the service account is no RSA key.';
    throw new FieldFault('private_key', new Upstream(message, { retryable: false }));
  });
  const signature = await crypto.subtle.sign(algorithm.name, key, encoder.encode(signed));
  return `${signed}.${toBase64Url(new Uint8Array(signature))}`;
}

const encoder = new TextEncoder();
