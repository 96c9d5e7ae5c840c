import { toBase64Url } from './base64url.ts';

/** Creates an API key of 256 random bits. Secret scanners can search for its prefix. */
export function generateApiKey(): string {
  return `slc_${toBase64Url(crypto.getRandomValues(new Uint8Array(32)))}`;
}

/** Returns a shortened API key, by which people recognise the key but cannot use it. */
export function redactApiKey(key: string): string {
  return `${key.slice(0, 6)}…${key.slice(-4)}`;
}
