import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { openDatabase } from '#src/db/client.ts';
import { removeExpiredOfInstallation } from '#src/services/retention/installation.ts';
import { call } from '#test/support/client.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

interface Created {
  id: string;
  url: string;
  state: string;
}
interface Accepted {
  user_id: string;
  role: string;
  api_key: string;
}

const pathOf = ({ organizationId }: Tenant) => `/api/v1/organizations/${organizationId}/invitations`;

async function invite(tenant: Tenant, body: object = {}) {
  const answer = await call<Created>('POST', pathOf(tenant), { key: tenant.key, body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return { ...answer.body, token: answer.body.url.split('#')[1]! };
}

const accept = (token: string, headers: Record<string, string> = {}) =>
  call<Accepted>('POST', '/api/v1/invitations/accept', { key: null, headers, body: { token, name: 'Ada' } });

const getCookie = (headers: Headers) => headers.get('set-cookie')!.split(';')[0]!;

const demote = (path: string, key: string) => call('PUT', path, { key, body: { role: 'viewer' } });

const listStates = async (tenant: Tenant) => {
  const page = await call<{ items: Created[] }>('GET', pathOf(tenant), { key: tenant.key });
  return page.body.items.map(({ state }) => state);
};

describe('an invitation', () => {
  it('makes whoever opens the link a member with a session and a key', async () => {
    const tenant = await createTenant();
    const { url, token } = await invite(tenant, { email: 'Ada@Example.com', role: 'viewer' });
    expect(url).toBe(`http://sluice.test/console/invitation#${token}`);
    const accepted = await accept(token);
    expect(accepted).toMatchObject({ status: 200, body: { role: 'viewer' } });
    const expected = {
      user: { name: 'Ada', email: 'ada@example.com' },
      role: 'viewer',
      organization: { id: tenant.organizationId },
    };
    const cookie = getCookie(accepted.headers);
    const bySession = await call('GET', '/api/v1/session', { key: null, headers: { cookie } });
    expect(bySession.body).toMatchObject(expected);
    const byKey = await call('GET', '/api/v1/session', { key: accepted.body.api_key });
    expect(byKey.body).toMatchObject(expected);
    expect(await listStates(tenant)).toEqual(['accepted']);
  });

  it('works once, also if it is used twice at the same time', async () => {
    const tenant = await createTenant();
    const { token } = await invite(tenant);
    const answers = await Promise.all([accept(token), accept(token), accept(token)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404]);
  });

  it('is answered alike whether it was used, revoked, expired or never existed', async () => {
    const tenant = await createTenant();
    const [used, revoked, expired] = [await invite(tenant), await invite(tenant), await invite(tenant)];
    expect((await accept(used.token)).status).toBe(200);
    const removed = await call('DELETE', `${pathOf(tenant)}/${revoked.id}`, { key: tenant.key });
    expect(removed.status).toBe(204);
    await openDatabase(env.DB).$client.exec(
      `update invitations set expires_at = 1 where id = '${expired.id}'`,
    );
    expect((await listStates(tenant)).toSorted()).toEqual(['accepted', 'expired']);
    for (const { token } of [used, revoked, expired, { token: 'a'.repeat(43) }]) {
      expect(await accept(token)).toMatchObject({ status: 404, body: { detail: 'Invitation not found' } });
    }
  });

  it.each(['removed', 'demoted'])('stops working when the admin who created it is %s', async (ending) => {
    const tenant = await createTenant();
    const { key } = tenant;
    const users = `/api/v1/organizations/${tenant.organizationId}/users`;
    const added = await call<{ user_id: string }>('POST', users, { key, body: { role: 'admin' } });
    const { user_id } = added.body;
    const made = await call<{ redacted_api_key: string }>('POST', '/api/v1/api-keys', {
      key,
      body: { user_id },
    });
    const theirs = { ...tenant, key: made.body.redacted_api_key };
    const [open, used, mine] = [await invite(theirs), await invite(theirs), await invite(tenant)];
    expect((await accept(used.token)).status).toBe(200);
    const path = `${users}/${user_id}`;
    expect((await call('PUT', path, { key, body: { role: 'admin' } })).status).toBe(200);
    expect(await listStates(tenant)).toHaveLength(3);
    const change = ending === 'removed' ? call('DELETE', path, { key }) : demote(path, key);
    expect((await change).status).toBeLessThan(300);
    expect((await accept(open.token)).status).toBe(404);
    expect((await accept(mine.token)).status).toBe(200);
    expect(await listStates(tenant)).toEqual(['accepted', 'accepted']);
  });

  it('is deleted 30 days after it was accepted or has expired', async () => {
    const tenant = await createTenant();
    const old = Date.now() - 31 * 86_400_000;
    const changes = [
      `accepted_at = ${old}, expires_at = ${Date.now() + 86_400_000}`,
      `expires_at = ${old}`,
      `accepted_at = ${Date.now()}, expires_at = ${old}`,
      `expires_at = ${Date.now() - 86_400_000}`,
      `created_at = ${old}`,
    ];
    const ids: string[] = [];
    for (const change of changes) {
      const { id } = await invite(tenant);
      await env.DB.prepare(`update invitations set ${change} where id = ?`).bind(id).run();
      ids.push(id);
    }
    const ctx = createContext(env, { waitUntil() {} });
    expect(await removeExpiredOfInstallation(ctx, Date.now() + 60_000)).toBe(true);
    const page = await call<{ items: Created[] }>('GET', pathOf(tenant), { key: tenant.key });
    expect(page.body.items.map(({ id }) => id).toSorted()).toEqual(ids.slice(2).toSorted());
    expect(await removeExpiredOfInstallation(ctx, Date.now() - 1)).toBe(false);
  });

  it('shows its token once and stores only a hash', async () => {
    const tenant = await createTenant();
    const { id, token } = await invite(tenant);
    const listed = await call('GET', pathOf(tenant), { key: tenant.key });
    expect(JSON.stringify(listed.body)).not.toContain(token);
    const row = await openDatabase(env.DB).query.invitations.findFirst({
      where: (each, { eq }) => eq(each.id, id),
    });
    expect(JSON.stringify(row)).not.toContain(token);
  });

  it('ends the session that the browser had before', async () => {
    const tenant = await createTenant();
    const former = await call('POST', '/api/v1/session', { key: null, body: { api_key: tenant.key } });
    const cookie = getCookie(former.headers);
    const { token } = await invite(tenant);
    expect((await accept(token, { cookie })).status).toBe(403);
    expect((await accept(token, { cookie, origin: 'http://sluice.test' })).status).toBe(200);
    expect((await call('GET', '/api/v1/session', { key: null, headers: { cookie } })).status).toBe(401);
  });

  it('can be created, listed and revoked by admins only, and lasts at most 30 days', async () => {
    const tenant = await createTenant();
    const { id, token } = await invite(tenant, { role: 'member' });
    const member = (await accept(token)).body.api_key;
    const stranger = (await createTenant()).key;
    for (const [key, status] of [
      [member, 403],
      [stranger, 404],
    ] as const) {
      expect((await call('POST', pathOf(tenant), { key, body: {} })).status).toBe(status);
      expect((await call('GET', pathOf(tenant), { key })).status).toBe(status);
      expect((await call('DELETE', `${pathOf(tenant)}/${id}`, { key })).status).toBe(status);
    }
    const body = { expires_at: new Date(Date.now() + 31 * 86_400_000).toISOString() };
    expect((await call('POST', pathOf(tenant), { key: tenant.key, body })).status).toBe(422);
    const known = await invite(tenant, { email: 'once@example.com' });
    await accept(known.token);
    const again = await call('POST', pathOf(tenant), {
      key: tenant.key,
      body: { email: 'once@example.com' },
    });
    expect(again.status).toBe(409);
  });
});
