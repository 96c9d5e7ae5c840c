import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { BASE, call } from '#test/support/client.ts';
import { startWith } from '#test/support/configured.ts';
import { createTenant } from '#test/support/tenants.ts';

interface Key {
  id: string;
  redacted_api_key: string;
  project_id: string | null;
  parent_id: string | null;
  expires_at: string | null;
  last_used_at: string | null;
}

describe('API keys', () => {
  it('rejects a missing key, a wrong key and a malformed header with 401', async () => {
    const cases = [
      { key: null },
      { key: 'slc_wrong' },
      { key: null, headers: { authorization: 'Basic YTpi' } },
    ];
    for (const init of cases) {
      const answer = await call('GET', '/api/v1/pipelines', init);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
      expect(answer.body).toMatchObject({ code: 'unauthenticated' });
    }
  });

  it('shows a new key once, lists it redacted, and revokes it immediately', async () => {
    const created = await call<Key>('POST', '/api/v1/api-keys', { body: { name: 'ci' } });
    expect(created.status).toBe(201);
    const key = created.body.redacted_api_key;
    expect(key).toMatch(/^slc_[\w-]{43}$/);
    expect((await call('GET', '/api/v1/pipelines', { key })).status).toBe(200);

    const listed = await call<Key[]>('GET', '/api/v1/api-keys');
    expect(JSON.stringify(listed.body)).not.toContain(key);
    expect(listed.body.find((each) => each.id === created.body.id)?.last_used_at).not.toBeUndefined();

    expect((await call('DELETE', `/api/v1/api-keys/${created.body.id}`)).status).toBe(204);
    expect((await call('GET', '/api/v1/pipelines', { key })).status).toBe(401);
    expect((await call('DELETE', `/api/v1/api-keys/${created.body.id}`)).status).toBe(404);
  });

  it('rejects an expired key, and refuses to create a key that has already expired', async () => {
    const { key } = await createTenant({ expiresAt: new Date(Date.now() - 1000) });
    expect((await call('GET', '/api/v1/pipelines', { key })).status).toBe(401);
    const body = { expires_at: '2001-01-01T00:00:00Z' };
    expect((await call('POST', '/api/v1/api-keys', { body })).status).toBe(422);
  });

  const make = async (key: string, body: Record<string, unknown> = {}) => {
    const answer = await call<Key>('POST', '/api/v1/api-keys', { key, body });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    return { ...answer.body, key: answer.body.redacted_api_key };
  };
  const revoke = async (key: string, id: string, query = '') =>
    (await call('DELETE', `/api/v1/api-keys/${id}${query}`, { key })).status;
  const works = async (key: string) => (await call('GET', '/api/v1/pipelines', { key })).status === 200;

  it('lets a member revoke their own keys, and an admin revoke all keys', async () => {
    const admin = await createTenant();
    const users = `/api/v1/organizations/${admin.organizationId}/users`;
    const added = await call<{ user_id: string }>('POST', users, { key: admin.key, body: { name: 'M' } });
    const member = await make(admin.key, { user_id: added.body.user_id });
    const second = await make(member.key);
    const ofAdmin = await make(admin.key);
    expect(await revoke(member.key, ofAdmin.id)).toBe(403);
    expect(await works(ofAdmin.key)).toBe(true);
    expect(await revoke(member.key, second.id)).toBe(204);
    expect(await revoke(admin.key, member.id)).toBe(204);
    expect(await works(member.key)).toBe(false);
  });

  it('lets a project key list and revoke only keys of its project', async () => {
    const { key, projectId } = await createTenant();
    const whole = await make(key);
    const scoped = await make(key, { project_id: projectId });
    const sibling = await make(key, { project_id: projectId });
    const listed = await call<Key[]>('GET', '/api/v1/api-keys', { key: scoped.key });
    expect(listed.body.map(({ id }) => id).toSorted()).toEqual([scoped.id, sibling.id].toSorted());
    expect(await revoke(scoped.key, whole.id)).toBe(404);
    expect(await works(whole.key)).toBe(true);
    expect(await revoke(scoped.key, sibling.id)).toBe(204);
  });

  it('limits the expiry of a key to that of the key that creates it', async () => {
    const end = new Date(Date.now() + 60_000);
    const { key } = await createTenant({ expiresAt: end });
    const child = await make(key);
    expect(child.expires_at).toBe(end.toISOString());
    const sooner = new Date(end.getTime() - 30_000).toISOString();
    expect((await make(key, { expires_at: sooner })).expires_at).toBe(sooner);
    const later = { expires_at: new Date(end.getTime() + 1).toISOString() };
    const refused = await call('POST', '/api/v1/api-keys', { key, body: later });
    expect(refused).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'expires_at'] }] } });
  });

  it('records which key created a key, and revokes all descendants on request', async () => {
    const { key } = await createTenant();
    const parent = await make(key);
    const child = await make(parent.key);
    const grandchild = await make(child.key);
    const stranger = await make(key);
    expect(child.parent_id).toBe(parent.id);
    expect(grandchild.parent_id).toBe(child.id);
    expect(await revoke(key, child.id)).toBe(204);
    expect([await works(child.key), await works(grandchild.key)]).toEqual([false, true]);
    const other = await make(parent.key);
    const last = await make(other.key);
    expect(await revoke(key, parent.id, '?with_children=true')).toBe(204);
    expect(await Promise.all([parent, other, last].map((each) => works(each.key)))).toEqual([
      false,
      false,
      false,
    ]);
    expect(await works(stranger.key)).toBe(true);
  });

  it('does not show or revoke keys of another tenant', async () => {
    const stranger = await createTenant();
    const mine = await call<Key>('POST', '/api/v1/api-keys', { body: {} });
    const theirs = await call<Key[]>('GET', '/api/v1/api-keys', { key: stranger.key });
    expect(theirs.body.map((each) => each.id)).not.toContain(mine.body.id);
    const revoked = await call('DELETE', `/api/v1/api-keys/${mine.body.id}`, { key: stranger.key });
    expect(revoked.status).toBe(404);
  });
});

