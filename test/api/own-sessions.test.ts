import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { describeBrowser } from '#src/services/tenancy/browser.ts';
import { openIdentitySession } from '#src/services/tenancy/sessions.ts';
import { BASE, call } from '#test/support/client.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

interface OwnSession {
  id: string;
  browser: string | null;
  api_key_id: string | null;
  is_current: boolean;
  created_at: string;
  last_used_at: string | null;
  expires_at: string;
}

const PATH = '/api/v1/sessions';
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const ctx = createContext(env, { waitUntil() {} });
let tenant: Tenant;

beforeEach(async () => {
  tenant = await createTenant();
});

async function signIn(key = tenant.key, userAgent = FIREFOX): Promise<string> {
  const headers = { 'user-agent': userAgent };
  const answer = await call('POST', '/api/v1/session', { key: null, headers, body: { api_key: key } });
  return answer.headers.get('set-cookie')!.split(';')[0]!;
}
const signInByProvider = async ({ organizationId, userId }: Tenant) =>
  `session=${await openIdentitySession(ctx, { organizationId, userId, browser: 'Safari on iOS' })}`;
const as = (cookie: string) => ({ key: null, headers: { cookie, origin: BASE } });
const list = async (init: object = { key: tenant.key }) => (await call<OwnSession[]>('GET', PATH, init)).body;
const status = async (cookie: string) => (await call('GET', '/api/v1/session', as(cookie))).status;

describe('the list of own sessions', () => {
  it('describes each session coarsely, marks the current one, and shows no cookie', async () => {
    const [cookie, other] = [await signIn(), await signInByProvider(tenant)];
    const sessions = await list(as(cookie));
    expect(sessions).toHaveLength(2);
    const current = sessions.find(({ is_current }) => is_current)!;
    expect(current).toMatchObject({ browser: 'Firefox on Linux', api_key_id: expect.any(String) });
    const length = Date.parse(current.expires_at) - Date.parse(current.created_at);
    expect(length).toBe(12 * 3_600_000);
    expect(sessions.find(({ id }) => id !== current.id)).toMatchObject({
      browser: 'Safari on iOS',
      api_key_id: null,
      is_current: false,
    });
    for (const each of [cookie, other]) {
      const signature = each.split('.')[1]!;
      expect(JSON.stringify(sessions)).not.toContain(signature);
    }
    expect((await list()).every(({ is_current }) => !is_current)).toBe(true);
  });

  it('tells when a session was last used', async () => {
    const cookie = await signIn();
    expect((await list())[0]!.last_used_at).toBeNull();
    await status(cookie);
    await expect.poll(async () => (await list())[0]!.last_used_at).toMatch(/Z$/);
    const byProvider = await signInByProvider(tenant);
    await status(byProvider);
    await expect
      .poll(async () => (await list()).every(({ last_used_at }) => last_used_at !== null))
      .toBe(true);
  });

  it('leaves out expired sessions and those of other users', async () => {
    const cookie = await signIn();
    await signIn((await createTenant()).key);
    expect(await list()).toHaveLength(1);
    const id = cookie.slice('session='.length).split('.')[0];
    await env.DB.prepare('update sessions set expires_at = 1 where id = ?').bind(id).run();
    expect(await list()).toEqual([]);
  });

  it('contains only sessions in the organization of the caller, and ends no others', async () => {
    const other = await createTenant();
    await env.DB.prepare(
      "insert into members (organization_id, user_id, name, role) values (?, ?, 'Guest', 'member')",
    )
      .bind(other.organizationId, tenant.userId)
      .run();
    const made = await call<{ redacted_api_key: string }>('POST', '/api/v1/api-keys', {
      key: other.key,
      body: { user_id: tenant.userId },
    });
    const elsewhere = [
      await signIn(made.body.redacted_api_key),
      await signInByProvider({ ...tenant, organizationId: other.organizationId }),
    ];
    expect(await list()).toEqual([]);
    expect((await call('DELETE', PATH, { key: tenant.key })).status).toBe(204);
    for (const cookie of elsewhere) expect(await status(cookie)).toBe(200);
  });

  it.each([{ project: true }, { role: 'viewer' }])(
    'shows a key with limits, and lets it end, only sessions of such keys: %j',
    async ({ project, role }) => {
      await signIn();
      const full = await signInByProvider(tenant);
      const made = await call<{ redacted_api_key: string }>('POST', '/api/v1/api-keys', {
        key: tenant.key,
        body: project ? { project_id: tenant.projectId } : { role },
      });
      const key = made.body.redacted_api_key;
      await signIn(key);
      const [all, own] = [await list(), await list({ key })];
      expect([all.length, own.length]).toEqual([3, 1]);
      const hidden = all.find(({ id }) => id !== own[0]!.id)!;
      expect((await call('DELETE', `${PATH}/${hidden.id}`, { key })).status).toBe(404);
      expect((await call('DELETE', PATH, { key })).status).toBe(204);
      expect(await list()).toHaveLength(2);
      expect(await status(full)).toBe(200);
    },
  );
});

