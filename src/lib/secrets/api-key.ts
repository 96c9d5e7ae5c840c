import { toBase64Url } from './base64url.ts';

/** 256 random bits behind a prefix that secret scanners can look for. */
export function generateApiKey(): string {
  return `slc_${toBase64Url(crypto.getRandomValues(new Uint8Array(32)))}`;
}

/** Enough of a key to recognise it by, too little to use it. */
export function redactApiKey(key: string): string {
  return `${key.slice(0, 6)}…${key.slice(-4)}`;
}