describe('scope', () => {
  it('keeps a scoped key in its project', async () => {
    const first = await createTenant({ scoped: true });
    const second = await createTenant();
    const own = await call('GET', `/api/v1/pipelines?project_id=${first.projectId}`, { key: first.key });
    expect(own.status).toBe(200);
    const other = await call('GET', `/api/v1/pipelines?project_id=${second.projectId}`, { key: first.key });
    expect(other.status).toBe(403);
  });

  it('treats another tenant’s project and organization as missing', async () => {
    const [mine, theirs] = [await createTenant(), await createTenant()];
    const project = `/api/v1/pipelines?project_id=${theirs.projectId}`;
    expect((await call('GET', project, { key: mine.key })).status).toBe(404);
    const organization = `/api/v1/pipelines?organization_id=${theirs.organizationId}`;
    expect((await call('GET', organization, { key: mine.key })).status).toBe(404);
  });
});

describe('the bootstrap key', () => {
  it('works after every start until it is revoked, and then a new key is needed', async () => {
    const [first, second] = [0, 1].map(() => `bootstrap ${crypto.randomUUID()}`.replace(' ', '_'));
    const start = (key: string) => {
      const service = startWith({ BOOTSTRAP_API_KEY: key });
      return (method: string, path: string) =>
        service(new Request(`${BASE}${path}`, { method, headers: { authorization: `Bearer ${key}` } }));
    };
    expect((await start(first!)('GET', '/api/v1/pipelines')).status).toBe(200);
    const again = start(first!);
    const keys: Key[] = await (await again('GET', '/api/v1/api-keys')).json();
    const own = keys.find((each) => each.redacted_api_key.endsWith(first!.slice(-4)));
    expect((await again('DELETE', `/api/v1/api-keys/${own?.id}`)).status).toBe(204);
    expect((await again('GET', '/api/v1/pipelines')).status).toBe(401);
    expect((await start(first!)('GET', '/api/v1/pipelines')).status).toBe(401);
    expect((await start(second!)('GET', '/api/v1/pipelines')).status).toBe(200);
  });
});

