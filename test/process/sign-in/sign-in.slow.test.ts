import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Service } from '../service.ts';
import { Browser } from './browser.ts';
import { LyingProvider } from './lying-provider.ts';
import { CLIENT, RealProvider } from './real-provider.ts';

const real = new RealProvider();
const lying = new LyingProvider();
let service: Service;
let organizationId: string;
const begun = Date.now();

const SHARED = { email_domains: ['example.com'], role_claim: 'groups', roles: { admin: ['sluice-admins'] } };

beforeAll(async () => {
  await Promise.all([real.listen(), lying.listen()]);
  const trusted = {
    ...SHARED,
    name: 'Real',
    issuer: real.issuer,
    client_id: CLIENT.id,
    client_secret: CLIENT.secret,
  };
  service = new Service({
    ALLOW_PRIVATE_ADDRESSES: 'true',
    RATE_LIMIT_SIGN_INS: '0',
    OIDC_PROVIDERS: JSON.stringify({
      real: { ...trusted, role: 'viewer' },
      lying: {
        name: 'Lying',
        issuer: lying.issuer,
        client_id: 'sluice',
        create: 'members',
        email_domains: ['*'],
      },
    }),
  });
  await service.start();
  real.register(`${service.base}/sign-in/real/callback`);
  organizationId = (await service.call<{ organization: { id: string } }>('GET', '/api/v1/session'))
    .organization.id;
});
afterAll(async () => {
  real.close();
  lying.close();
  await service?.end();
});

const isCallback = (address: string) => new URL(address).pathname.endsWith('/callback');

/** Signs in up to the callback, which is not opened yet. */
const goToCallback = (browser: Browser, provider: string, query = '') =>
  browser.follow(`${service.base}/sign-in/${provider}${query}`, isCallback);

/** Opens a callback. Returns where it leads to and the new session cookie. */
async function open(browser: Browser, callback: string) {
  // The provider leads the browser to the callback, so that it comes from another site.
  const response = await browser.get(callback, real.issuer);
  const location = response.headers.get('location');
  return { status: response.status, location, session: browser.getCookie(service.base, 'session') };
}

async function signIn(provider: string, query = '', browser = new Browser()) {
  return open(browser, await goToCallback(browser, provider, query));
}

const readSession = (cookie: string) =>
  fetch(`${service.base}/api/v1/session`, { headers: { cookie: `session=${cookie}` } });

const invite = (email: string, role = 'member') =>
  service.call('POST', `/api/v1/organizations/${organizationId}/invitations`, { email, role });

