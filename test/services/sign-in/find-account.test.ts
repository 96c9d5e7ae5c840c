import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { findAccount } from '#src/services/sign-in/find-account.ts';
import type { Claims } from '#src/services/sign-in/provider-client.ts';
import { openIdentitySession } from '#src/services/tenancy/sessions.ts';
import type { IdentityProvider } from '#src/settings/identity-providers.ts';
import { call } from '#test/support/client.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

const ctx = createContext(env, { waitUntil() {} });
const provider: IdentityProvider = {
  name: 'First',
  issuer: 'https://first.example',
  client_id: 'sluice',
  scopes: 'openid email',
  create: 'invited',
  role: 'member',
};
const other: IdentityProvider = { ...provider, name: 'Second', issuer: 'https://second.example' };
const mapped: IdentityProvider = {
  ...provider,
  create: 'members',
  email_domains: ['*'],
  role: 'viewer',
  role_claim: 'groups',
  roles: { admin: ['admins'] },
};
const bob: Claims = { sub: 'bob', email: 'Bob@example.com', email_verified: true };

let tenant: Tenant;
let path: string;
let changes: string[];

beforeEach(async () => {
  tenant = await createTenant();
  path = `/api/v1/organizations/${tenant.organizationId}`;
  changes = [];
});

const signIn = (claims: Claims, by = provider) =>
  findAccount(ctx, {
    ...{ provider: by, organizationId: tenant.organizationId, claims },
    record: async (change, userId) => void changes.push(`${change} ${userId}`),
  });

async function create<Body>(suffix: string, body: object, key = tenant.key): Promise<Body> {
  const answer = await call<Body>('POST', `${path}${suffix}`, { key, body });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body;
}

const invite = async (body: object, key = tenant.key) =>
  (await create<{ url: string }>('/invitations', body, key)).url.split('#')[1]!;

/** Opens the link of an invitation, like anyone who has it. */
async function open(token: string) {
  const body = { token, name: 'Somebody' };
  const answer = await call<{ user_id: string; api_key: string }>('POST', '/api/v1/invitations/accept', {
    key: null,
    body,
  });
  return { ...answer.body, status: answer.status, cookie: answer.headers.get('set-cookie')?.split(';')[0] };
}

const createKey = async (key: string, body: object = {}) =>
  (await call<{ redacted_api_key: string }>('POST', '/api/v1/api-keys', { key, body })).body.redacted_api_key;

const readWithKey = async (key: string) => (await call('GET', '/api/v1/session', { key })).status;
const readWithCookie = async (cookie: string) =>
  (await call('GET', '/api/v1/session', { key: null, headers: { cookie } })).status;

describe('a member who joined with a link', () => {
  it('loses keys, sessions and invitations at the first sign-in of the owner of the address', async () => {
    const first = await open(await invite({ email: 'bob@example.com', role: 'admin' }));
    const made = await createKey(first.api_key);
    const further = await invite({}, first.api_key);
    const member = { organizationId: tenant.organizationId, userId: first.user_id, browser: null };
    const session = `session=${await openIdentitySession(ctx, member)}`;
    expect(await readWithCookie(session)).toBe(200);

    expect(await signIn(bob)).toBe(first.user_id);
    for (const key of [first.api_key, made]) expect(await readWithKey(key)).toBe(401);
    for (const cookie of [first.cookie!, session]) expect(await readWithCookie(cookie)).toBe(401);
    expect((await open(further)).status).toBe(404);
    expect(changes).toEqual([`linkIdentity ${first.user_id}`]);
    expect(await readWithKey(tenant.key)).toBe(200);
  });

  it('keeps keys that were created after the first sign-in', async () => {
    const { user_id } = await open(await invite({ email: 'bob@example.com' }));
    await signIn(bob);
    const key = await createKey(tenant.key, { user_id });
    expect(await signIn(bob)).toBe(user_id);
    expect(await readWithKey(key)).toBe(200);
  });
});

describe('a member whom an admin added', () => {
  it('keeps keys at the first sign-in', async () => {
    const { user_id } = await create<{ user_id: string }>('/users', { email: 'bob@example.com' });
    const key = await createKey(tenant.key, { user_id });
    expect(await signIn(bob)).toBe(user_id);
    expect(await readWithKey(key)).toBe(200);
  });
});

describe('a second account with the same address', () => {
  it.each([
    ['the same provider', provider],
    ['another provider', other],
  ])('is refused if it is one of %s', async (_, by) => {
    await invite({ email: 'bob@example.com' });
    const userId = await signIn(bob);
    await expect(signIn({ ...bob, sub: 'another bob' }, by)).rejects.toMatchObject({
      reason: 'account_conflict',
    });
    expect(await signIn(bob)).toBe(userId);
  });

  it('is refused if both sign in for the first time at once', async () => {
    await create('/users', { email: 'bob@example.com' });
    const results = await Promise.allSettled([signIn(bob), signIn({ ...bob, sub: 'another bob' }, other)]);
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });
});

describe('a sign-in', () => {
  it('records the member that it adds and the role that it changes, once', async () => {
    const userId = await signIn(bob, mapped);
    await signIn(bob, mapped);
    expect(changes).toEqual([`addMember ${userId}`]);
    await signIn({ ...bob, groups: ['admins'] }, mapped);
    await signIn({ ...bob, groups: ['admins'] }, mapped);
    expect(changes.slice(1)).toEqual([`changeMemberRole ${userId}`]);
  });

  it('deletes the invitations of an admin whom the claims demote', async () => {
    const { user_id } = await create<{ user_id: string }>('/users', {
      email: 'bob@example.com',
      role: 'admin',
    });
    const key = await createKey(tenant.key, { user_id });
    const [theirs, mine] = [await invite({}, key), await invite({})];
    await signIn({ ...bob, groups: ['admins'] }, mapped);
    expect((await open(await invite({}, key))).status).toBe(200);
    await signIn(bob, mapped);
    expect([(await open(theirs)).status, (await open(mine)).status]).toEqual([404, 200]);
  });

  it('leaves the last admin an admin', async () => {
    const { user_id } = await create<{ user_id: string }>('/users', {
      email: 'bob@example.com',
      role: 'admin',
    });
    await call('DELETE', `${path}/users/${tenant.userId}`, { key: tenant.key });
    await signIn(bob, mapped);
    const role = await env.DB.prepare('select role from members where user_id = ?')
      .bind(user_id)
      .first('role');
    expect(role).toBe('admin');
  });

  it.each(['expires_at = 1', 'accepted_at = 1'])('uses no invitation with %s', async (change) => {
    await invite({ email: 'bob@example.com' });
    await env.DB.prepare(`update invitations set ${change} where organization_id = ?`)
      .bind(tenant.organizationId)
      .run();
    await expect(signIn(bob)).rejects.toMatchObject({ reason: 'not_invited' });
  });

  it.each([
    ['unverified', { email_verified: false }],
    ['missing', { email: undefined }],
  ])('is refused if the address is %s', async (_, claims) => {
    await invite({ email: 'bob@example.com' });
    await expect(signIn({ ...bob, ...claims })).rejects.toMatchObject({ reason: 'email_not_verified' });
  });
});
