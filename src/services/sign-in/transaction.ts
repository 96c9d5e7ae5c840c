import { z } from 'zod';
import { fromBase64Url, toBase64Url } from '#src/lib/secrets/base64url.ts';
import { sign, verify } from '#src/lib/secrets/hmac.ts';

/** Time in seconds within which the user has to come back from the provider. */
export const TRANSACTION_SECONDS = 600;

const transaction = z.object({
  provider: z.string(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  returnTo: z.string(),
  /**
   * Id of the session that the browser had. It is kept here because browsers do not send the session cookie, which
   * is `SameSite=Strict`, when the provider leads them back. The id alone signs nobody in.
   */
  sessionId: z.string().optional(),
  /** Time in milliseconds at which the attempt ends. */
  end: z.number(),
});

/**
 * Sign-in that the browser has begun. It is kept in a cookie of this browser only, so that nobody can finish
 * a sign-in in the browser of someone else.
 */
export type Transaction = z.infer<typeof transaction>;

const buildSignedText = (payload: string) => `sign-in.${payload}`;

export async function sealTransaction(secret: string, value: Transaction): Promise<string> {
  const payload = toBase64Url(new TextEncoder().encode(JSON.stringify(value)));
  return `${payload}.${await sign(secret, buildSignedText(payload))}`;
}

/** Returns the transaction in a cookie. Returns `undefined` if the cookie was changed or has expired. */
export async function openTransaction(secret: string, cookie: string): Promise<Transaction | undefined> {
  const [payload = '', signature = '', ...more] = cookie.split('.');
  if (more.length > 0 || !(await verify(secret, buildSignedText(payload), signature))) return undefined;
  const bytes = fromBase64Url(payload);
  const { data } = transaction.safeParse(bytes && JSON.parse(new TextDecoder().decode(bytes)));
  return data && data.end > Date.now() ? data : undefined;
}

const CONSOLE = '/console/';
const MAX_RETURN_CHARACTERS = 1_000;

/** Returns the path of the console to open after sign-in. Everything else leads to the console's first page. */
export function chooseReturnPath(wanted: string | null | undefined): string {
  if (!wanted || wanted.length > MAX_RETURN_CHARACTERS) return CONSOLE;
  const base = 'https://console.invalid';
  const url = URL.parse(wanted, base);
  if (!url || url.origin !== base || !wanted.startsWith('/') || !url.pathname.startsWith(CONSOLE))
    return CONSOLE;
  return url.pathname + url.search;
}
