import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { Service } from '../../test/process/service.ts';
import { launch, signIn, type Visit, visit } from './support/browser.ts';
import { eventually } from './support/papers.ts';

interface Session {
  organization: { id: string };
  user: { id: string; name: string };
}

const service = new Service();
let browser: Browser;
let visitor: Visit;
let page: Page;
let organization: string;

beforeAll(async () => {
  await service.start();
  browser = await launch();
  organization = (await service.call<Session>('GET', '/api/v1/session')).organization.id;
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await service.end();
});
beforeEach(async () => {
  visitor = await visit(browser, service, { signedIn: false });
  page = visitor.page;
});
afterEach(() => visitor.end());

const ACCEPT = '**/api/v1/invitations/accept';

it('asks for the link of an invitation again after a reload, and explains a failure', async () => {
  // The session is requested before the page knows that it needs none.
  visitor.expectErrors('503', '401');
  const { url } = await service.call<{ url: string }>(
    'POST',
    `/api/v1/organizations/${organization}/invitations`,
    { role: 'member' },
  );
  const link = new URL(url);
  await page.goto(link.pathname + link.hash);
  await page.getByRole('heading', { name: 'You are invited' }).waitFor();
  await page.reload();
  await page.getByText('Open the link of your invitation again.').waitFor();
  expect(await page.getByRole('button', { name: 'Join' }).count()).toBe(0);
  await visitor.expectAccessible();

  await page.goto('about:blank');
  await page.goto(link.pathname + link.hash);
  const name = page.getByLabel('Your name');
  await page.getByRole('button', { name: 'Join' }).click();
  await page.getByText('Enter your name.').waitFor();
  await name.fill('Ada Brandt');
  const held = Promise.withResolvers<void>();
  await page.route(
    ACCEPT,
    async (route) => {
      await held.promise;
      await route.fulfill({ status: 503, json: { detail: 'The service is busy.' } });
    },
    { times: 1 },
  );
  await page.getByRole('button', { name: 'Join' }).click();
  await eventually(() => page.getByText('Enter your name.').count()).toBe(0);
  held.resolve();
  await page.getByText('The service is busy.', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Join' }).click();
  await page.getByRole('heading', { name: 'Welcome' }).waitFor();
});

it('names the users of the audit log only when the members are known, and waits for a pause in typing', async () => {
  visitor.expectErrors('503');
  await signIn(visitor.context, service);
  await service.call('POST', '/api/v1/pipelines', { name: `Audited ${crypto.randomUUID()}` });
  const { user } = await service.call<Session>('GET', '/api/v1/session');
  let isDown = true;
  await page.route(`**/api/v1/organizations/${organization}/users*`, (route) =>
    isDown ? route.fulfill({ status: 503, json: { detail: 'Busy.' } }) : route.continue(),
  );
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.endsWith('/audit-log')) asked.push(searchParams.get('operation') ?? '');
  });
  await visitor.open('/audit-log');
  const rows = page.getByRole('region', { name: 'Audit log' }).getByRole('row');
  await rows.filter({ hasText: 'createPipeline' }).first().waitFor();
  await rows.getByText(user.id, { exact: true }).first().waitFor();
  expect(await rows.getByText('Former member').count()).toBe(0);
  asked.length = 0;
  const typed = 'createPipeline';
  await page.getByLabel('Operation').pressSequentially(typed);
  await eventually(() => asked.at(-1)).toBe(typed);
  expect(asked.length).toBeLessThan(typed.length);
  isDown = false;
  await page.reload();
  await rows.filter({ hasText: 'createPipeline' }).getByText(user.name, { exact: true }).first().waitFor();
});

it('offers an admin with the key of a project nothing that needs the whole organization', async () => {
  const { id } = await service.call<{ id: string }>('POST', '/api/v1/projects', {
    name: `Project ${crypto.randomUUID()}`,
  });
  const { redacted_api_key: key } = await service.call<{ redacted_api_key: string }>(
    'POST',
    '/api/v1/api-keys',
    { project_id: id },
  );
  await signIn(visitor.context, service, key);
  await visitor.open('/team');
  await page.getByRole('region', { name: 'Members' }).waitFor();
  expect(await page.getByRole('button', { name: /Add a member|Invite by link|Actions for/ }).count()).toBe(0);
  expect(await page.getByRole('link', { name: 'Audit log' }).count()).toBe(0);
  await page.keyboard.press('Control+k');
  await page.getByRole('option', { name: 'Team', exact: true }).waitFor();
  expect(await page.getByRole('option', { name: 'Audit log' }).count()).toBe(0);
});
