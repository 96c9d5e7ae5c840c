import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Service } from '../../test/process/service.ts';
import { launch, signIn, type Visit, visit } from './support/browser.ts';
import { deleteAll } from './support/papers.ts';

const service = new Service();
let browser: Browser;
let visitor: Visit;

beforeAll(async () => {
  await service.start();
  browser = await launch();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await service.end();
});
beforeEach(async () => {
  visitor = await visit(browser, service);
});
afterEach(() => visitor.end());

const button = (name: string | RegExp) => visitor.page.getByRole('button', { name });
const field = (name: string) => visitor.page.getByLabel(name, { exact: true });
const dialog = () => visitor.page.getByRole('dialog');
const row = (text: string) => visitor.page.getByRole('row').filter({ hasText: text });

async function choose(text: string, action: string): Promise<void> {
  await row(text)
    .getByRole('button', { name: /^Actions for/ })
    .click();
  await visitor.page.getByRole('menuitem', { name: action }).click();
}

describe('API keys', () => {
  it('shows a new key once and revokes it immediately', async () => {
    const name = `night worker ${crypto.randomUUID()}`;
    await visitor.open('/keys');
    await button('New key').click();
    await visitor.expectAccessible();
    await field('Name').fill(name);
    await button('Create key').click();
    const key = (await dialog().locator('code').textContent())!;
    await visitor.expectAccessible();
    expect((await service.fetch('GET', '/api/v1/session', undefined, undefined, key)).status).toBe(200);
    await dialog().getByRole('button', { name: 'Done' }).click();
    await row(name).waitFor();
    expect(await visitor.page.content()).not.toContain(key);
    await visitor.expectAccessible();

    await choose(name, 'Revoke');
    await dialog().getByRole('button', { name: 'Revoke' }).click();
    await expect.poll(() => row(name).count()).toBe(0);
    expect((await service.fetch('GET', '/api/v1/session', undefined, undefined, key)).status).toBe(401);
  });

  it('shows the sessions of the user, and ends one and all others', async () => {
    const others: Visit[] = [];
    for (let each = 0; each < 3; each += 1) others.push(await visit(browser, service));
    await visitor.open('/keys');
    const sessions = visitor.page.getByRole('region', { name: 'Your sessions', exact: true });
    await sessions.getByText('This session').waitFor();
    // The newest session is first. It is the one of the last browser.
    const ends = sessions.getByRole('button', { name: /^Sign out/ });
    await expect.poll(() => ends.count()).toBeGreaterThanOrEqual(3);
    const before = await ends.count();
    const statuses = () =>
      Promise.all(others.map(async ({ context }) => (await context.request.get('/api/v1/session')).status()));
    await visitor.expectAccessible();
    await ends.first().click();
    await visitor.expectAccessible();
    await dialog().getByRole('button', { name: 'Sign out' }).click();
    await expect.poll(() => ends.count()).toBe(before - 1);
    expect(await statuses()).toEqual([200, 200, 401]);
    await button('Sign out all others').click();
    await dialog().getByRole('button', { name: 'Sign out' }).click();
    await expect.poll(() => ends.count()).toBe(0);
    expect(await statuses()).toEqual([401, 401, 401]);
    for (const { context } of others) await context.close();
  });

  it('asks for a key again after the current one was revoked, and keeps typed text', async () => {
    const made = await service.call<{ id: string; redacted_api_key: string }>('POST', '/api/v1/api-keys', {
      name: 'soon gone',
    });
    await visitor.context.clearCookies();
    await signIn(visitor.context, service, made.redacted_api_key);
    visitor.expectErrors('401');
    await visitor.open('/keys');
    await button('New key').click();
    await field('Name').fill('typed before');
    await service.call('DELETE', `/api/v1/api-keys/${made.id}`);
    await button('Create key').click();
    const asked = visitor.page.getByRole('dialog', { name: 'Your session has ended' });
    await asked.getByLabel('API key').fill(service.key);
    await visitor.expectAccessible();
    await asked.getByRole('button', { name: 'Sign in' }).click();
    await expect.poll(() => asked.count()).toBe(0);
    expect(await field('Name').inputValue()).toBe('typed before');
    await button('Create key').click();
    await dialog().locator('code').waitFor();
  });
});

