import { z } from 'zod';
import type { SourceDeps } from '#src/sources/define.ts';
import type { Token } from '#src/sources/tokens.ts';
import type { Credentials } from './access.ts';

const AUTHORITY = 'https://login.microsoftonline.com';
const SCOPE = 'https://storage.azure.com/.default';

const grant = z.object({ access_token: z.string().min(1), expires_in: z.number() });

/** A token for what an application may read of any account. */
export async function storageToken(
  { clientId, clientSecret, tenantId }: Extract<Credentials, { kind: 'application' }>,
  deps: Pick<SourceDeps, 'http'>,
): Promise<Token> {
  const http = deps.http({ name: 'Microsoft’s token endpoint' });
  const response = await http.fetch(`${AUTHORITY}/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      scope: SCOPE,
    }),
  });
  if (!response.ok) throw await http.failure(response, 'a token for tenant_id, client_id and client_secret');
  const { access_token: token, expires_in } = await http.json(response, grant);
  return { token, expiresAt: Date.now() + expires_in * 1000 };
}
