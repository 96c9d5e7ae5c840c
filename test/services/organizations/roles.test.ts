import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '#src/db/client.ts';
import { apiKeys, members } from '#src/db/schema/index.ts';
import { sha256 } from '#src/lib/secrets/hash.ts';
import { call } from '#test/support/client.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

const ORGANIZATIONS = '/api/v1/organizations';
const db = openDatabase(env.DB);

const join = (userId: string, organizationId: string, role: 'admin' | 'member') =>
  db.insert(members).values({ userId, organizationId, name: 'Guest', role });

/** Creates a key of a user with access to every organization of that user. */
async function createKey(userId: string, organizationId: string): Promise<string> {
  const key = `slc_${crypto.randomUUID()}`;
  const row = { id: crypto.randomUUID(), userId, organizationId, keyType: 'user' as const };
  await db.insert(apiKeys).values({ ...row, redacted: 'slc_…', hash: await sha256(key) });
  return key;
}

const usersOf = ({ organizationId }: Tenant) => `${ORGANIZATIONS}/${organizationId}/users`;

describe('an admin of one organization who is a plain member of another', () => {
  let me: Tenant;
  let host: Tenant;

  beforeEach(async () => {
    [me, host] = [await createTenant(), await createTenant()];
    await join(me.userId, host.organizationId, 'member');
  });

  type Request = [what: string, method: string, path: () => string, body?: () => object];
  const within = () => `?organization_id=${host.organizationId}`;
  const requests: Request[] = [
    ['add a member', 'POST', () => usersOf(host), () => ({ name: 'x' })],
    ['change a role', 'PUT', () => `${usersOf(host)}/${host.userId}`, () => ({ role: 'admin' })],
    ['promote themselves', 'PUT', () => `${usersOf(host)}/${me.userId}`, () => ({ role: 'admin' })],
    ['remove another member', 'DELETE', () => `${usersOf(host)}/${host.userId}`],
    ['rename it', 'PUT', () => `${ORGANIZATIONS}/${host.organizationId}`, () => ({ name: 'x' })],
    ['delete it', 'DELETE', () => `${ORGANIZATIONS}/${host.organizationId}`],
    ['create a project', 'POST', () => `/api/v1/projects${within()}`, () => ({ name: 'x' })],
    ['rename a project', 'PUT', () => `/api/v1/projects/${host.projectId}`, () => ({ name: 'x' })],
    ['delete a project', 'DELETE', () => `/api/v1/projects/${host.projectId}`],
    ['export a project', 'GET', () => `/api/v1/projects/${host.projectId}/export`],
    ['export another member', 'GET', () => `/api/v1/users/${host.userId}/export${within()}`],
    [
      'choose models',
      'PUT',
      () => `/api/v1/projects/${host.projectId}/model-settings`,
      () => ({ models: {} }),
    ],
    [
      'create a key for another',
      'POST',
      () => `/api/v1/api-keys${within()}`,
      () => ({ user_id: host.userId }),
    ],
  ];

  it.each(requests)('cannot %s there', async (_, method, path, body) => {
    const init = { key: me.key, ...(body && { body: body() }) };
    expect((await call(method, path(), init)).status).toBe(403);
  });

  it('cannot revoke a key of another member there', async () => {
    const { body } = await call<{ id: string }[]>('GET', `/api/v1/api-keys${within()}`, { key: host.key });
    const path = `/api/v1/api-keys/${body[0]!.id}${within()}`;
    expect((await call('DELETE', path, { key: me.key })).status).toBe(403);
    expect((await call('GET', ORGANIZATIONS, { key: host.key })).status).toBe(200);
  });
});