describe('team and projects', () => {
  it('adds a member, makes the member an admin and removes the member', async () => {
    await visitor.open('/team');
    await row('You').waitFor();
    await visitor.expectAccessible();
    await button('Add a member').click();
    await field('Name').fill('Ada Brandt');
    await visitor.page.getByLabel('Email').fill('no address');
    visitor.expectErrors('422');
    await dialog().getByRole('button', { name: 'Add', exact: true }).click();
    await expect.poll(() => visitor.page.getByLabel('Email').getAttribute('aria-invalid')).toBe('true');
    const email = `ada-${crypto.randomUUID()}@example.org`;
    await visitor.page.getByLabel('Email').fill(email);
    await dialog().getByRole('button', { name: 'Add', exact: true }).click();
    await row(email).waitFor();
    await choose(email, 'Make admin');
    await row(email).filter({ hasText: 'Admin' }).waitFor();
    await choose(email, 'Remove');
    await dialog().getByRole('button', { name: 'Remove' }).click();
    await expect.poll(() => row(email).count()).toBe(0);
  });

  it('switches every page to the selected project, and deletes a project after its name is typed', async () => {
    const name = `In the default one ${crypto.randomUUID()}`;
    await service.call('POST', '/api/v1/pipelines', { name });
    const project = `Archive ${crypto.randomUUID()}`;
    await visitor.open('/projects');
    await button('New project').click();
    await field('Name').fill(project);
    await button('Create project').click();
    await row(project).waitFor();
    await visitor.expectAccessible();
    await visitor.page.getByLabel('Project', { exact: true }).selectOption({ label: project });
    await visitor.page.getByRole('heading', { name: 'Indexes', level: 1 }).waitFor();
    await visitor.page.getByText('Create your first index').waitFor();
    expect(await visitor.page.getByText(name).count()).toBe(0);
    await visitor.page.getByRole('link', { name: 'Projects' }).click();
    await choose(project, 'Delete');
    const confirm = dialog().getByRole('button', { name: 'Delete' });
    expect(await confirm.isDisabled()).toBe(true);
    await dialog().getByRole('textbox').fill(project);
    await visitor.expectAccessible();
    await confirm.click();
    await expect.poll(() => row(project).count()).toBe(0);
  });
});

describe('webhooks', () => {
  it('creates an endpoint, shows the result of a test and sends it again', async () => {
    await deleteAll(service, '/api/v1/beta/webhook-configs');
    await visitor.open('/webhooks');
    await visitor.page.getByText('No endpoints yet').waitFor();
    await visitor.expectAccessible();
    await button('New endpoint').first().click();
    // A host name without a dot is accepted as a URL and rejected when it is called.
    await field('URL').fill('http://nobody-listens-here/hook');
    await visitor.page.getByLabel('Signing secret').fill('a secret of at least so many letters');
    await visitor.expectAccessible();
    await button('Create endpoint').click();
    await row('nobody-listens-here').filter({ hasText: 'Signed' }).first().waitFor();
    await choose('nobody-listens-here', 'Send a test event');
    await visitor.page.getByRole('dialog', { name: 'Delivery' }).waitFor();
    await visitor.expectAccessible();
    expect(new URL(visitor.page.url()).searchParams.get('delivery')).toBeTruthy();
    await button('Send again').click();
    await expect.poll(() => button('Send again').isEnabled()).toBe(true);
    await visitor.page.keyboard.press('Escape');
    await choose('nobody-listens-here', 'Delete');
    await dialog().getByRole('button', { name: 'Delete' }).click();
    await visitor.page.getByText('No endpoints yet').waitFor();
  });
});

