import { describe, expect, it } from 'vitest';
import { call } from '#test/support/client.ts';
import { createTenant } from '#test/support/tenants.ts';

interface Organization {
  id: string;
  name: string;
}
interface Member {
  user_id: string;
  name: string;
  email: string | null;
  role: string;
}
interface Page {
  items: Organization[];
  next_page_token: string | null;
}

const PATH = '/api/v1/organizations';
const mail = () => `${crypto.randomUUID()}@team.example`;

async function team() {
  const admin = await createTenant();
  const add = (body: object) =>
    call<Member>('POST', `${PATH}/${admin.organizationId}/users`, { key: admin.key, body });
  const createKey = async (user_id: string) =>
    (
      await call<{ redacted_api_key: string }>('POST', '/api/v1/api-keys', {
        key: admin.key,
        body: { user_id },
      })
    ).body.redacted_api_key;
  return { admin, add, createKey, users: `${PATH}/${admin.organizationId}/users` };
}

describe('organizations', () => {
  it('are listed and read, and the default one is that of the key', async () => {
    const { key, organizationId } = await createTenant();
    const listed = await call<Organization[]>('GET', PATH, { key });
    expect(listed.body.map(({ id }) => id)).toEqual([organizationId]);
    const expected = { id: organizationId, name: 'Elsewhere' };
    expect((await call('GET', `${PATH}/default`, { key })).body).toMatchObject(expected);
    expect((await call('GET', `${PATH}/${organizationId}`, { key })).body).toMatchObject(expected);
    const v2 = await call('GET', `/api/v2/organizations/${organizationId}`, { key });
    expect(v2.body).toMatchObject({ ...expected, metadata: {} });
    for (const path of [PATH, `${PATH}/default`, `${PATH}/${organizationId}`, '/api/v2/organizations']) {
      expect((await call('GET', path, { key: null })).status).toBe(401);
    }
  });

  it('are created with a default project, renamed and deleted', async () => {
    const { key, organizationId } = await createTenant();
    const created = await call<Organization>('POST', PATH, { key, body: { name: 'New' } });
    expect(created.status).toBe(200);
    const path = `${PATH}/${created.body.id}`;
    const projects = await call('GET', `/api/v1/projects?organization_id=${created.body.id}`, { key });
    expect(projects.body).toMatchObject([{ name: 'Default', is_default: true }]);
    const members = await call('GET', `${path}/users`, { key });
    expect(members.body).toMatchObject([{ name: 'Somebody', role: 'admin' }]);
    const renamed = await call<Organization>('PUT', path, { key, body: { name: 'Newer' } });
    expect(renamed.body.name).toBe('Newer');
    expect((await call('PUT', path, { key, body: { name: '' } })).status).toBe(422);
    expect((await call('DELETE', `${PATH}/${organizationId}`, { key })).status).toBe(409);
    expect((await call('DELETE', path, { key })).status).toBe(204);
    expect((await call('GET', path, { key })).status).toBe(404);
  });

  it('are hidden from other tenants', async () => {
    const [mine, theirs] = [await createTenant(), await createTenant()];
    const path = `${PATH}/${theirs.organizationId}`;
    const { key } = mine;
    const user = `${path}/users/${theirs.userId}`;
    expect((await call('GET', path, { key })).status).toBe(404);
    expect((await call('PUT', path, { key, body: { name: 'x' } })).status).toBe(404);
    expect((await call('DELETE', path, { key })).status).toBe(404);
    expect((await call('GET', `${path}/users`, { key })).status).toBe(404);
    expect((await call('POST', `${path}/users`, { key, body: { name: 'x' } })).status).toBe(404);
    expect((await call('PUT', user, { key, body: { role: 'member' } })).status).toBe(404);
    expect((await call('DELETE', user, { key })).status).toBe(404);
    expect((await call('GET', `/api/v2/organizations/${theirs.organizationId}`, { key })).status).toBe(404);
  });

  it('are listed in pages that continue where the last one ended', async () => {
    const { key } = await createTenant();
    for (const name of ['b', 'a', 'a', 'c']) await call('POST', PATH, { key, body: { name } });
    const names: string[] = [];
    let query = '?page_size=2';
    for (let token: string | null = ''; token !== null; ) {
      const page: Page = (await call<Page>('GET', `/api/v2/organizations${query}`, { key })).body;
      expect(page.items.length).toBeGreaterThan(0);
      names.push(...page.items.map(({ name }) => name));
      token = page.next_page_token;
      query = `?page_size=2&page_token=${token}`;
    }
    expect(names).toEqual(['Elsewhere', 'a', 'a', 'b', 'c']);
    const exact = await call<Page>('GET', '/api/v2/organizations?name=a', { key });
    expect(exact.body.items).toHaveLength(2);
    for (const wrong of ['page_token=x', `page_token=${btoa('[1,2]')}`, 'page_size=0', 'page_size=1001']) {
      expect((await call('GET', `/api/v2/organizations?${wrong}`, { key })).status).toBe(422);
    }
  });
});

