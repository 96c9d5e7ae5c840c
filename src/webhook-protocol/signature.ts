import { signHex } from '#src/lib/secrets/hmac.ts';

export const SIGNATURE_HEADER = 'SVC-Signature';

/** `sha256=` and the HMAC-SHA256 of the raw body, hex. */
export async function signatureOf(secret: string, body: string): Promise<string> {
  return `sha256=${await signHex(secret, body)}`;
}
