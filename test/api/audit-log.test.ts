import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { BASE, call, fetchService, upload } from '#test/support/client.ts';
import { clientOf, startWith } from '#test/support/configured.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

interface Event {
  id: string;
  operation: string;
  outcome: string;
  object_type: string | null;
  object_id: string | null;
  organization_id: string;
  project_id: string | null;
  user_id: string | null;
  key_id: string | null;
  request_id: string;
  address: string | null;
}

const pathOf = ({ organizationId }: Tenant) => `/api/v1/organizations/${organizationId}/audit-log`;

const list = async (tenant: Tenant, query = '') =>
  (await call<{ items: Event[] }>('GET', `${pathOf(tenant)}${query}`, { key: tenant.key })).body.items;

describe('the audit log', () => {
  it('names the operation, the object, the project and the caller of each change, and of nothing else', async () => {
    const tenant = await createTenant();
    const { key } = tenant;
    const body = { name: 'Harbour' };
    const created = await call<{ id: string }>('POST', '/api/v1/pipelines', { key, body });
    const { id } = created.body;
    await call('GET', `/api/v1/pipelines/${id}`, { key });
    await call('POST', `/api/v1/pipelines/${id}/retrieve`, { key, body: { query: 'oranges' } });
    await call('POST', '/api/v1/pipelines', { key, body: { name: 7 } });
    await call('DELETE', `/api/v1/pipelines/${id}`, { key });
    await call('DELETE', `/api/v1/pipelines/${crypto.randomUUID()}`, { key });
    const common = {
      outcome: 'success',
      object_type: 'pipeline',
      object_id: id,
      organization_id: tenant.organizationId,
      project_id: tenant.projectId,
      user_id: tenant.userId,
      key_id: expect.any(String),
      address: null,
    };
    const events = await list(tenant);
    expect(events).toMatchObject([
      { ...common, operation: 'deletePipeline' },
      { ...common, operation: 'createPipeline', request_id: created.headers.get('x-request-id') },
    ]);
    expect(events).toHaveLength(2);
  });

  it('contains no names, secrets or text of requests', async () => {
    const tenant = await createTenant();
    const { key } = tenant;
    const marks = ['marked-file-name.md', 'marked text of a document', 'marked-key-name'];
    await upload(marks[0]!, marks[1]!, { key });
    const made = await call<{ redacted_api_key: string }>('POST', '/api/v1/api-keys', {
      key,
      body: { name: marks[2] },
    });
    await expect.poll(() => list(tenant, '?operation=uploadFile')).toHaveLength(1);
    const text = JSON.stringify(await list(tenant));
    expect(text).toContain('createApiKey');
    for (const mark of [...marks, made.body.redacted_api_key]) expect(text).not.toContain(mark);
  });

  it('records a change by id in the organization of the object', async () => {
    const [own, other] = [await createTenant(), await createTenant()];
    await env.DB.prepare(
      "insert into members (organization_id, user_id, name, role) values (?, ?, 'Guest', 'member')",
    )
      .bind(other.organizationId, own.userId)
      .run();
    const body = { name: 'Theirs' };
    const { id } = (await call<{ id: string }>('POST', '/api/v1/pipelines', { key: other.key, body })).body;
    expect((await call('DELETE', `/api/v1/pipelines/${id}`, { key: own.key })).status).toBe(204);
    expect(await list(own)).toEqual([]);
    expect((await list(other))[0]).toMatchObject({
      operation: 'deletePipeline',
      object_id: id,
      project_id: other.projectId,
      user_id: own.userId,
    });
  });

  it('records every upload of a bulk ingestion after its answer', async () => {
    const tenant = await createTenant();
    const numbers = Array.from({ length: 12 }, (_, n) => n);
    const files = await Promise.all(numbers.map((n) => upload(`${n}.md`, `Note ${n}`, { key: tenant.key })));
    await expect.poll(() => list(tenant, '?page_size=50')).toHaveLength(files.length);
    const events = await list(tenant, '?page_size=50');
    expect(events.map(({ object_id }) => object_id).toSorted()).toEqual(files.toSorted());
    for (const event of events) {
      expect(event).toMatchObject({
        operation: 'uploadFile',
        object_type: 'file',
        project_id: tenant.projectId,
        user_id: tenant.userId,
      });
    }
    expect(new Set(events.map(({ request_id }) => request_id)).size).toBe(files.length);
  });

  it('names an object by its stored id, however the request writes it', async () => {
    const tenant = await createTenant();
    const id = await upload('prefixed.md', 'Oranges', { key: tenant.key });
    const path = `/api/v1/files/dfl-${id.toUpperCase()}`;
    expect((await call('DELETE', path, { key: tenant.key })).status).toBe(204);
    expect(await list(tenant, `?object_id=${id}&operation=deleteFile`)).toHaveLength(1);
  });

  it('records sign-ins, also those that fail', async () => {
    const tenant = await createTenant();
    const signIn = (api_key: string) => call('POST', '/api/v1/session', { key: null, body: { api_key } });
    expect((await signIn(tenant.key)).status).toBe(204);
    expect(await list(tenant)).toMatchObject([
      { operation: 'signIn', outcome: 'success', user_id: tenant.userId },
    ]);
    // Failures of one minute share an event, so that those of other tests must not be there.
    await env.DB.prepare("delete from audit_events where outcome = 'failure'").run();
    const wrong = new Request(`${BASE}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ api_key: 'slc_wrong' }),
    });
    const refused = await startWith({})(wrong);
    expect(refused.status).toBe(401);
    const { organization } = (await call<{ organization: { id: string } }>('GET', '/api/v1/session')).body;
    const path = `/api/v1/organizations/${organization.id}/audit-log?operation=signIn&outcome=failure`;
    const { items } = (await call<{ items: Event[] }>('GET', path)).body;
    expect(items[0]).toMatchObject({ request_id: refused.headers.get('x-request-id'), user_id: null });
  });

  it('gets one event for the failures of a minute, and none from a callback that no sign-in has begun', async () => {
    const count = () =>
      env.DB.prepare("select count(*) as n from audit_events where outcome = 'failure'").first<number>('n');
    const before = (await count())!;
    const begun = Date.now();
    for (let attempt = 0; attempt < 10; attempt += 1) {
      const body = { api_key: `slc_wrong_${attempt}` };
      expect((await call('POST', '/api/v1/session', { key: null, body })).status).toBe(401);
    }
    const minutes = Math.floor(Date.now() / 60_000) - Math.floor(begun / 60_000) + 1;
    expect((await count())! - before).toBeLessThanOrEqual(minutes);
    const after = await count();
    const harbour = { name: 'Harbour', issuer: 'https://sso.example', client_id: 'sluice' };
    const service = startWith({ OIDC_PROVIDERS: JSON.stringify({ harbour }) });
    for (const cookie of ['', '__Host-sign_in=forged.forged; sign_in=forged.forged']) {
      const request = new Request(`${BASE}/sign-in/harbour/callback?code=x&state=y`, { headers: { cookie } });
      const answer = await service(request);
      expect(answer.headers.get('location')).toBe('/console/?sign_in=expired');
    }
    expect(await count()).toBe(after);
  });

  it('gets the event of a change whose owner cannot be read, and the change succeeds', async () => {
    const tenant = await createTenant();
    const { key } = tenant;
    const body = { name: 'Harbour' };
    const { id } = (await call<{ id: string }>('POST', '/api/v1/pipelines', { key, body })).body;
    const DB = new Proxy(env.DB, {
      get(target, name) {
        const member = Reflect.get(target, name) as unknown;
        if (name !== 'prepare') return typeof member === 'function' ? member.bind(target) : member;
        return (sql: string) => {
          if (sql.includes('owner.organization_id as organizationId')) throw new Error('D1 is overloaded');
          return target.prepare(sql);
        };
      },
    });
    const path = `/api/v1/pipelines/${id}`;
    const answer = await clientOf(key, { DB } as never)('PUT', path, { name: 'Renamed' });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    expect((await list(tenant))[0]).toMatchObject({ operation: 'updatePipeline', object_id: id });
  });

  it('filters, pages and exports as JSON Lines', async () => {
    const tenant = await createTenant();
    for (const name of ['a', 'b', 'c']) {
      await call('POST', '/api/v1/pipelines', { key: tenant.key, body: { name } });
    }
    await call('POST', '/api/v1/projects', { key: tenant.key, body: { name: 'Second' } });
    const all = await list(tenant);
    expect(all.map(({ operation }) => operation)).toEqual([
      'createProject',
      ...['createPipeline', 'createPipeline', 'createPipeline'],
    ]);
    expect(await list(tenant, `?object_id=${all[1]!.object_id}`)).toEqual([all[1]]);
    expect(await list(tenant, `?operation=createProject&user_id=${tenant.userId}`)).toEqual([all[0]]);
    expect(await list(tenant, `?user_id=${crypto.randomUUID()}`)).toEqual([]);
    expect(await list(tenant, '?to=2001-01-01T00:00:00Z')).toEqual([]);
    const pages: Event[] = [];
    for (let token: string | null | undefined = ''; token !== null && token !== undefined; ) {
      const query = `?page_size=1${token && `&page_token=${token}`}`;
      const page: { body: { items: Event[]; next_page_token?: string | null } } = await call(
        'GET',
        `${pathOf(tenant)}${query}`,
        { key: tenant.key },
      );
      pages.push(...page.body.items);
      token = page.body.next_page_token;
    }
    expect(pages).toEqual(all);
    const exported = await fetchService('GET', `${pathOf(tenant)}/export`, { key: tenant.key });
    const lines = (await exported.text()).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as Event)).toEqual(all);
  });

  it('keeps the events of a removed user without the user', async () => {
    const tenant = await createTenant();
    const users = `/api/v1/organizations/${tenant.organizationId}/users`;
    const { key } = tenant;
    const { user_id } = (await call<{ user_id: string }>('POST', users, { key, body: { name: 'Ada' } })).body;
    const made = await call<{ redacted_api_key: string }>('POST', '/api/v1/api-keys', {
      key,
      body: { user_id },
    });
    const theirs = { key: made.body.redacted_api_key, body: { name: 'Theirs' } };
    const { id } = (await call<{ id: string }>('POST', '/api/v1/pipelines', theirs)).body;
    expect(await list(tenant, `?user_id=${user_id}`)).toHaveLength(1);
    expect((await call('DELETE', `${users}/${user_id}`, { key })).status).toBe(204);
    expect(await list(tenant, `?user_id=${user_id}`)).toEqual([]);
    expect(await list(tenant, `?object_id=${id}`)).toMatchObject([
      { operation: 'createPipeline', user_id: null, key_id: null },
    ]);
  });

  it('is open to admins of the organization only', async () => {
    const [tenant, stranger] = [await createTenant(), await createTenant({ scoped: true })];
    for (const path of [pathOf(tenant), `${pathOf(tenant)}/export`]) {
      expect((await call('GET', path, { key: stranger.key })).status).toBe(404);
    }
    expect((await call('GET', pathOf(stranger), { key: stranger.key })).status).toBe(403);
  });
});
