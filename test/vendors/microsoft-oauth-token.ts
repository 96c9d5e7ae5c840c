import type { Answer, Behaviour, VendorRequest } from './behaviour.ts';

const oauthError = (_: number, message: string) => ({ error: 'invalid_client', error_description: message });

const LIFE_SECONDS = 3599;

/** What the application gets; services that trust this endpoint are told it by their settings. */
function token({ params, body, settings }: VendorRequest): Answer {
  const { client_id, client_secret } = body as Record<string, string>;
  const refuse = (status: number, message: string) => ({ status, body: oauthError(status, message) });
  if (params.tenant !== settings.tenant) return refuse(400, 'AADSTS90002: Tenant not found.');
  if (client_id !== settings.client) return refuse(400, 'AADSTS700016: Application was not found.');
  if (client_secret !== settings.secret) return refuse(401, 'AADSTS7000215: Invalid client secret provided.');
  const expires_in = (settings.life as number | undefined) ?? LIFE_SECONDS;
  return {
    body: { access_token: settings.token, token_type: 'Bearer', expires_in, ext_expires_in: expires_in },
  };
}

export const microsoftOauthToken: Behaviour = {
  name: 'microsoft-oauth-token',
  error: oauthError,
  authenticate: () => undefined,
  sign: () => ({}),
  settings: {
    tenant: 'tenant',
    client: 'client',
    secret: 'secret-of-the-client',
    token: 'token-of-the-client',
  },
  operations: {
    'POST /{tenant}/oauth2/v2.0/token': {
      sample: {
        params: { tenant: 'tenant' },
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: {
          grant_type: 'client_credentials',
          client_id: 'client',
          client_secret: 'secret-of-the-client',
          scope: 'https://search.azure.com/.default',
        },
      },
      answer: token,
    },
  },
};
