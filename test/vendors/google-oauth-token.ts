import { createHash, createPublicKey, createSign, generateKeyPairSync, verify } from 'node:crypto';
import type { Answer, Behaviour, VendorRequest } from './behaviour.ts';
import type { Settings } from './protocol.ts';

const oauthError = (_: number, message: string) => ({ error: 'invalid_grant', error_description: message });

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const LONGEST_LIFE = 3600;
/** Allowed clock difference in seconds. */
const SKEW = 60;

/** Returns the access token of an account, which other test vendors accept. */
export const issueAccessToken = ({ clientEmail, token }: Settings) =>
  token ? String(token) : `ya29.${createHash('sha256').update(String(clientEmail)).digest('base64url')}`;

/** Returns the problem of an assertion, or `undefined` if it is valid. */
function wrongAssertion(assertion: string, url: URL, settings: Settings): string | undefined {
  const [head, claims, signature] = assertion.split('.') as [string, string, string];
  const read = (part: string) =>
    JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
  const { alg, kid } = read(head);
  const { iss, scope, aud, iat, exp } = read(claims) as Record<string, number>;
  if (alg !== 'RS256') return 'Invalid JWT: only RS256.';
  if (String(iss) !== settings.clientEmail) return 'Invalid grant: account not found';
  if (settings.keyId !== undefined && kid !== settings.keyId) return 'Invalid JWT Signature: no such key.';
  const key = createPublicKey(String(settings.publicKey));
  const isRight = verify(
    'RSA-SHA256',
    Buffer.from(`${head}.${claims}`),
    key,
    Buffer.from(signature, 'base64url'),
  );
  if (!isRight) return 'Invalid JWT Signature.';
  if (String(aud) !== url.origin + url.pathname) return 'Invalid JWT: the audience is not this endpoint.';
  if (String(scope) !== (settings.scope ?? SCOPE))
    return 'Invalid OAuth scope or ID token audience provided.';
  const now = Date.now() / 1000;
  const isTimely = iat! <= now + SKEW && exp! > now - SKEW && exp! - iat! <= LONGEST_LIFE;
  return isTimely ? undefined : 'Invalid JWT: Token must be a short-lived token (60 minutes).';
}

function token({ body, url, settings }: VendorRequest): Answer {
  const { assertion } = body as { assertion: string };
  const wrong = wrongAssertion(assertion, url, settings);
  if (wrong) return { status: 400, body: oauthError(400, wrong) };
  const expires_in = (settings.life as number | undefined) ?? LONGEST_LIFE - 1;
  return { body: { access_token: issueAccessToken(settings), token_type: 'Bearer', expires_in } };
}

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** Returns a valid assertion for the self-test of the server. */
function sampleAssertion(): string {
  const iat = Math.floor(Date.now() / 1000);
  const claims = {
    ...{ iss: 'vendor@p.iam.gserviceaccount.com', aud: 'https://oauth2.googleapis.com/token' },
    ...{ scope: SCOPE, iat, exp: iat + LONGEST_LIFE },
  };
  const parts = [{ alg: 'RS256', typ: 'JWT', kid: 'k' }, claims];
  const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(privateKey, 'base64url')}`;
}

export const googleOauthToken: Behaviour = {
  name: 'google-oauth-token',
  error: oauthError,
  authenticate: () => undefined,
  sign: () => ({}),
  settings: {
    clientEmail: 'vendor@p.iam.gserviceaccount.com',
    keyId: 'k',
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }),
  },
  operations: {
    'POST /token': {
      sample: {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: {
          grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
          assertion: sampleAssertion(),
        },
      },
      answer: token,
    },
  },
};
