import { toBase64Url } from '#src/lib/secrets/base64url.ts';

// Authenticates a Google service account. The account's key signs an assertion, which is exchanged for an
// access token (RFC 7523).

export interface KeyFile {
  client_email: string;
  /** Private key of the service account in PEM format (PKCS #8). */
  private_key: string;
  private_key_id?: string | undefined;
  token_uri: string;
}

export interface ServiceAccount {
  clientEmail: string;
  keyId: string | undefined;
  tokenUri: string;
  /** Private key of the service account, as PKCS #8 in binary form. */
  pkcs8: Uint8Array<ArrayBuffer>;
}

/** Field of a service account key file that makes the file unusable, with an explanation. */
export interface KeyFileProblem {
  member: 'private_key' | 'token_uri';
  message: string;
}

export function parseKeyFile(given: KeyFile): ServiceAccount | KeyFileProblem {
  const { client_email: clientEmail, private_key: privateKey, private_key_id: keyId, token_uri: uri } = given;
  // The signed assertion is a credential, so the token URL must use TLS.
  if (URL.parse(uri)?.protocol !== 'https:') {
    return { member: 'token_uri', message: 'Input should be an https URL' };
  }
  const pkcs8 = decodePrivateKey(privateKey);
  if (!pkcs8)
    return { member: 'private_key', message: 'Input should be a PEM block of the type PRIVATE KEY' };
  return { clientEmail, keyId, tokenUri: uri, pkcs8 };
}

/**
 * Decodes a PEM private key. Line breaks may be written as `\n`, because keys are often copied out of JSON.
 * Returns `undefined` if the text is not a PEM private key.
 */
function decodePrivateKey(pem: string): Uint8Array<ArrayBuffer> | undefined {
  const block = /-----BEGIN PRIVATE KEY-----([^-]+)-----END PRIVATE KEY-----/.exec(pem)?.[1];
  try {
    const bytes = block && atob(block.replaceAll('\\n', '').replaceAll(/\s/g, ''));
    return bytes ? Uint8Array.from(bytes, (char) => char.charCodeAt(0)) : undefined;
  } catch {
    return undefined;
  }
}

/** Lifetime in seconds of the signed assertion and of the access token. */
const LIFE_SECONDS = 3600;

/**
 * Builds the form that requests an access token for the service account. Returns `undefined` if the private
 * key is not an RSA key.
 */
export async function buildTokenRequest(
  account: ServiceAccount,
  scope: string,
): Promise<URLSearchParams | undefined> {
  const assertion = await signAssertion(account, scope);
  const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
  return assertion === undefined ? undefined : new URLSearchParams({ grant_type, assertion });
}

async function signAssertion({ clientEmail, keyId, tokenUri, pkcs8 }: ServiceAccount, scope: string) {
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
