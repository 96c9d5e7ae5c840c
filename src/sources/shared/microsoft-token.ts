import { SourceError } from '#src/ports/source.ts';
import type { UpstreamHttp } from '#src/upstream/http.ts';
import { readToken, type Token } from '#src/upstream/tokens.ts';

/** Credentials of an application that is registered in a tenant of the Microsoft identity platform. */
export interface Application {
  tenant_id: string;
  client_id: string;
  client_secret: string;
}
/**
 * Advice for the user by Microsoft's AADSTS error code, which is at the beginning of the error description.
 */
const ADVICE: Record<string, string> = {
  7000215: 'Check client_secret.',
  7000222: 'client_secret has expired. Create a new one.',
  700016: 'Check client_id: the tenant in tenant_id has no such application.',
  90002: 'Check tenant_id.',
  900023: 'Check tenant_id.',
};

/**
 * Requests an access token for the application itself, without a signed-in user. `resource` is the URL of the
 * service, such as https://graph.microsoft.com.
 */
export async function requestApplicationToken(
  { tenant_id, client_id, client_secret }: Application,
  resource: string,
  http: UpstreamHttp,
): Promise<Token> {
  // URL parsing resolves `.` and `..` in a path, even if they are percent-encoded. The request would
  // therefore reach another address.
  if (['', '.', '..'].includes(tenant_id)) {
    throw new SourceError(`tenant_id must be the id or domain of a tenant, not "${tenant_id}".`, {
      retryable: false,
    });
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
    const advice = ADVICE[code] ?? 'Check tenant_id, client_id and client_secret.';
    throw new SourceError(`${message} ${advice}`, { retryable, retryAfter, status });
  }
  return readToken(http, response);
}
