import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { BASE, call } from '#test/support/client.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';
import {
  authorize,
  buildRequest,
  CALLBACK,
  connect,
  consent,
  exchange,
  ORIGIN,
  postForm,
  readQuery,
  refresh,
  register,
  signIn,
  useTool,
} from './application.ts';

let tenant: Tenant;
beforeEach(async () => {
  tenant = await createTenant();
});
const run = (sql: string, ...values: unknown[]) =>
  env.DB.prepare(sql)
    .bind(...values)
    .run();
const works = async (token: string) => (await useTool(token)).status === 200;

describe('registration', () => {
  it.each([
    ['plain http', 'http://assistant.example/callback'],
    ['another scheme', 'javascript:alert(1)'],
    ['an application scheme', 'assistant://callback'],
    ['a fragment', `${CALLBACK}#x`],
    ['credentials', 'https://sluice.test@assistant.example/'],
    ['a backslash', 'https://assistant.example\\@other.example/'],
    ['a space', 'https://assistant.example/ x'],
    ['a host that begins like a loopback address', 'http://127.0.0.1.assistant.example/'],
    ['nothing', ''],
  ])('refuses a redirect URI with %s', async (_, uri) => {
    expect(await register([uri])).toMatchObject({ status: 400, body: { error: 'invalid_redirect_uri' } });
  });

  it('bounds what a client sends, and removes what could change the consent page', async () => {
    expect((await register([])).status).toBe(400);
    expect((await register(Array(6).fill(CALLBACK))).status).toBe(400);
    expect((await register([`${CALLBACK}/${'x'.repeat(600)}`])).status).toBe(400);
    const long = Array.from({ length: 5 }, (_, at) => `${CALLBACK}/${at}/${'x'.repeat(460)}`);
    expect(await register(long)).toMatchObject({ status: 400, body: { error: 'invalid_client_metadata' } });
    const { body } = await register([CALLBACK], 'Bank\u202e\u0000\n of   Sluice');
    expect(body.client_name).toBe('Bank of Sluice');
    expect((await register([CALLBACK], 7)).body.client_name).toBe('assistant.example');
  });

  it('a client id that was changed is unknown', async () => {
    const { client_id } = (await register()).body as { client_id: string };
    const forged = client_id.replace(/^app_./, (start) => (start.endsWith('X') ? 'app_Y' : 'app_X'));
    const cookie = await signIn(tenant.key);
    for (const id of [forged, 'app_x.y', 'app_', 'x', `${client_id}.x`]) {
      expect((await consent(cookie, await buildRequest(id))).status, id).toBe(400);
    }
  });
});