describe('members', () => {
  it('are added, listed and promoted, and get access with a key created by an admin', async () => {
    const { admin, add, createKey, users } = await team();
    const email = mail();
    const added = await add({ email });
    expect(added.body).toMatchObject({ email, name: email, role: 'member' });
    expect((await add({ email: email.toUpperCase() })).status).toBe(409);
    expect((await call<Member[]>('GET', users, { key: admin.key })).body).toHaveLength(2);
    const key = await createKey(added.body.user_id);
    expect((await call<Organization[]>('GET', PATH, { key })).body).toHaveLength(1);
    expect((await call('POST', users, { key, body: { name: 'x' } })).status).toBe(403);
    const one = `${users}/${added.body.user_id}`;
    const promoted = await call<Member>('PUT', one, { key: admin.key, body: { role: 'admin' } });
    expect(promoted.body.role).toBe('admin');
    expect((await call('POST', users, { key, body: { name: 'x' } })).status).toBe(200);
  });

  it('lose access immediately when they are removed', async () => {
    const { admin, add, createKey, users } = await team();
    const { user_id } = (await add({ name: 'Somebody' })).body;
    const key = await createKey(user_id);
    expect((await call('GET', PATH, { key })).status).toBe(200);
    expect((await call('DELETE', `${users}/${user_id}`, { key: admin.key })).status).toBe(204);
    expect((await call('GET', PATH, { key })).status).toBe(401);
    expect((await call('DELETE', `${users}/${user_id}`, { key: admin.key })).status).toBe(404);
  });

  it('may leave, but the last admin can neither leave nor step down', async () => {
    const { admin, add, createKey, users } = await team();
    const { user_id } = (await add({ name: 'Somebody' })).body;
    expect((await call('DELETE', `${users}/${user_id}`, { key: await createKey(user_id) })).status).toBe(204);
    const self = `${users}/${admin.userId}`;
    expect((await call('DELETE', self, { key: admin.key })).status).toBe(409);
    expect((await call('PUT', self, { key: admin.key, body: { role: 'member' } })).status).toBe(409);
    expect((await call('PUT', self, { key: admin.key, body: { role: 'owner' } })).status).toBe(422);
    expect((await call('POST', users, { key: admin.key, body: { email: 'no' } })).status).toBe(422);
  });

  it('give an admin no access to other organizations of the same person', async () => {
    const { add, createKey } = await team();
    const email = mail();
    const other = await team();
    const there = (await other.add({ email, role: 'admin' })).body.user_id;
    const here = (await add({ email })).body.user_id;
    // A shared id would reveal that the person is a member of both organizations.
    expect(here).not.toBe(there);
    const key = await createKey(here);
    const theirs = other.admin.organizationId;
    expect((await call('GET', `${PATH}/${theirs}`, { key })).status).toBe(404);
    expect((await call('GET', `/api/v1/pipelines?organization_id=${theirs}`, { key })).status).toBe(404);
    const heir = await call<{ redacted_api_key: string }>('POST', '/api/v1/api-keys', { key, body: {} });
    const inherited = { key: heir.body.redacted_api_key };
    expect((await call('GET', `${PATH}/${theirs}`, inherited)).status).toBe(404);
    expect((await call('POST', PATH, { key, body: { name: 'x' } })).status).toBe(403);
  });

  it('have a separate name in each organization', async () => {
    const [mine, theirs] = [await team(), await team()];
    const email = mail();
    await theirs.add({ email, name: 'Victor at home' });
    expect((await mine.add({ email, name: 'probe' })).body).toMatchObject({ email, name: 'probe' });
    const third = await team();
    expect((await third.add({ email })).body).toMatchObject({ email, name: email });
    for (const [{ admin, users }, name] of [
      [mine, 'probe'],
      [theirs, 'Victor at home'],
      [third, email],
    ] as const) {
      const listed = await call<Member[]>('GET', users, { key: admin.key });
      expect(listed.body.find((member) => member.email === email)?.name).toBe(name);
    }
  });

  it('can create keys for others only as admins, and only for members', async () => {
    const { admin, add, createKey } = await team();
    const { user_id } = (await add({ name: 'Somebody' })).body;
    const key = await createKey(user_id);
    const make = (by: string, userId: string) =>
      call('POST', '/api/v1/beta/api-keys', { key: by, body: { user_id: userId } });
    expect((await make(key, admin.userId)).status).toBe(403);
    expect((await make(admin.key, (await createTenant()).userId)).status).toBe(404);
    expect((await make(admin.key, user_id)).status).toBe(201);
    const listed = await call<unknown[]>('GET', '/api/v1/beta/api-keys', { key: admin.key });
    expect(listed.body).toHaveLength(3);
  });
});
