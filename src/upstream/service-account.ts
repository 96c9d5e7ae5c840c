import { toBase64Url } from '#src/lib/secrets/base64url.ts';

// How an account of a program signs in to Google: an assertion that its key signs is sent for a token (RFC 7523).

/** As the vendor's key files name them. */
export interface KeyFile {
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

/** The member of a key file with which it can open nothing, and what it should be. */
export interface KeyFault {
  member: 'private_key' | 'token_uri';
  message: string;
}

export function readKeyFile(given: KeyFile): ServiceAccount | KeyFault {
  const { client_email: clientEmail, private_key: privateKey, private_key_id: keyId, token_uri: uri } = given;
  // What it is sent is good for tokens of the account.
  if (URL.parse(uri)?.protocol !== 'https:') {
    return { member: 'token_uri', message: 'Input should be an https URL' };
  }
  const pkcs8 = pkcs8Of(privateKey);
  if (!pkcs8)
    return { member: 'private_key', message: 'Input should be a PEM block of the type PRIVATE KEY' };
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

/** Of an assertion and of the token that it is to give. */
const LIFE_SECONDS = 3600;

/** The form to send to the account's token address. Undefined: its private key is no RSA key. */
export async function tokenRequest(
  account: ServiceAccount,
  scope: string,
): Promise<URLSearchParams | undefined> {
  const assertion = await assertionOf(account, scope);
  const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
  return assertion === undefined ? undefined : new URLSearchParams({ grant_type, assertion });
}

async function assertionOf({ clientEmail, keyId, tokenUri, pkcs8 }: ServiceAccount, scope: string) {
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
  const key = await crypto.subtle
    .importKey('pkcs8', pkcs8, algorithm, false, ['sign'])
    .catch(() => undefined);
  if (!key) return undefined;
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: clientEmail, scope, aud: tokenUri, iat: now, exp: now + LIFE_SECONDS };
  const signed = [{ alg: 'RS256', typ: 'JWT', ...(keyId && { kid: keyId }) }, claims]
    .map((part) => toBase64Url(JSON.stringify(part)))
    .join('.');
  const signature = await crypto.subtle.sign(algorithm.name, key, encoder.encode(signed));
  return `${signed}.${toBase64Url(new Uint8Array(signature))}`;
}

const encoder = new TextEncoder();
