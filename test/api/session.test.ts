import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '#src/db/client.ts';
import { members } from '#src/db/schema/index.ts';
import { BASE, call } from '#test/support/client.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

interface Session {
  user: { id: string; name: string; email: string | null };
  role: string;
  organization: { id: string; name: string };
  project_id: string | null;
  default_project: { id: string; name: string };
  key: { id: string; name: string | null; scope: string; expires_at: string | null };
  expires_at: string | null;
}

const whoHas = async (key: string, query = '') => {
  const answer = await call<Session>('GET', `/api/v1/session${query}`, { key });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
};

const signIn = async (key: string) => {
  const answer = await call('POST', '/api/v1/session', { key: null, body: { api_key: key } });
  return answer.headers.get('set-cookie')!.split(';')[0]!;
};

const whoIsSignedIn = async (cookie: string) =>
  (await call<Session>('GET', '/api/v1/session', { key: null, headers: { cookie } })).body;

const makeKey = async (key: string, body: object) => {
  const answer = await call<{ id: string; redacted_api_key: string }>('POST', '/api/v1/api-keys', {
    key,
    body,
  });
  return { id: answer.body.id, key: answer.body.redacted_api_key };
};

const HOURS = 3600_000;

describe('GET /session', () => {
  const ofTenant = (tenant: Tenant) => ({
    user: { id: tenant.userId, name: 'Somebody', email: null },
    role: 'admin',
    organization: { id: tenant.organizationId, name: 'Elsewhere' },
    default_project: { id: tenant.projectId, name: 'Default' },
  });

  it('returns the user, the organization and the expiry of the key', async () => {
    const tenant = await createTenant();
    expect(await whoHas(tenant.key)).toEqual({
      ...ofTenant(tenant),
      project_id: null,
      key: { id: expect.any(String), name: null, scope: 'user', scopes: ['admin'], expires_at: null },
      expires_at: null,
    });
  });

  it('returns the same for a session, with the end of the session', async () => {
    const tenant = await createTenant();
    const before = Date.now();
    const cookie = await signIn(tenant.key);
    const { expires_at, ...who } = await whoIsSignedIn(cookie);
    const { expires_at: _, ...withKey } = await whoHas(tenant.key);
    expect(who).toEqual(withKey);
    // The expiry is stored in whole milliseconds.
    expect(Date.parse(expires_at!)).toBeGreaterThanOrEqual(before + 12 * HOURS - 1);
    expect(Date.parse(expires_at!)).toBeLessThanOrEqual(Date.now() + 12 * HOURS);
  });

  it('limits a session to the lifetime of its key', async () => {
    const end = new Date(Date.now() + HOURS);
    const { key } = await createTenant({ expiresAt: end });
    const who = await whoIsSignedIn(await signIn(key));
    expect(who).toMatchObject({ expires_at: end.toISOString(), key: { expires_at: end.toISOString() } });
  });

  it('describes a project key, and a key that somebody else created', async () => {
    const admin = await createTenant();
    const scoped = await makeKey(admin.key, { name: 'harbour', project_id: admin.projectId });
    expect(await whoHas(scoped.key)).toMatchObject({
      project_id: admin.projectId,
      key: { id: scoped.id, name: 'harbour', scope: 'project' },
    });
    const users = `/api/v1/organizations/${admin.organizationId}/users`;
    const body = { name: 'Mo', email: 'mo@example.com' };
    const added = await call<{ user_id: string }>('POST', users, { key: admin.key, body });
    const member = await makeKey(admin.key, { user_id: added.body.user_id });
    expect(await whoHas(member.key)).toMatchObject({
      user: { id: added.body.user_id, ...body },
      role: 'member',
      key: { scope: 'organization' },
    });
  });

  it('returns the name and the role in the requested organization', async () => {
    const [own, other] = [await createTenant(), await createTenant()];
    const query = `?organization_id=${other.organizationId}`;
    expect((await call('GET', `/api/v1/session${query}`, { key: own.key })).status).toBe(404);
    const guest = {
      organizationId: other.organizationId,
      userId: own.userId,
      name: 'Guest',
      role: 'member' as const,
    };
    await openDatabase(env.DB).insert(members).values(guest);
    expect(await whoHas(own.key, query)).toMatchObject({
      user: { id: own.userId, name: 'Guest' },
      role: 'member',
      organization: { id: other.organizationId },
      default_project: { id: other.projectId },
    });
  });

  it('answers 401 without credentials, and after sign-out', async () => {
    expect((await call('GET', '/api/v1/session', { key: null })).status).toBe(401);
    const { key } = await createTenant();
    const cookie = await signIn(key);
    await call('DELETE', '/api/v1/session', { key: null, headers: { cookie, origin: BASE } });
    expect((await call('GET', '/api/v1/session', { key: null, headers: { cookie } })).status).toBe(401);
  });
});
