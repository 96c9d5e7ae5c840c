import { DomainError } from '#src/lib/errors.ts';
import { SourceError } from '#src/ports/source.ts';
import type { SourceDeps } from '#src/sources/shared/define.ts';
import { tokenRequest } from '#src/upstream/service-account.ts';
import { readToken, type Token } from '#src/upstream/tokens.ts';
import { accountOf, type GoogleDriveSettings } from './settings.ts';

const SCOPE = 'https://www.googleapis.com/auth/drive.readonly';
const TOTAL_SECONDS = 60;
const MOST_BYTES = 64 * 1024;

/** A token for reading all that is shared with the service account. */
export async function signIn(settings: GoogleDriveSettings, deps: SourceDeps): Promise<Token> {
  const account = accountOf(settings);
  const body = await tokenRequest(account, SCOPE);
  if (!body) {
    throw new SourceError('service_account_key.private_key is no RSA key.', { retryable: false });
  }
  const name = `The token endpoint ${new URL(account.tokenUri).host} (service_account_key.token_uri)`;
  const http = deps.http({ name, totalSeconds: TOTAL_SECONDS, maxBytes: MOST_BYTES });
  const response = await http.fetch(account.tokenUri, { method: 'POST', body }).catch((error: unknown) => {
    if (error instanceof SourceError || !(error instanceof DomainError)) throw error;
    // An address that may not be called.
    const message = `service_account_key.token_uri: ${error.message}`;
    throw new SourceError(message, { retryable: error.retryable, cause: error });
  });
  if (!response.ok) {
    const members = 'client_email, private_key_id and private_key';
    throw await http.failure(response, `a token for service_account_key (${members})`);
  }
  return readToken(http, response);
}
