import type { SinkDeps } from '#src/ports/sink.ts';
import { createStoreHttp } from '#src/sinks/external/store-http.ts';
import { createIsolateToken, readToken } from '#src/upstream/tokens.ts';

export interface ClientCredentials {
  tenantId: string;
  clientId: string;
  clientSecret: string;
}

const HOST = 'https://login.microsoftonline.com';
const SCOPE = 'https://search.azure.com/.default';

export function createClientToken(credentials: ClientCredentials, deps: SinkDeps) {
  const { tenantId, clientId, clientSecret } = credentials;
  const http = createStoreHttp({ product: 'Microsoft Entra ID', deps, secrets: [clientSecret] });
  const url = `${HOST}/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`;
  return createIsolateToken([SCOPE, tenantId, clientId, clientSecret], async () => {
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      scope: SCOPE,
    });
    return readToken(http, await http.request(url, { method: 'POST', body }, { what: 'an access token' }));
  });
}
