import { z } from 'zod';
import { SourceError } from '#src/sources/source.ts';
import type { Token } from '#src/sources/tokens.ts';
import type { UpstreamHttp } from '#src/upstream/http.ts';
import { segment } from './address.ts';
import type { GraphSettings } from './settings.ts';

const SCOPE = 'https://graph.microsoft.com/.default';
/** The setting that an error of the identity platform is about, by the code that its description starts with. */
const FIELDS: Record<string, string> = {
  7000215: 'client_secret',
  7000222: 'client_secret, which has expired',
  700016: 'client_id, which the tenant of tenant_id does not know',
  90002: 'tenant_id',
  900023: 'tenant_id',
};

const grant = z.object({ access_token: z.string().min(1), expires_in: z.coerce.number() });

/** A token for the application itself, which acts without a signed-in user. */
export async function applicationToken(settings: GraphSettings, http: UpstreamHttp): Promise<Token> {
  const { tenant_id, client_id, client_secret } = settings;
  const tenant = segment(tenant_id, 'tenant_id');
  const body = new URLSearchParams({
    ...{ grant_type: 'client_credentials', scope: SCOPE },
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
  const { access_token: token, expires_in } = await http.json(response, grant);
  return { token, expiresAt: Date.now() + expires_in * 1000 };
}
