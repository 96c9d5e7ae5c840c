import type { SinkDeps } from '#src/ports/sink.ts';
import { storeHttp } from '#src/sinks/external/store-http.ts';
import { isolateToken, readToken } from '#src/upstream/tokens.ts';

export interface ClientCredentials {
  tenantId: string;
  clientId: string;
  clientSecret: string;
}

const HOST = 'https://login.microsoftonline.com';
const SCOPE = 'https://search.azure.com/.default';

/** Returns the access token of an application, which signs in with its id and secret. */
export function clientToken(credentials: ClientCredentials, kind: string, deps: SinkDeps) {
  const { tenantId, clientId, clientSecret } = credentials;
  const http = storeHttp({ kind, deps, secrets: [clientSecret] });
  const url = `${HOST}/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`;
  return isolateToken([SCOPE, tenantId, clientId, clientSecret], async () => {
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      scope: SCOPE,
    });
    return readToken(http, await http.request(url, { method: 'POST', body }, { what: 'an access token' }));
  });
}
