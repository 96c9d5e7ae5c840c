import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { Service } from '../../test/process/service.ts';
import { CLIENT, RealProvider } from '../../test/process/sign-in/real-provider.ts';
import { launch, type Visit, visit } from './support/browser.ts';

const provider = new RealProvider();
let service: Service;
let browser: Browser;
let visitor: Visit;

beforeAll(async () => {
  await provider.listen();
  service = new Service({
    ALLOW_PRIVATE_ADDRESSES: 'true',
    RATE_LIMIT_SIGN_INS: '0',
    OIDC_PROVIDERS: JSON.stringify({
      harbour: {
        name: 'Harbour directory',
        issuer: provider.issuer,
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        email_domains: ['example.com'],
        role: 'member',
      },
    }),
  });
  await service.start();
  provider.register(`${service.base}/sign-in/harbour/callback`);
  browser = await launch();
}, 240_000);
afterAll(async () => {
  await browser?.close();
  provider.close();
  await service?.end();
});
beforeEach(async () => {
  visitor = await visit(browser, service, { signedIn: false, otherOrigins: [provider.issuer] });
  visitor.expectErrors('401');
});
afterEach(() => visitor.end());

/**
 * Returns the cookies that the service has set. The provider has the same host, and browsers share cookies
 * between the ports of a host. The names of the provider's cookies begin with an underscore.
 */
const readCookies = async () =>
  (await visitor.context.cookies(service.base)).filter(({ name }) => !name.startsWith('_'));

const signInLink = () => visitor.page.getByRole('link', { name: 'Sign in with Harbour directory' });

it('signs in with an identity provider and leads to the requested page', async () => {
  const { organization } = await service.call<{ organization: { id: string } }>('GET', '/api/v1/session');
  const invitations = `/api/v1/organizations/${organization.id}/invitations`;
  // Each attempt has an account of its own. The role of its invitation goes before that of the provider.
  const sub = crypto.randomUUID();
  const email = `${sub}@example.com`;
  await service.call('POST', invitations, { email, role: 'viewer' });
  provider.account = { sub, email, email_verified: true, name: 'Ada Brandt' };
  await visitor.open('/files?q=quay&sort=name');
  await signInLink().waitFor();
  await visitor.expectAccessible();
  await signInLink().click();
  await visitor.page.getByRole('heading', { level: 1, name: 'Files' }).waitFor();
  expect(visitor.page.url()).toBe(`${service.base}/console/files?q=quay&sort=name`);
  await visitor.page.getByText('Ada Brandt (viewer)').waitFor();
  const cookies = await readCookies();
  expect(cookies.map(({ name }) => name)).toEqual(['session']);
  expect(cookies[0]).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
  await visitor.page.reload();
  await visitor.page.getByRole('heading', { level: 1, name: 'Files' }).waitFor();
  await visitor.page.getByRole('button', { name: 'Sign out' }).click();
  await signInLink().waitFor();
});

it('lets a member without a key sign in again in a new tab when the session ends', async () => {
  const { organization } = await service.call<{ organization: { id: string } }>('GET', '/api/v1/session');
  const email = `${crypto.randomUUID()}@example.com`;
  await service.call('POST', `/api/v1/organizations/${organization.id}/invitations`, {
    email,
    role: 'member',
  });
  await service.upload('quay.txt', 'The quay is open.');
  provider.account = { sub: email, email, email_verified: true, name: 'Jon Vik' };
  await visitor.open('/files');
  await signInLink().click();
  // Without the list, the dialog would open before the search is typed, and would take the focus.
  await visitor.page.getByRole('row').filter({ hasText: 'quay.txt' }).waitFor();
  await visitor.context.clearCookies();
  const search = visitor.page.getByRole('searchbox');
  await search.fill('quay');
  const dialog = visitor.page.getByRole('dialog', { name: 'Your session has ended' });
  const link = dialog.getByRole('link', { name: /^Sign in with Harbour directory/ });
  await link.waitFor();
  await visitor.expectAccessible();
  // Without a session, the dialog stays.
  const refused = visitor.page.waitForResponse('**/api/v1/session');
  await visitor.page.evaluate(() => dispatchEvent(new Event('focus')));
  expect((await refused).status()).toBe(401);
  expect(await dialog.count()).toBe(1);
  const opening = visitor.context.waitForEvent('page');
  await link.click();
  const tab = await opening;
  await tab.getByRole('heading', { level: 1, name: 'Files' }).waitFor();
  await tab.close();
  // A browser without windows gives no tab the focus.
  await visitor.page.evaluate(() => dispatchEvent(new Event('focus')));
  await dialog.waitFor({ state: 'detached' });
  expect(await search.inputValue()).toBe('quay');
});

it('explains a refusal although the list of identity providers cannot be read', async () => {
  visitor.expectErrors('503');
  await visitor.page.route('**/api/v1/session/providers*', (route) =>
    route.fulfill({ status: 503, json: { detail: 'Busy.' } }),
  );
  await visitor.open('/indexes?sign_in=not_invited');
  await visitor.page.getByRole('alert').getByText('Ask an admin for an invitation.').waitFor();
  expect(await signInLink().count()).toBe(0);
  await visitor.expectAccessible();
});

it('explains why an account may not sign in, and offers to try again', async () => {
  provider.account = { sub: 'eve', email: 'eve@example.com', email_verified: true };
  await visitor.open('/indexes');
  await signInLink().click();
  await visitor.page.getByRole('alert').getByText('Ask an admin for an invitation.').waitFor();
  await visitor.expectAccessible();
  expect(await readCookies()).toEqual([]);
  // The next attempt does not carry the reason of this one.
  expect(await signInLink().getAttribute('href')).not.toContain('sign_in%3D');
  await visitor.page.getByLabel('API key').fill(service.key);
  await visitor.page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await visitor.page.getByRole('heading', { level: 1, name: 'Indexes' }).waitFor();
});
