import { fromBase64Url, toBase64Url } from './base64url.ts';
import { toHex } from './hash.ts';

const encoder = new TextEncoder();

function importKey(secret: string): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', encoder.encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ]);
}

/** Returns an HMAC-SHA256 in base64url. */
export async function sign(secret: string, text: string): Promise<string> {
  return toBase64Url(
    new Uint8Array(await crypto.subtle.sign('HMAC', await importKey(secret), encoder.encode(text))),
  );
}

/** Returns whether a base64url signature belongs to the text. Compares in constant time. */
export async function verify(secret: string, text: string, signature: string): Promise<boolean> {
  const bytes = fromBase64Url(signature);
  if (!bytes) return false;
  return crypto.subtle.verify(
    'HMAC',
    await importKey(secret),
    bytes as Uint8Array<ArrayBuffer>,
    encoder.encode(text),
  );
}

/** Returns an HMAC-SHA256 in hexadecimal, as webhook receivers expect it. */
export async function signHex(secret: string, text: string): Promise<string> {
  return toHex(await crypto.subtle.sign('HMAC', await importKey(secret), encoder.encode(text)));
}