describe('the session cookie', () => {
  const signIn = async (key: string) => {
    const answer = await call('POST', '/api/v1/session', { key: null, body: { api_key: key } });
    return { answer, cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '' };
  };

  const readWith = async (cookie: string) =>
    (await call('GET', '/api/v1/pipelines', { key: null, headers: { cookie } })).status;
  const signOut = (headers: Record<string, string>) =>
    call('DELETE', '/api/v1/session', { key: null, headers });

  it('is issued for a key, is HttpOnly and SameSite, and is removed at sign-out', async () => {
    const { key } = await createTenant();
    const { answer, cookie } = await signIn(key);
    expect(answer.status).toBe(204);
    expect(answer.headers.get('set-cookie')).toMatch(/HttpOnly/i);
    expect(answer.headers.get('set-cookie')).toMatch(/SameSite=Strict/i);
    expect(cookie).not.toContain(key);
    expect(await readWith(cookie)).toBe(200);
    const out = await signOut({ cookie, origin: BASE });
    expect(out.status).toBe(204);
    expect(out.headers.get('set-cookie')).toMatch(/Max-Age=0/);
  });

  it('is not issued to pages of other origins', async () => {
    const { key } = await createTenant();
    const from = (origin: string) =>
      call('POST', '/api/v1/session', { key: null, headers: { origin }, body: { api_key: key } });
    const refused = await from('https://evil.test');
    expect(refused.status).toBe(403);
    expect(refused.headers.get('set-cookie')).toBeNull();
    expect((await from('null')).status).toBe(403);
    expect((await from(BASE)).status).toBe(204);
  });

  it('is rejected after sign-out, which can be repeated and does not affect other sessions', async () => {
    const { key } = await createTenant();
    const [{ cookie }, other] = [await signIn(key), await signIn(key)];
    for (const _ of ['ends it', 'finds it ended']) {
      expect((await signOut({ cookie, origin: BASE })).status).toBe(204);
      expect(await readWith(cookie)).toBe(401);
    }
    expect(await readWith(other.cookie)).toBe(200);
    expect((await call('GET', '/api/v1/pipelines', { key })).status).toBe(200);
    expect((await signOut({})).status).toBe(204);
  });

  it('cannot be ended by another site', async () => {
    const { cookie } = await signIn((await createTenant()).key);
    expect((await signOut({ cookie, origin: 'https://evil.test' })).status).toBe(403);
    expect((await signOut({ cookie })).status).toBe(403);
    expect((await signOut({ origin: 'https://evil.test' })).status).toBe(403);
    expect(await readWith(cookie)).toBe(200);
  });

  it('expires, and the next sign-in deletes the expired session', async () => {
    const { key } = await createTenant();
    const { cookie } = await signIn(key);
    const id = cookie.slice('session='.length).split('.')[0];
    await env.DB.prepare('update sessions set expires_at = 1 where id = ?').bind(id).run();
    expect(await readWith(cookie)).toBe(401);
    await signIn(key);
    expect(await env.DB.prepare('select 1 from sessions where id = ?').bind(id).first()).toBeNull();
  });

  it('is not issued for an unknown key, and is rejected if it is modified or its key is revoked', async () => {
    expect((await signIn('slc_unknown')).answer.status).toBe(401);
    const created = await call<Key>('POST', '/api/v1/api-keys', { body: {} });
    const { cookie } = await signIn(created.body.redacted_api_key);
    const changed = cookie.replace(/session=(.)/, (_, first) => `session=${first === 'e' ? 'f' : 'e'}`);
    for (const wrong of [changed, `${cookie}x`, `${cookie}.x`, 'session=x.y', 'session=nodot']) {
      expect(await readWith(wrong)).toBe(401);
    }
    expect(await readWith(cookie)).toBe(200);
    await call('DELETE', `/api/v1/api-keys/${created.body.id}`);
    expect(await readWith(cookie)).toBe(401);
  });

  it('allows changes only for requests of the same origin', async () => {
    const { key } = await createTenant();
    const { cookie } = await signIn(key);
    const attempt = (headers: Record<string, string>) =>
      call('POST', '/api/v1/pipelines', {
        key: null,
        headers: { cookie, ...headers },
        body: { name: crypto.randomUUID() },
      });
    expect((await attempt({})).status).toBe(403);
    expect((await attempt({ origin: 'https://evil.test' })).status).toBe(403);
    expect((await attempt({ origin: BASE })).status).toBe(200);
  });

  it('belongs to the origin of PUBLIC_URL if one is configured', async () => {
    const { key } = await createTenant();
    const service = startWith({ PUBLIC_URL: 'https://sluice.example/' });
    const post = (path: string, body: object, headers: Record<string, string> = {}) =>
      service(
        new Request(`${BASE}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(body),
        }),
      );
    const given = (await post('/api/v1/session', { api_key: key })).headers.get('set-cookie') ?? '';
    expect(given).toMatch(/; Secure/);
    expect((await signIn(key)).answer.headers.get('set-cookie')).not.toMatch(/Secure/);
    const attempt = async (origin: string) => {
      const cookie = given.split(';')[0]!;
      return (await post('/api/v1/pipelines', { name: crypto.randomUUID() }, { cookie, origin })).status;
    };
    expect(await attempt('https://sluice.example')).toBe(200);
    expect(await attempt(BASE)).toBe(403);
  });
});
