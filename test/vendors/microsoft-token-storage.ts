import type { Answer, Behaviour, VendorRequest } from './behaviour.ts';

// Tokens with which an application reads blobs.

const SCOPE = 'https://storage.azure.com/.default';

const tokenError = (error: string, number: number, words: string) => ({
  error,
  error_description: `AADSTS${number}: ${words} Trace ID: 0 Correlation ID: 0`,
  error_codes: [number],
});

function token({ body, params, settings }: VendorRequest): Answer {
  const { client_id, client_secret, scope } = body as Record<string, string>;
  const wrong = (...error: Parameters<typeof tokenError>): Answer => ({
    status: 400,
    body: tokenError(...error),
  });
  if (params.tenant !== settings.tenantId) return wrong('invalid_request', 90002, 'Tenant not found.');
  if (client_id !== settings.clientId)
    return wrong('unauthorized_client', 700016, 'Application was not found.');
  if (client_secret !== settings.clientSecret) {
    return { status: 401, body: tokenError('invalid_client', 7000215, 'Invalid client secret provided.') };
  }
  if (scope !== SCOPE) return wrong('invalid_scope', 70011, 'The scope is not valid.');
  const access_token = `storage-token-${crypto.randomUUID()}`;
  return { body: { access_token, token_type: 'Bearer', expires_in: 3599, ext_expires_in: 3599 } };
}

export const microsoftTokenStorage: Behaviour = {
  name: 'microsoft-token-storage',
  error: (_, message) => tokenError('invalid_request', 900144, message),
  authenticate: () => undefined,
  sign: () => ({}),
  settings: { tenantId: 't', clientId: 'c', clientSecret: 's' },
  operations: {
    'POST /{tenant}/oauth2/v2.0/token': {
      sample: {
        params: { tenant: 't' },
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: { grant_type: 'client_credentials', client_id: 'c', client_secret: 's', scope: SCOPE },
      },
      answer: token,
    },
  },
};