describe('an admin who names a member of another organization only', () => {
  it.each([
    [
      'change their role',
      'PUT',
      (me: Tenant, id: string) => `${usersOf(me)}/${id}`,
      () => ({ role: 'admin' }),
    ],
    ['remove them', 'DELETE', (me: Tenant, id: string) => `${usersOf(me)}/${id}`, undefined],
    ['create a key for them', 'POST', () => '/api/v1/api-keys', (id: string) => ({ user_id: id })],
    ['export them', 'GET', (_: Tenant, id: string) => `/api/v1/users/${id}/export`, undefined],
  ])('cannot %s', async (_, method, path, body) => {
    const [me, stranger] = [await createTenant(), await createTenant()];
    const init = { key: me.key, ...(body && { body: body(stranger.userId) }) };
    const answer = await call<{ detail: string }>(method, path(me, stranger.userId), init);
    expect(answer).toMatchObject({ status: 404, body: { detail: expect.stringContaining(stranger.userId) } });
  });
});

describe('a plain member of the organization of the key', () => {
  it('can act as admin of another organization', async () => {
    const [home, host] = [await createTenant(), await createTenant()];
    const { body } = await call<{ user_id: string }>('POST', usersOf(home), {
      key: home.key,
      body: { name: 'Somebody' },
    });
    await join(body.user_id, host.organizationId, 'admin');
    const key = await createKey(body.user_id, home.organizationId);
    const add = (to: Tenant) => call('POST', usersOf(to), { key, body: { name: 'x' } });
    expect((await add(host)).status).toBe(200);
    expect((await add(home)).status).toBe(403);
  });
});

describe('the last admin of an organization', () => {
  it('can neither leave nor step down while there are only plain members', async () => {
    const admin = await createTenant();
    const self = `${usersOf(admin)}/${admin.userId}`;
    await call('POST', usersOf(admin), { key: admin.key, body: { name: 'Plain' } });
    expect((await call('DELETE', self, { key: admin.key })).status).toBe(409);
    const step = await call('PUT', self, { key: admin.key, body: { role: 'member' } });
    expect(step.status).toBe(409);
  });

  it('can be made an admin again', async () => {
    const admin = await createTenant();
    const self = `${usersOf(admin)}/${admin.userId}`;
    expect((await call('PUT', self, { key: admin.key, body: { role: 'admin' } })).status).toBe(200);
  });

  it('can leave after another member has become an admin', async () => {
    const admin = await createTenant();
    await call('POST', usersOf(admin), { key: admin.key, body: { name: 'Next', role: 'admin' } });
    const self = `${usersOf(admin)}/${admin.userId}`;
    expect((await call('DELETE', self, { key: admin.key })).status).toBe(204);
  });
});

describe('a key that is limited to a project', () => {
  it('cannot end the membership of its own user', async () => {
    const admin = await createTenant({ scoped: true });
    await join((await createTenant()).userId, admin.organizationId, 'admin');
    const self = `${usersOf(admin)}/${admin.userId}`;
    expect((await call('DELETE', self, { key: admin.key })).status).toBe(403);
  });

  it('cannot export its own user', async () => {
    const { key, userId } = await createTenant({ scoped: true });
    expect((await call('GET', `/api/v1/users/${userId}/export`, { key })).status).toBe(403);
  });

  it('sees only the organization of its project', async () => {
    const [me, host] = [await createTenant({ scoped: true }), await createTenant()];
    await join(me.userId, host.organizationId, 'admin');
    const { body } = await call<{ id: string }[]>('GET', ORGANIZATIONS, { key: me.key });
    expect(body.map(({ id }) => id)).toEqual([me.organizationId]);
    const there = `${ORGANIZATIONS}/${host.organizationId}`;
    expect((await call('GET', there, { key: me.key })).status).toBe(404);
    expect((await call('GET', `${there}/users`, { key: me.key })).status).toBe(404);
  });

  it('creates keys of its project if no project is named', async () => {
    const { key, projectId } = await createTenant({ scoped: true });
    const made = await call<{ project_id: string }>('POST', '/api/v1/api-keys', { key, body: {} });
    expect(made.body.project_id).toBe(projectId);
  });
});
