import { DomainError, Invalid, Upstream } from '#src/lib/errors.ts';
import { toBase64Url } from '#src/lib/secrets/base64url.ts';
import {
  buildTokenRequest,
  type KeyFile,
  parseKeyFile,
  type ServiceAccount,
} from '#src/upstream/service-account.ts';
import { createIsolateToken, readToken } from '#src/upstream/tokens.ts';
import type { ModelDeps } from './definition.ts';
import { FieldError } from './name-wrong-field.ts';

// Functions that language models and embedding models on Google's Vertex AI share.

/**
 * Returns the host name of a Vertex AI location. A location is a region, a continent (`eu` or `us`), or
 * `global`.
 */
export function getVertexHost(location: string): string {
  if (location === 'global') return 'aiplatform.googleapis.com';
  if (location === 'eu' || location === 'us') return `aiplatform.${location}.rep.googleapis.com`;
  return `${location}-aiplatform.googleapis.com`;
}

/**
 * Parses the key file of a Google service account. Throws `Invalid` with the path of the wrong field if the
 * key file cannot be used.
 */
export function toServiceAccount(given: KeyFile, loc: readonly string[]): ServiceAccount {
  const account = parseKeyFile(given);
  if (!('member' in account)) return account;
  const { member, message: msg } = account;
  throw new Invalid([{ loc: [...loc, member], msg, type: 'value_error' }]);
}

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const TIMEOUT_SECONDS = 30;
const MAX_BYTES = 64 * 1024;
const KEY_FIELDS = 'client_email, private_key_id or private_key';

/**
 * Creates the access token of a Google service account. Errors are `FieldError`s, which name the wrong
 * setting.
 */
export function createServiceAccountToken(account: ServiceAccount, deps: ModelDeps) {
  const { clientEmail, keyId, tokenUri, pkcs8 } = account;
  const http = deps.http({
    name: `The token endpoint ${new URL(tokenUri).host}`,
    silenceSeconds: TIMEOUT_SECONDS,
    totalSeconds: TIMEOUT_SECONDS,
    maxBytes: MAX_BYTES,
  });
  return createIsolateToken([SCOPE, clientEmail, keyId, tokenUri, toBase64Url(pkcs8)], async () => {
    const body = await buildTokenRequest(account, SCOPE);
    if (!body) {
      const message = 'The private key of the service account is not an RSA key.';
      throw new FieldError('private_key', new Upstream(message, { retryable: false }));
    }
    try {
      const response = await http.request(tokenUri, { method: 'POST', body }, { what: 'an access token' });
      return await readToken(http, response);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const isKey = error instanceof Upstream && (error.status === 400 || error.status === 401);
      throw new FieldError(isKey ? KEY_FIELDS : 'token_uri', error);
    }
  });
}
