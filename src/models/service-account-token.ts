import { z } from 'zod';
import { Invalid } from '#src/errors.ts';
import { toBase64Url } from '#src/lib/base64url.ts';
import { sha256 } from '#src/lib/hash.ts';
import type { UpstreamHttp } from '#src/upstream/http.ts';

/** As a key file of Google's names them. */
export interface ServiceAccount {
  client_email: string;
  /** PKCS #8, PEM. */
  private_key: string;
  private_key_id?: string | undefined;
  token_uri: string;
}

interface Kept {
  token: string;
  /** As Date.now() tells it. */
  until: number;
}

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const HOUR_SECONDS = 3600;
/** A token is given out until so long before it expires. */
const MARGIN_MS = 60_000;
const MOST_KEPT = 100;

const answer = z.object({ access_token: z.string().min(1), expires_in: z.number().positive() });
/** By account and key; of the isolate, since a model is opened for each request. */
const kept = new Map<string, Kept>();

/** The access token of a service account, by a signed assertion (RFC 7523), fetched when there is none that is good. */
export function serviceAccountToken(account: ServiceAccount, http: UpstreamHttp) {
  let name: string | undefined;
  return {
    async get(signal?: AbortSignal | null): Promise<string> {
      name ??= await sha256(JSON.stringify([account.client_email, account.token_uri, account.private_key]));
      const known = kept.get(name);
      if (known && known.until > Date.now()) return known.token;
      const { access_token: token, expires_in: seconds } = await fetchToken(account, http, signal);
      kept.set(name, { token, until: Date.now() + seconds * 1000 - MARGIN_MS });
      if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value!);
      return token;
    },
    forget(): void {
      if (name) kept.delete(name);
    },
  };
}

async function fetchToken(
  account: ServiceAccount,
  http: UpstreamHttp,
  signal: AbortSignal | null | undefined,
) {
  const response = await http.request(
    account.token_uri,
    {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion: await assertionOf(account),
      }).toString(),
      signal: signal ?? null,
    },
    { what: 'an access token' },
  );
  return http.json(response, answer);
}

async function assertionOf(account: ServiceAccount): Promise<string> {
  const key = await privateKeyOf(account.private_key);
  const now = Math.floor(Date.now() / 1000);
  const { client_email: iss, token_uri: aud, private_key_id: kid } = account;
  const header = { alg: 'RS256', typ: 'JWT', ...(kid && { kid }) };
  const claims = { iss, scope: SCOPE, aud, iat: now, exp: now + HOUR_SECONDS };
  const signed = `${toBase64Url(JSON.stringify(header))}.${toBase64Url(JSON.stringify(claims))}`;
  const signature = await crypto.subtle.sign('RSASSA-PKCS1-v1_5', key, new TextEncoder().encode(signed));
  return `${signed}.${toBase64Url(new Uint8Array(signature))}`;
}

async function privateKeyOf(pem: string): Promise<CryptoKey> {
  // Key files that went through a variable may have their line ends written out.
  const body = pem.replaceAll('\\n', '\n').replaceAll(/-----[A-Z ]+-----|\s/g, '');
  try {
    const bytes = Uint8Array.from(atob(body), (char) => char.charCodeAt(0));
    const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
    return await crypto.subtle.importKey('pkcs8', bytes, algorithm, false, ['sign']);
  } catch {
    throw new Invalid([
      { loc: ['private_key'], msg: 'is no private key in PEM (PKCS #8)', type: 'value_error' },
    ]);
  }
}