describe('ending sessions', () => {
  it('ends one session at once', async () => {
    const [mine, lost] = [await signIn(), await signIn()];
    const { id } = (await list(as(mine))).find(({ is_current }) => !is_current)!;
    expect((await call('DELETE', `${PATH}/${id}`, as(mine))).status).toBe(204);
    expect([await status(mine), await status(lost)]).toEqual([200, 401]);
    expect((await call('DELETE', `${PATH}/${id}`, as(mine))).status).toBe(404);
  });

  it('ends all others, whatever opened them', async () => {
    const others = [await signIn(), await signInByProvider(tenant)];
    const mine = await signIn();
    const stranger = await signIn((await createTenant()).key);
    expect((await call('DELETE', PATH, as(mine))).status).toBe(204);
    expect([await status(mine), await status(stranger)]).toEqual([200, 200]);
    for (const other of others) expect(await status(other)).toBe(401);
  });

  it('is not possible for sessions of other users, or from another site', async () => {
    const other = await createTenant();
    const cookie = await signIn(other.key);
    const [{ id }] = (await list({ key: other.key })) as [OwnSession];
    expect((await call('DELETE', `${PATH}/${id}`, { key: tenant.key })).status).toBe(404);
    const foreign = { key: null, headers: { cookie, origin: 'https://evil.test' } };
    expect((await call('DELETE', `${PATH}/${id}`, foreign)).status).toBe(403);
    expect((await call('DELETE', PATH, foreign)).status).toBe(403);
    expect(await status(cookie)).toBe(200);
  });
});

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const ANDROID = 'Mozilla/5.0 (Linux; Android 15; SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko)';

it.each([
  [FIREFOX, 'Firefox on Linux'],
  [`${CHROME} Safari/537.36`, 'Chrome on Windows'],
  [`${CHROME} Safari/537.36 Edg/140.0`, 'Edge on Windows'],
  [`${CHROME} Safari/537.36 OPR/120.0`, 'Opera on Windows'],
  [`${IPHONE} Version/18.5 Mobile/15E148 Safari/604.1`, 'Safari on iOS'],
  [`${IPHONE} CriOS/140.0 Mobile/15E148 Safari/604.1`, 'Chrome on iOS'],
  [`${MAC} Version/18.5 Safari/605.1.15`, 'Safari on macOS'],
  [`${ANDROID} SamsungBrowser/28.0 Chrome/130.0 Mobile Safari/537.36`, 'Samsung Internet on Android'],
  ['Firefox/1', 'Firefox'],
  ['curl/8.5.0', null],
  ['', null],
  [null, null],
])('describes the browser %j as %j', (userAgent, description) => {
  expect(describeBrowser(userAgent)).toBe(description);
});
