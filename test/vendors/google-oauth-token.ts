import { createSign, createVerify, generateKeyPairSync } from 'node:crypto';
import type { Behaviour } from './behaviour.ts';

const TOKEN_URI = 'https://oauth2.googleapis.com/token';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const HOUR_SECONDS = 3600;
const LEEWAY_SECONDS = 60;

const own = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

function assertionOf(privateKey: string): string {
  const now = Math.floor(Date.now() / 1000);
  // So long a life that a slow run does not outlive it, and still not longer than it may be.
  const claims = { iss: 'a@example.test', scope: 'https://www.googleapis.com/auth/cloud-platform' };
  const signed = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({ ...claims, aud: TOKEN_URI, iat: now, exp: now + HOUR_SECONDS })}`;
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(privateKey, 'base64url')}`;
}

/** What is wrong with the assertion of a service account; undefined: nothing. */
function wrongAssertion(assertion: string, publicKey: string, issuer: string): string | undefined {
  const [head, body, signature] = assertion.split('.') as [string, string, string];
  const read = (text: string) =>
    JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<string, unknown>;
  const isSigned = createVerify('RSA-SHA256')
    .update(`${head}.${body}`)
    .verify(publicKey, signature, 'base64url');
  if (!isSigned || read(head).alg !== 'RS256') return 'Invalid JWT Signature.';
  const { iss, aud, iat, exp, scope } = read(body) as Record<string, string> & { iat: number; exp: number };
  const now = Date.now() / 1000;
  if (iss !== issuer) return 'Invalid grant: account not found';
  if (aud !== TOKEN_URI) return 'Invalid JWT: wrong audience';
  if (!scope) return 'Invalid OAuth scope';
  const isFresh = Math.abs(now - iat) < LEEWAY_SECONDS && exp > now && exp - iat <= HOUR_SECONDS;
  return isFresh
    ? undefined
    : 'Invalid JWT: Token must be a short-lived token and in a reasonable timeframe.';
}

/** The token endpoint for service accounts; `publicKey` is a PEM, `token` what it gives. */
export const googleOauthToken: Behaviour = {
  name: 'google-oauth-token',
  error: (_, message) => ({ error: 'invalid_grant', error_description: message }),
  authenticate({ body, settings }) {
    const { assertion } = body as { assertion: string };
    const message = wrongAssertion(assertion, String(settings.publicKey), String(settings.issuer));
    return message === undefined ? undefined : { status: 400, message };
  },
  sign: () => ({}),
  settings: {
    publicKey: own.publicKey,
    issuer: 'a@example.test',
    token: 'token-of-the-account',
    seconds: 3599,
  },
  operations: {
    'POST /token': {
      sample: {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: { grant_type: GRANT, assertion: assertionOf(own.privateKey) },
      },
      answer({ settings }) {
        const { token: access_token, seconds: expires_in } = settings;
        return { body: { access_token, token_type: 'Bearer', expires_in } };
      },
    },
  },
};
