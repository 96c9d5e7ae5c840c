import { DomainError, Invalid, Upstream } from '#src/lib/errors.ts';
import { toBase64Url } from '#src/lib/secrets/base64url.ts';
import {
  type KeyFile,
  readKeyFile,
  type ServiceAccount,
  tokenRequest,
} from '#src/upstream/service-account.ts';
import { isolateToken, readToken } from '#src/upstream/tokens.ts';
import type { ModelDeps } from './definition.ts';
import { FieldFault } from './naming-field.ts';

// Common parts of language models and embedders on Vertex AI.

/** Returns the host of a location: of a region, of a continent (`eu`, `us`), or of all locations (`global`). */
export function vertexHost(location: string): string {
  if (location === 'global') return 'aiplatform.googleapis.com';
  if (location === 'eu' || location === 'us') return `aiplatform.${location}.rep.googleapis.com`;
  return `${location}-aiplatform.googleapis.com`;
}

/** Reads a key file. Throws Invalid, which names the member at `loc`, if the key file cannot be used. */
export function serviceAccountOf(given: KeyFile, loc: readonly string[]): ServiceAccount {
  const account = readKeyFile(given);
  if (!('member' in account)) return account;
  const { member, message: msg } = account;
  throw new Invalid([{ loc: [...loc, member], msg, type: 'value_error' }]);
}

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const TIMEOUT_SECONDS = 30;
const MOST_BYTES = 64 * 1024;
const KEY_FIELDS = 'client_email, private_key_id or private_key';

/** Returns the access token of a service account. Errors are FieldFaults, which name the setting that is wrong. */
export function serviceAccountToken(account: ServiceAccount, deps: ModelDeps) {
  const { clientEmail, keyId, tokenUri, pkcs8 } = account;
  const http = deps.http({
    name: `The token endpoint ${new URL(tokenUri).host}`,
    silenceSeconds: TIMEOUT_SECONDS,
    totalSeconds: TIMEOUT_SECONDS,
    maxBytes: MOST_BYTES,
  });
  return isolateToken([SCOPE, clientEmail, keyId, tokenUri, toBase64Url(pkcs8)], async () => {
    const body = await tokenRequest(account, SCOPE);
    if (!body) {
      const message = 'The private key of the service account is no RSA key.';
      throw new FieldFault('private_key', new Upstream(message, { retryable: false }));
    }
    try {
      const response = await http.request(tokenUri, { method: 'POST', body }, { what: 'an access token' });
      return await readToken(http, response);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const isKey = error instanceof Upstream && (error.status === 400 || error.status === 401);
      throw new FieldFault(isKey ? KEY_FIELDS : 'token_uri', error);
    }
  });
}