describe('the consent', () => {
  const ask = async (
    change: Record<string, string>,
    more: Parameters<typeof consent>[2] = { decision: 'allow' },
  ) => {
    const { client_id } = (await register([CALLBACK, 'http://127.0.0.1/done'])).body as { client_id: string };
    return consent(await signIn(tenant.key), await buildRequest(client_id, change), more);
  };

  it.each([
    'https://assistant.example/callback/',
    'https://assistant.example/callback?x=1',
    'https://ASSISTANT.example/callback',
    'https://assistant.example:8443/callback',
    'http://127.0.0.1:1/other',
    'http://localhost/done',
    'https://127.0.0.1/done',
  ])('never sends the browser to %s, which is not registered', async (redirect_uri) => {
    const { status, body } = await ask({ redirect_uri });
    expect([status, body.redirect_to]).toEqual([400, undefined]);
  });

  it('lets a loopback address have any port', async () => {
    const { body } = await ask({ redirect_uri: 'http://127.0.0.1:54321/done' });
    expect(body.redirect_to).toMatch(/^http:\/\/127\.0\.0\.1:54321\/done\?code=slq_/);
  });

  it.each<[string, Record<string, string>, string]>([
    ['the plain challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no challenge', { code_challenge: '' }, 'invalid_request'],
    ['the implicit flow', { response_type: 'token' }, 'unsupported_response_type'],
    ['another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['another path', { resource: `${ORIGIN}/api/v1` }, 'invalid_target'],
  ])('tells the client that %s is refused, with state and issuer', async (_, change, error) => {
    const { body } = await ask(change);
    expect(readQuery(body.redirect_to!)).toMatchObject({ error, state: 'a state', iss: ORIGIN });
    expect(body.redirect_to).not.toContain('code=');
  });

  it('tells the client that the user refused', async () => {
    const { body } = await ask({}, { decision: 'refuse' });
    expect(readQuery(body.redirect_to!)).toMatchObject({ error: 'access_denied', iss: ORIGIN });
  });

  it('takes neither other sites, nor API keys, nor strangers', async () => {
    const request = await buildRequest((await register()).body.client_id!);
    const cookie = await signIn(tenant.key);
    const allow = { decision: 'allow' } as const;
    const status = async (headers: Record<string, string>) =>
      (await consent(cookie, request, allow, { headers })).status;
    expect(await status({ origin: 'https://evil.example' })).toBe(403);
    expect(await status({ origin: 'null' })).toBe(403);
    expect(await status({ authorization: `Bearer ${tenant.key}` })).toBe(403);
    expect(await status({ cookie: '' })).toBe(401);
    expect(await status({ 'content-type': 'text/plain' })).toBe(415);
    const foreign = `?project_id=${(await createTenant()).projectId}`;
    expect((await consent(cookie, request, allow, { query: foreign })).status).toBe(404);
    expect((await call('GET', '/api/v1/connected-applications', { key: tenant.key })).body).toEqual([]);
  });

  it('its page cannot be framed', async () => {
    const { fetchService } = await import('#test/support/client.ts');
    const page = await fetchService('GET', '/console/connect', { key: null });
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });
});

describe('a code', () => {
  it('works once, and a second use ends the tokens of the first', async () => {
    const form = await authorize(tenant.key);
    const { body } = await exchange(form);
    expect(await works(body.access_token!)).toBe(true);
    expect(await exchange(form)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    expect(await works(body.access_token!)).toBe(false);
    expect((await refresh(form.client_id, body.refresh_token!)).status).toBe(400);
  });

  it('gives tokens to at most one of two simultaneous requests, and then to none', async () => {
    const form = await authorize(tenant.key);
    const answers = await Promise.all([exchange(form), exchange(form), exchange(form)]);
    const given = answers.filter(({ status }) => status === 200);
    expect(given.length).toBeLessThanOrEqual(1);
    for (const { body } of given) expect(await works(body.access_token!)).toBe(false);
  });

  it.each<[string, Record<string, string>]>([
    ['a wrong verifier', { code_verifier: 'x'.repeat(43) }],
    ['another redirect URI', { redirect_uri: 'https://evil.example/' }],
    ['a code of nobody', { code: 'slq_x' }],
  ])('with %s gives nothing', async (_, change) => {
    const form = await authorize(tenant.key);
    expect(await exchange({ ...form, ...change })).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    });
  });

  it('gives nothing to another client, for another resource, or after a minute', async () => {
    const other = (await register([CALLBACK], 'Thief')).body.client_id!;
    const stolen = await authorize(tenant.key);
    expect((await exchange({ ...stolen, client_id: other })).body.error).toBe('invalid_grant');
    expect((await exchange(stolen)).body.error).toBe('invalid_grant');
    const elsewhere = { ...(await authorize(tenant.key)), resource: 'https://other.example/mcp' };
    expect((await exchange(elsewhere)).body.error).toBe('invalid_target');
    const late = await authorize(tenant.key);
    await run('update connected_applications set expires_at = ?', Date.now() - 1);
    expect((await exchange(late)).body.error).toBe('invalid_grant');
  });

  it('cannot be requested with a parameter twice or with JSON', async () => {
    const twice: [string, string][] = [
      ['grant_type', 'refresh_token'],
      ['client_id', 'a'],
      ['client_id', 'b'],
    ];
    expect(await postForm('/oauth/token', twice)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    });
    expect((await postForm('/oauth/token', { grant_type: 'password', client_id: 'a' })).body.error).toBe(
      'unsupported_grant_type',
    );
  });
});

describe('a refresh token', () => {
  const age = (id: string, seconds: number) =>
    run(
      'UPDATE connected_applications SET access_expires_at = access_expires_at - ? WHERE id = ?',
      1000 * seconds,
      id,
    );
  const readId = (token: string) => token.slice(4).split('.')[0]!;

  it('gives the same tokens to two requests at once', async () => {
    const { clientId, refresh: first, access } = await connect(tenant.key);
    const [one, other] = await Promise.all([refresh(clientId, first), refresh(clientId, first)]);
    expect(other).toEqual(one);
    expect(await works(one.body.access_token!)).toBe(true);
    expect(await works(access)).toBe(false);
    expect((await refresh(clientId, first)).body).toEqual(one.body);
  });

  it('disconnects the application if it comes again later', async () => {
    const { clientId, refresh: first } = await connect(tenant.key);
    const second = (await refresh(clientId, first)).body;
    await age(readId(first), 31);
    expect(await works(second.access_token!)).toBe(true);
    expect((await refresh(clientId, first)).body.error).toBe('invalid_grant');
    expect(await works(second.access_token!)).toBe(false);
    expect((await refresh(clientId, second.refresh_token!)).body.error).toBe('invalid_grant');
  });

  it('disconnects the application if it comes again after the new one was used', async () => {
    const { clientId, refresh: first } = await connect(tenant.key);
    const second = (await refresh(clientId, first)).body;
    const third = (await refresh(clientId, second.refresh_token!)).body;
    expect((await refresh(clientId, first)).body.error).toBe('invalid_grant');
    expect(await works(third.access_token!)).toBe(false);
  });

  it('that nobody issued, or that another client sends, has no effect', async () => {
    const { clientId, refresh: own, access } = await connect(tenant.key);
    const [id] = own.slice(4).split('.');
    expect((await refresh(clientId, `slr_${id}.x.y`)).body.error).toBe('invalid_grant');
    expect((await refresh('app_other', own)).body.error).toBe('invalid_grant');
    expect(await works(access)).toBe(true);
    expect((await refresh(clientId, own)).status).toBe(200);
  });

  it('is revoked by its client only', async () => {
    const { clientId, refresh: token, access } = await connect(tenant.key);
    expect((await postForm('/oauth/revoke', { client_id: 'app_other', token })).status).toBe(400);
    expect(await works(access)).toBe(true);
    expect((await postForm('/oauth/revoke', { client_id: clientId, token: 'of nobody' })).status).toBe(200);
    expect((await postForm('/oauth/revoke', { client_id: clientId, token })).status).toBe(200);
    expect(await works(access)).toBe(false);
  });
});

