import type { Answer, Behaviour, VendorRequest } from './behaviour.ts';

// Token endpoint of the Microsoft identity platform for applications with a client secret.

const wrong = (code: number, error: string, message: string): Answer => ({
  status: error === 'invalid_client' ? 401 : 400,
  body: {
    ...{ error, error_description: `AADSTS${code}: ${message} Trace ID: 0 Correlation ID: 0` },
    ...{ error_codes: [code], timestamp: '2026-03-04 05:06:07Z', trace_id: '0', correlation_id: '0' },
  },
});

function token({ body, params, settings }: VendorRequest): Answer {
  const { client_id, client_secret, scope } = body as Record<string, string>;
  if (params.tenant !== settings.tenant) {
    return wrong(90002, 'invalid_request', `Tenant '${params.tenant}' not found.`);
  }
  if (client_id !== settings.clientId) {
    return wrong(700016, 'unauthorized_client', `Application with identifier '${client_id}' was not found.`);
  }
  if (client_secret !== settings.clientSecret) {
    return wrong(7000215, 'invalid_client', 'Invalid client secret provided.');
  }
  if (scope !== settings.scope) return wrong(70011, 'invalid_scope', 'The scope is not valid.');
  const access_token = String(settings.gives ?? `microsoft-token-${crypto.randomUUID()}`);
  const expires_in = (settings.life as number | undefined) ?? 3599;
  return { body: { token_type: 'Bearer', expires_in, ext_expires_in: expires_in, access_token } };
}

export const microsoftToken: Behaviour = {
  name: 'microsoft-token',
  error: (_, error_description) => ({ error: 'invalid_request', error_description }),
  authenticate: () => undefined,
  sign: () => ({}),
  settings: {
    ...{ tenant: 't', clientId: 'c', clientSecret: 's' },
    scope: 'https://graph.microsoft.com/.default',
  },
  operations: {
    'POST /{tenant}/oauth2/v2.0/token': {
      sample: {
        params: { tenant: 't' },
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: {
          ...{ grant_type: 'client_credentials', client_id: 'c', client_secret: 's' },
          scope: 'https://graph.microsoft.com/.default',
        },
      },
      answer: token,
    },
  },
};
