import { SourceError } from '#src/ports/source.ts';
import type { UpstreamHttp } from '#src/upstream/http.ts';
import { readToken, type Token } from '#src/upstream/tokens.ts';

/** An application registered in a tenant of the Microsoft identity platform. */
export interface Application {
  tenant_id: string;
  client_id: string;
  client_secret: string;
}
/** Settings that cause an error, by the AADSTS code at the beginning of the error description. */
const FIELDS: Record<string, string> = {
  7000215: 'client_secret',
  7000222: 'client_secret, which has expired',
  700016: 'client_id, which the tenant of tenant_id does not know',
  90002: 'tenant_id',
  900023: 'tenant_id',
};

/**
 * Requests an access token for the application itself, without a signed-in user. `resource` is the URL of the
 * service, such as https://graph.microsoft.com.
 */
export async function applicationToken(
  { tenant_id, client_id, client_secret }: Application,
  resource: string,
  http: UpstreamHttp,
): Promise<Token> {
  // A URL would resolve these path segments to another address, even if they are escaped.
  if (['', '.', '..'].includes(tenant_id)) {
    throw new SourceError(`tenant_id cannot be "${tenant_id}".`, { retryable: false });
  }
  const tenant = encodeURIComponent(tenant_id.toWellFormed());
  const body = new URLSearchParams({
    ...{ grant_type: 'client_credentials', scope: `${resource}/.default` },
    ...{ client_id, client_secret },
  });
  const address = `https://login.microsoftonline.com/${tenant}/oauth2/v2.0/token`;
  const response = await http.fetch(address, { method: 'POST', body });
  if (!response.ok) {
    const { message, retryable, retryAfter, status } = await http.failure(response, 'a token');
    const code = /AADSTS(\d{1,10})/.exec(message)?.[1] ?? '';
    const about = FIELDS[code] ?? 'tenant_id, client_id and client_secret';
    throw new SourceError(`${message} See ${about}.`, { retryable, retryAfter, status });
  }
  return readToken(http, response);
}