describe('an access token', () => {
  it('works at /mcp only, in its project only, and is stored as a hash', async () => {
    const { access, refresh: token } = await connect(tenant.key);
    for (const path of ['/api/v1/session', '/api/v1/files', '/openai/v1/models', '/compat/api/v1/projects']) {
      expect((await call('GET', path, { key: access })).status, path).toBe(401);
    }
    const made = await call<{ id: string }>('POST', '/api/v1/projects', {
      key: tenant.key,
      body: { name: 'Second' },
    });
    expect((await useTool(access, 'list_pipelines', {}, `?project_id=${made.body.id}`)).status).toBe(403);
    const { results } = await env.DB.prepare('select * from connected_applications').all();
    for (const secret of [access, token]) expect(JSON.stringify(results)).not.toContain(secret);
  });

  it('ends with its lifetime, its API key, its user and its project', async () => {
    const expired = await connect(tenant.key);
    await run('update connected_applications set access_expires_at = ?', Date.now() - 1);
    expect((await useTool(expired.access)).challenge).toContain('error="invalid_token"');
    const userGone = await connect(tenant.key);
    await run('delete from members where user_id = ?', tenant.userId);
    expect(await works(userGone.access)).toBe(false);
    expect((await refresh(userGone.clientId, userGone.refresh)).body.error).toBe('invalid_grant');
    const [keyGone, projectGone] = [await createTenant(), await createTenant()];
    const ofKey = await connect(keyGone.key);
    await run('delete from api_keys where user_id = ?', keyGone.userId);
    expect(await works(ofKey.access)).toBe(false);
    const ofProject = await connect(projectGone.key);
    await run('delete from projects where id = ?', projectGone.projectId);
    expect(await works(ofProject.access)).toBe(false);
  });

  it('ends when an admin removes the member', async () => {
    const body = { name: 'Ada', role: 'member' };
    const users = `/api/v1/organizations/${tenant.organizationId}/users`;
    const added = await call<{ user_id: string }>('POST', users, { key: tenant.key, body });
    const keyBody = { name: 'of Ada', user_id: added.body.user_id };
    const made = await call<{ api_key: string }>('POST', '/api/v1/api-keys', {
      key: tenant.key,
      body: keyBody,
    });
    const key = String(
      Object.values(made.body).find(
        (value) => String(value).startsWith('slc_') && !String(value).includes('…'),
      ),
    );
    const { access } = await connect(key);
    expect(await works(access)).toBe(true);
    await call('DELETE', `${users}/${added.body.user_id}`, { key: tenant.key });
    expect(await works(access)).toBe(false);
    const left = await env.DB.prepare('select count(*) as n from connected_applications where user_id = ?')
      .bind(added.body.user_id)
      .first<{ n: number }>();
    expect(left!.n).toBe(0);
  });

  const classify = (token: string) => useTool(token, 'classify', { file_input: 'x', rules: [] });

  it('without sluice:write starts no job, and the answer names the scope that is missing', async () => {
    const { access, scope } = await connect(tenant.key, false);
    expect(scope).toBe('sluice:read');
    expect(await works(access)).toBe(true);
    const refused = await classify(access);
    expect(refused.status).toBe(403);
    expect(refused.challenge).toContain('error="insufficient_scope", scope="sluice:read sluice:write"');
    expect(refused.challenge).toContain(`resource_metadata="${ORIGIN}/`);
  });

  it('loses the right to write as soon as its user becomes a viewer', async () => {
    const { access, clientId, refresh: token } = await connect(tenant.key);
    expect((await classify(access)).text).not.toContain('forbidden');
    await run("update members set role = 'viewer' where user_id = ?", tenant.userId);
    expect(await works(access)).toBe(true);
    expect((await classify(access)).text).toContain('forbidden');
    expect((await refresh(clientId, token)).body.scope).toBe('sluice:read');
    const again = await connect(tenant.key, true);
    expect(again.scope).toBe('sluice:read');
  });
});

it('metadata follow the address of the request, so that they never name another host', async () => {
  const answer = await call<Record<string, string>>('GET', '/.well-known/oauth-authorization-server', {
    key: null,
  });
  expect(answer.body.issuer).toBe(BASE);
});
