import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { createContext } from '#src/context/context.ts';
import { openDatabase } from '#src/db/client.ts';
import { type ApiScope, apiKeys } from '#src/db/schema/index.ts';
import { sha256 } from '#src/lib/secrets/hash.ts';
import { findKeyActor } from '#src/services/tenancy/api-keys.ts';
import { resolveScope } from '#src/services/tenancy/request-scope.ts';
import { createScopedKeys } from '#test/suites/viewer.ts';
import { call } from '#test/support/client.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';
import { callTool, post, readMessage, rpc } from './mcp/agent.ts';

interface Key {
  id: string;
  redacted_api_key: string;
  scopes: ApiScope[];
  role: string | null;
}

const createKey = (key: string, body: object) => call<Key>('POST', '/api/v1/api-keys', { key, body });

async function makeKey(key: string, body: object): Promise<string> {
  const answer = await createKey(key, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.redacted_api_key;
}

const createPipeline = async (key: string, query = '') =>
  (
    await call<{ id: string }>('POST', `/api/v1/pipelines${query}`, {
      key,
      body: { name: crypto.randomUUID() },
    })
  ).body.id;

/** Stores a key as a release without scopes did. */
async function storeOldKey({ organizationId, userId }: Tenant, role: 'viewer' | null): Promise<string> {
  const key = `slc_${crypto.randomUUID()}`;
  const row = {
    id: crypto.randomUUID(),
    organizationId,
    userId,
    role,
    keyType: 'user' as const,
    redacted: 'slc_…',
  };
  await openDatabase(env.DB)
    .insert(apiKeys)
    .values({ ...row, hash: await sha256(key) });
  return key;
}

/** Requests at each door with a scope that the key of the test lacks. */
const DOORS = [
  ['GET', '/api/v1/files'],
  ['GET', '/api/v2/parse'],
  ['GET', '/compat/api/v1/files'],
  ['GET', '/openai/v1/files'],
] as const;

describe('the scope of an API key', () => {
  it('is refused by name at every door, and hides nothing of what the key may do', async () => {
    const tenant = await createTenant();
    const pipeline = await createPipeline(tenant.key);
    const { retrieve: key } = await createScopedKeys(tenant);
    for (const [method, path] of DOORS) {
      const answer = await call(method, path, { key });
      expect([path, answer.status]).toEqual([path, 403]);
      expect(JSON.stringify(answer.body)).toContain('This needs the scope read');
    }
    const refused = await callTool('find_files', { query: 'a' }, { key });
    expect(refused.content[0]!.text).toMatch(/^forbidden: This needs the scope read/);
    for (const [method, params] of [
      ['resources/list', {}],
      ['resources/read', { uri: 'sluice://files/a' }],
    ] as const) {
      expect((await rpc(method, params, { key })).error?.message).toContain('This needs the scope read');
    }
    expect(
      (await callTool('search', { pipeline_id: pipeline, query: 'quay' }, { key })).isError,
    ).toBeUndefined();
    const path = `/api/v1/pipelines/${pipeline}/retrieve`;
    expect((await call('POST', path, { key, body: { query: 'quay' } })).status).toBe(200);
    expect((await call('GET', '/openai/v1/models', { key })).status).toBe(200);
  });

  it('includes the lower scopes, and is that of the creating key if the request names none', async () => {
    const { key } = await createTenant();
    expect((await createKey(key, { scopes: ['read', 'write'] })).body).toMatchObject({
      scopes: ['write'],
      role: null,
    });
    expect((await createKey(key, { scopes: ['retrieve'] })).body).toMatchObject({
      scopes: ['retrieve'],
      role: 'viewer',
    });
    expect((await createKey(key, { role: 'viewer' })).body).toMatchObject({
      scopes: ['read'],
      role: 'viewer',
    });
    expect((await createKey(key, {})).body).toMatchObject({ scopes: ['admin'], role: null });
    for (const scopes of [[], ['write', 'all'], 'write']) {
      expect((await createKey(key, { scopes })).status).toBe(422);
    }
  });

  it('does not change the rights of keys that were created without one', async () => {
    const tenant = await createTenant();
    const [viewer, full] = [await storeOldKey(tenant, 'viewer'), await storeOldKey(tenant, null)];
    const body = { name: 'Second' };
    expect((await call('GET', '/api/v1/files', { key: viewer })).status).toBe(200);
    expect((await call('POST', '/api/v1/projects', { key: viewer, body })).status).toBe(403);
    expect((await call('POST', '/api/v1/projects', { key: full, body })).status).toBeLessThan(300);
    const listed = (await call<Key[]>('GET', '/api/v1/api-keys', { key: full })).body.map(
      ({ scopes }) => scopes[0],
    );
    expect(listed.toSorted()).toEqual(['admin', 'admin', 'read']);
  });

  it('limits browsers that sign in with the key, and what they are told about themselves', async () => {
    const { write: key } = await createScopedKeys(await createTenant());
    const signedIn = await call('POST', '/api/v1/session', { key: null, body: { api_key: key } });
    const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
    const headers = { cookie, origin: 'http://sluice.test' };
    const session = await call('GET', '/api/v1/session', { key: null, headers });
    expect(session.body).toMatchObject({ role: 'member', key: { scopes: ['write'] } });
    const answer = await call('POST', '/api/v1/projects', { key: null, headers, body: { name: 'Second' } });
    expect(answer.status).toBe(403);
  });
});

describe('a narrower key of the same user', () => {
  it('cannot create keys, and no key creates one with more rights than its own', async () => {
    const tenant = await createTenant();
    const keys = await createScopedKeys(tenant);
    expect((await createKey(keys.write, { scopes: ['write'] })).status).toBe(403);
    const ctx = createContext(env, { waitUntil() {} } as never);
    const actor = (await findKeyActor(ctx, keys.read))!;
    const { createApiKey } = await import('#src/services/tenancy/api-keys.ts');
    const asked = await resolveScope(ctx, actor, {});
    await expect(createApiKey(asked, { scopes: ['write'] })).rejects.toThrow(/scopes: must not exceed/);
    expect((await createApiKey(asked, {})).row).toMatchObject({ scope: 'read', role: 'viewer' });
  });

  it('sees and ends only browser sessions of keys that have no more rights', async () => {
    const tenant = await createTenant();
    const keys = await createScopedKeys(tenant);
    for (const key of Object.values(keys))
      await call('POST', '/api/v1/session', { key: null, body: { api_key: key } });
    const count = async (key: string) =>
      (await call<object[]>('GET', '/api/v1/sessions', { key })).body.length;
    expect([await count(keys.read), await count(keys.write), await count(keys.admin)]).toEqual([2, 3, 4]);
    expect((await call('DELETE', '/api/v1/sessions', { key: keys.read })).status).toBeLessThan(300);
    expect(await count(keys.admin)).toBe(2);
  });

  it('reaches no second project, and no conversation of another pipeline', async () => {
    const { key, projectId, organizationId } = await createTenant();
    const second = await call<{ id: string }>('POST', '/api/v1/projects', { key, body: { name: 'Second' } });
    const [own, sibling] = [await createPipeline(key), await createPipeline(key)];
    const foreign = await createPipeline(key, `?project_id=${second.body.id}`);
    const narrow = await makeKey(key, { scopes: ['retrieve'], project_id: projectId });
    const retrieve = (id: string, query = '') =>
      call('POST', `/api/v1/pipelines/${id}/retrieve${query}`, { key: narrow, body: { query: 'quay' } });
    expect((await retrieve(own)).status).toBe(200);
    expect((await retrieve(foreign)).status).toBe(404);
    expect((await retrieve(foreign, `?project_id=${second.body.id}`)).status).toBe(403);
    expect((await retrieve(foreign, `?organization_id=${organizationId}`)).status).toBe(404);
    const models = await call('GET', '/openai/v1/models', { key: narrow });
    expect(JSON.stringify(models.body)).not.toContain(foreign);
    const tool = await callTool('search', { pipeline_id: foreign, query: 'quay' }, { key: narrow });
    expect(tool.content[0]!.text).toMatch(/^not_found/);

    const sessions = `/api/v1/pipelines/${own}/chat-sessions`;
    const session = await call<{ id: string }>('POST', sessions, { key: narrow, body: {} });
    expect((await call('GET', `${sessions}/${session.body.id}`, { key: narrow })).status).toBe(200);
    const elsewhere = `/api/v1/pipelines/${sibling}/chat-sessions/${session.body.id}`;
    expect((await call('GET', elsewhere, { key: narrow })).status).toBe(404);
    // The list would show conversations that the user had with other keys.
    expect((await call('GET', sessions, { key: narrow })).status).toBe(403);
  });
});

describe('an expired API key', () => {
  it('is refused with 401 and the time of its expiry at every door', async () => {
    const expiresAt = new Date(Date.now() - 60_000);
    const { key } = await createTenant({ expiresAt });
    const message = `This API key expired at ${new Date(Math.floor(expiresAt.getTime())).toISOString()}. Create a new key.`;
    for (const [method, path] of [...DOORS, ['GET', '/api/v1/session'] as const]) {
      const answer = await call(method, path, { key });
      expect([path, answer.status]).toEqual([path, 401]);
      expect(JSON.stringify(answer.body)).toContain(message);
    }
    const agent = await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { key });
    expect(agent.status).toBe(401);
    expect(agent.headers.get('www-authenticate')).toContain('error="invalid_token"');
    expect(JSON.stringify(await readMessage(agent))).toContain(message);
    const signIn = await call('POST', '/api/v1/session', { key: null, body: { api_key: key } });
    expect([signIn.status, JSON.stringify(signIn.body)]).toEqual([401, expect.stringContaining(message)]);
  });

  it('also ends the sessions of browsers that signed in with it', async () => {
    const { key, userId } = await createTenant();
    const signedIn = await call('POST', '/api/v1/session', { key: null, body: { api_key: key } });
    const headers = { cookie: signedIn.headers.get('set-cookie')!.split(';')[0]! };
    expect((await call('GET', '/api/v1/session', { key: null, headers })).status).toBe(200);
    await openDatabase(env.DB).$client.exec(
      `update api_keys set expires_at = 1000 where user_id = '${userId}'`,
    );
    const answer = await call<{ detail: string }>('GET', '/api/v1/session', { key: null, headers });
    expect([answer.status, answer.body.detail]).toEqual([
      401,
      expect.stringMatching(/^This API key expired at 1970/),
    ]);
  });
});

it('an operation that does not declare its scope does not compile', () => {
  const rest = { method: 'get', path: '/a', tag: 'Files', summary: 'A', description: 'A.' } as const;
  const answer = { response: { status: 200 as const, json: z.object({}) }, handle: async () => ({}) };
  // @ts-expect-error The scope is missing.
  const undeclared = operation({ ...rest, ...answer, id: 'undeclared', access: 'project' });
  // @ts-expect-error Only public operations need no scope.
  const open = operation({ ...rest, ...answer, id: 'open', access: 'project', needs: null });
  expect([undeclared.needs, open.needs]).toEqual([undefined, null]);
});
