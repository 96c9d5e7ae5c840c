import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { call } from '#test/support/client.ts';
import { createTenant } from '#test/support/tenants.ts';
import {
  CALLBACK,
  consent,
  fetchOrigin,
  ORIGIN,
  RESOURCE,
  readQuery,
  refresh,
  signIn,
} from './application.ts';

// Uses the unmodified client of the Model Context Protocol: it finds the authorization server, registers, and exchanges
// and refreshes tokens on its own.

type Stored<Name extends 'saveTokens' | 'saveClientInformation'> = Parameters<
  NonNullable<OAuthClientProvider[Name]>
>[0];

/** Application that keeps everything in memory and remembers where it would send the browser. */
class Application implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK;
  readonly clientMetadata = { client_name: 'Assistant', redirect_uris: [CALLBACK] };
  stored: { tokens?: Stored<'saveTokens'>; client?: Stored<'saveClientInformation'>; verifier?: string } = {};
  discovered: Parameters<NonNullable<OAuthClientProvider['saveDiscoveryState']>>[0] | undefined;
  opened: URL | undefined;

  state = () => 'state of the client';
  clientInformation = () => this.stored.client;
  saveClientInformation = (client: Stored<'saveClientInformation'>) => {
    this.stored.client = client;
  };
  tokens = () => this.stored.tokens;
  saveTokens = (tokens: Stored<'saveTokens'>) => {
    this.stored.tokens = tokens;
  };
  invalidateCredentials = (what: string) => {
    if (what === 'all' || what === 'tokens') delete this.stored.tokens;
  };
  redirectToAuthorization = (url: URL) => {
    this.opened = url;
  };
  saveCodeVerifier = (verifier: string) => {
    this.stored.verifier = verifier;
  };
  codeVerifier = () => this.stored.verifier!;
  discoveryState = () => this.discovered;
  saveDiscoveryState = (state: NonNullable<typeof this.discovered>) => {
    this.discovered = state;
  };
}

const newTransport = (authProvider: Application) =>
  new StreamableHTTPClientTransport(new URL(RESOURCE), { authProvider, fetch: fetchOrigin });

async function listTools(application: Application): Promise<string[]> {
  const client = new Client({ name: 'assistant', version: '1' });
  await client.connect(newTransport(application));
  const { tools } = await client.listTools();
  await client.close();
  return tools.map(({ name }) => name);
}

it('the client of the protocol connects after the user has allowed it, and refreshes its tokens', async () => {
  const tenant = await createTenant();
  const application = new Application();
  await expect(listTools(application)).rejects.toThrow(UnauthorizedError);
  const asked = application.opened!;
  expect(asked.origin + asked.pathname).toBe(`${ORIGIN}/console/connect`);
  const cookie = await signIn(tenant.key);
  const shown = await consent(cookie, readQuery(asked));
  expect(shown).toMatchObject({
    status: 200,
    body: { name: 'Assistant', redirect_host: 'assistant.example', asks_to_write: true, can_write: true },
  });
  const allowed = await consent(cookie, readQuery(asked), { decision: 'allow', can_write: true });
  const callback = new URL(allowed.body.redirect_to!);
  expect(callback.origin + callback.pathname).toBe(CALLBACK);
  expect(readQuery(callback)).toMatchObject({ state: 'state of the client', iss: ORIGIN });
  await newTransport(application).finishAuth(callback.searchParams);
  expect(application.stored.tokens).toMatchObject({
    token_type: 'Bearer',
    scope: 'sluice:read sluice:write',
  });
  expect(await listTools(application)).toContain('search');

  const first = application.stored.tokens!;
  application.stored.tokens = { ...first, access_token: 'slo_expired' };
  expect(await listTools(application)).toContain('search');
  expect(application.stored.tokens!.refresh_token).not.toBe(first.refresh_token);

  const listed = await call<{ id: string }[]>('GET', '/api/v1/connected-applications', { key: tenant.key });
  expect(listed.body).toMatchObject([
    { name: 'Assistant', redirect_host: 'assistant.example', project_id: tenant.projectId },
  ]);
  const path = `/api/v1/connected-applications/${listed.body[0]!.id}`;
  expect((await call('DELETE', path, { key: (await createTenant()).key })).status).toBe(404);
  expect((await call('DELETE', path, { key: tenant.key })).status).toBe(204);
  await expect(listTools(application)).rejects.toThrow(UnauthorizedError);
  const { client_id } = application.stored.client!;
  expect(await refresh(client_id, first.refresh_token!)).toMatchObject({ status: 400 });
});

it('the metadata name the authorization server, and pages of any origin can read them', async () => {
  const read = async (path: string) => {
    const answer = await fetchOrigin(`${ORIGIN}/.well-known/${path}`, {
      headers: { origin: 'https://page.example' },
    });
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    return answer.json();
  };
  expect(await read('oauth-protected-resource/mcp')).toMatchObject({
    resource: RESOURCE,
    authorization_servers: [ORIGIN],
  });
  expect(await read('oauth-authorization-server')).toMatchObject({
    issuer: ORIGIN,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    token_endpoint: `${ORIGIN}/oauth/token`,
  });
  const preflight = await fetchOrigin(`${ORIGIN}/oauth/token`, { method: 'OPTIONS' });
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
});