describe('sign-in with a real provider', () => {
  it('lets an invited address in, and knows the account again when its address has changed', async () => {
    await invite('ada@example.com');
    real.account = { sub: 'ada', email: 'Ada@example.com', email_verified: true, name: 'Ada' };
    const first = await signIn('real', '?return_to=%2Fconsole%2Ffiles%3Fq%3D1');
    expect(first).toMatchObject({ status: 303, location: '/console/files?q=1' });
    const session = (await (await readSession(first.session!)).json()) as { user: { id: string } };
    expect(session).toMatchObject({
      user: { name: 'Ada', email: 'ada@example.com' },
      key: null,
      role: 'viewer',
    });
    real.account = { ...real.account, email: 'ada.new@example.com', groups: ['sluice-admins'] };
    const second = await signIn('real');
    const again = (await (await readSession(second.session!)).json()) as { user: { id: string } };
    expect(again).toMatchObject({ user: { id: session.user.id }, role: 'admin' });
  });

  it('refuses an account that is not invited, not verified, or of another domain', async () => {
    const account = { sub: 'eve', email: 'eve@example.com', email_verified: true };
    const cases: [Record<string, unknown>, string][] = [
      [account, 'not_invited'],
      [{ ...account, email_verified: false }, 'email_not_verified'],
      [{ ...account, email_verified: 'true' }, 'email_not_verified'],
      [{ sub: 'eve' }, 'email_not_verified'],
      [{ ...account, email: 'eve@other.com' }, 'domain_not_allowed'],
      [{ ...account, email: 'eve@example.com@other.com' }, 'domain_not_allowed'],
    ];
    for (const [index, [claims, reason]] of cases.entries()) {
      real.account = { ...claims, sub: `eve${index}` };
      const answer = await signIn('real');
      expect([answer.location, answer.session]).toEqual([`/console/?sign_in=${reason}`, undefined]);
    }
  });

  it('does not give the member of an address to a second account with this address', async () => {
    await invite('bob@example.com');
    real.account = { sub: 'bob', email: 'bob@example.com', email_verified: true };
    expect((await signIn('real')).location).toBe('/console/');
    real.account = { sub: 'another bob', email: 'bob@example.com', email_verified: true };
    expect((await signIn('real')).location).toBe('/console/?sign_in=account_conflict');
  });

  it('refuses a callback without its cookie, with that of another attempt, and a second time', async () => {
    await invite('carol@example.com');
    real.account = { sub: 'carol', email: 'carol@example.com', email_verified: true };
    const [victim, attacker] = [new Browser(), new Browser()];
    const callback = await goToCallback(attacker, 'real');
    expect((await open(new Browser(), callback)).location).toBe('/console/?sign_in=expired');
    await victim.get(`${service.base}/sign-in/real`);
    expect((await open(victim, callback)).location).toBe('/console/?sign_in=failed');
    expect(victim.getCookie(service.base, 'session')).toBeUndefined();

    const cookie = attacker.getCookie(service.base, 'sign_in')!;
    expect((await open(attacker, callback)).location).toBe('/console/');
    expect(attacker.getCookie(service.base, 'sign_in')).toBeUndefined();
    const replaying = new Browser();
    replaying.setCookie(service.base, 'sign_in', cookie);
    expect((await open(replaying, callback)).location).toBe('/console/?sign_in=failed');
    const forged = new Browser();
    forged.setCookie(service.base, 'sign_in', `${cookie.slice(0, -2)}AA`);
    expect((await open(forged, callback)).location).toBe('/console/?sign_in=expired');
  });

  it('leads nowhere else, and replaces the session that the browser had', async () => {
    await invite('dan@example.com');
    real.account = { sub: 'dan', email: 'dan@example.com', email_verified: true };
    const places = [
      ...['https://evil.example', '//evil.example/console/', '/\\evil.example', '/console/../api/v1/session'],
      ...['/consolex', 'console/', 'javascript:alert(1)', '/console/\n//evil.example'],
    ];
    for (const place of places) {
      const { location } = await signIn('real', `?return_to=${encodeURIComponent(place)}`);
      expect(new URL(location!, service.base).href).toMatch(new RegExp(`^${service.base}/console/`));
    }
    const browser = new Browser();
    const former = (await signIn('real', '', browser)).session!;
    const next = (await signIn('real', '', browser)).session!;
    expect(next).not.toBe(former);
    expect([(await readSession(former)).status, (await readSession(next)).status]).toEqual([401, 200]);
  });

  it('ends the session with the membership and on sign-out, and records every attempt', async () => {
    await invite('finn@example.com');
    real.account = { sub: 'finn', email: 'finn@example.com', email_verified: true };
    const cookies = [(await signIn('real')).session!, (await signIn('real')).session!];
    const headers = { cookie: `session=${cookies[0]}`, origin: service.base };
    await fetch(`${service.base}/api/v1/session`, { method: 'DELETE', headers });
    expect((await readSession(cookies[0]!)).status).toBe(401);
    const { user } = (await (await readSession(cookies[1]!)).json()) as { user: { id: string } };
    await service.call('DELETE', `/api/v1/organizations/${organizationId}/users/${user.id}`);
    expect((await readSession(cookies[1]!)).status).toBe(401);
    expect((await signIn('real')).location).toBe('/console/?sign_in=not_invited');
    const log = `/api/v1/organizations/${organizationId}/audit-log?object_id=real`;
    type Events = { items: { outcome: string; user_id: string | null }[] };
    const { items } = await service.call<Events>('GET', `${log}&outcome=success&page_size=2`);
    // The user was removed, so the events no longer name anyone.
    expect(items.map(({ user_id }) => user_id)).toEqual([null, null]);
    // One event stands for all failures of a minute.
    const failures = (await service.call<Events>('GET', `${log}&outcome=failure&page_size=1000`)).items
      .length;
    const minutes = Math.floor(Date.now() / 60_000) - Math.floor(begun / 60_000) + 1;
    expect(failures).toBeGreaterThan(0);
    expect(failures).toBeLessThanOrEqual(minutes);
    // The invitation gives the role member, and the claims the role viewer.
    const added = `/api/v1/organizations/${organizationId}/audit-log?object_id=${user.id}`;
    const changes = (await service.call<{ items: { operation: string }[] }>('GET', added)).items;
    expect(changes.map(({ operation }) => operation)).toEqual([
      'removeMember',
      'changeMemberRole',
      'addMember',
    ]);
  });
});

describe('sign-in with a provider that lies', () => {
  beforeEach(() => {
    lying.usesForeignKey = false;
    lying.change = (claims) => claims;
  });

  it('accepts the token that is right', async () => {
    expect((await signIn('lying')).location).toBe('/console/');
  });

  const now = () => Math.floor(Date.now() / 1000);
  it.each([
    ['another nonce', { nonce: 'another' }],
    ['no nonce', { nonce: undefined }],
    ['another audience', { aud: 'another' }],
    ['another issuer', { iss: 'http://127.0.0.1:1' }],
    ['an expired token', { exp: now() - 3600 }],
    ['a token of yesterday', { iat: now() - 86_400, exp: now() + 3600 }],
    ['a token of tomorrow', { iat: now() + 86_400, exp: now() + 90_000 }],
    ['no subject', { sub: undefined }],
  ])('refuses %s', async (_, changes) => {
    lying.change = (claims) => ({ ...claims, ...changes });
    expect(await signIn('lying')).toMatchObject({ location: '/console/?sign_in=failed', session: undefined });
  });

  it('refuses an answer with another state, although the token is right', async () => {
    const browser = new Browser();
    const callback = new URL(await goToCallback(browser, 'lying'));
    callback.searchParams.set('state', 'another state');
    expect(await open(browser, callback.href)).toMatchObject({
      location: '/console/?sign_in=failed',
      session: undefined,
    });
  });

  it('refuses a token that another key signed', async () => {
    lying.usesForeignKey = true;
    expect(await signIn('lying')).toMatchObject({ location: '/console/?sign_in=failed', session: undefined });
  });

  it('refuses an account of one provider at another one with the same subject', async () => {
    real.account = { sub: 'mallory', email: 'mallory@other.com', email_verified: true };
    expect((await signIn('real')).location).toBe('/console/?sign_in=domain_not_allowed');
  });
});