describe('connections', () => {
  it('builds a form from the API schema, tests the connection and keeps an unchanged secret', async () => {
    await deleteAll(service, '/api/v1/data-sources');
    await visitor.open('/connections');
    await visitor.page.getByText('No data source yet').waitFor();
    await visitor.expectAccessible();
    await button('New data source').first().click();
    await field('Name').fill('Harbour bucket');
    await field('Type').selectOption('SOURCE_9_BUCKET');
    await field('Bucket').fill('documents');
    const secret = visitor.page.getByLabel(/secret/i).first();
    await secret.fill('a very secret access key');
    await visitor.expectAccessible();
    await button('Create').click();
    await row('Harbour bucket').waitFor();

    await choose('Harbour bucket', 'Edit');
    const again = visitor.page.getByLabel(/secret/i).first();
    expect(await again.inputValue()).toBe('');
    expect(await again.getAttribute('placeholder')).toContain('Unchanged');
    await field('Name').fill('Harbour bucket two');
    await button('Save').click();
    await row('Harbour bucket two').waitFor();
    const [kept] = await service.call<{ component: Record<string, string> }[]>('GET', '/api/v1/data-sources');
    expect(JSON.stringify(kept!.component)).toContain('*');

    await choose('Harbour bucket two', 'Delete');
    await dialog().getByRole('button', { name: 'Delete' }).click();
    await visitor.page.getByText('No data source yet').waitFor();
  });

  it('shows errors at the invalid field', async () => {
    visitor.expectErrors('422');
    // The types of vector stores arrive after the dialog was opened.
    const isOpen = Promise.withResolvers<void>();
    await visitor.page.route(/\/api\/v1\/capabilities/, async (route) => {
      await isOpen.promise;
      await route.continue();
    });
    await visitor.open('/connections?of=sinks');
    await button('New vector store').first().click();
    await field('Name').fill('Store');
    expect(await button('Create').isDisabled()).toBe(true);
    isOpen.resolve();
    await button('Create').click();
    await expect.poll(() => dialog().locator('[aria-invalid=true]').count()).toBeGreaterThan(0);
    await visitor.page.getByRole('tab', { name: 'Embedding models' }).isVisible();
  });
});

it('shows the checks of an unhealthy service', async () => {
  visitor.expectErrors('503');
  const isHealthy = { now: false };
  await visitor.page.route('**/health', async (route) => {
    const response = await route.fetch();
    if (isHealthy.now) return route.fulfill({ response });
    const { checks } = (await response.json()) as { checks: Record<string, unknown> };
    const json = {
      status: 'unhealthy',
      checks: { ...checks, models: { ok: false, error: 'No such model' } },
    };
    await route.fulfill({ status: 503, json });
  });
  await visitor.open('/about');
  await visitor.page.getByText('The service is unhealthy').waitFor();
  await visitor.page.getByText('No such model').waitFor();
  await visitor.page.getByText('PARSER', { exact: true }).waitFor();
  await visitor.expectAccessible();
  isHealthy.now = true;
  await visitor.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
  await visitor.page.getByText('The service is unhealthy').waitFor({ state: 'detached' });
});

for (const colorScheme of ['light', 'dark'] as const) {
  it(`is accessible in ${colorScheme} mode`, async () => {
    const other = await visit(browser, service, { colorScheme, viewport: { width: 320, height: 700 } });
    for (const path of ['/usage', '/about', '/keys', '/team', '/projects', '/webhooks', '/connections']) {
      await other.open(path);
      await other.page.locator('h1').waitFor();
      await expect.poll(() => other.page.getByText(/^Loading/).count()).toBe(0);
      await other.expectAccessible();
      const overflow = await other.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(overflow, `${path} is wider than the window`).toBeLessThanOrEqual(0);
    }
    await other.end();
  });
}
