import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { apiKey, type ServiceClient } from '../../test/process/service.ts';
import { SharedService } from '../../test/process/shared-client.ts';
import { launch, signIn, type Visit, visit } from './support/browser.ts';
import { eventually, newIndex } from './support/papers.ts';

const service = new SharedService();
/** Same service with the key of an admin of the whole organization. */
let admin: ServiceClient;
let browser: Browser;
let visitor: Visit;
let page: Page;

beforeAll(async () => {
  await service.start();
  admin = Object.assign(new SharedService(), { base: service.base, key: apiKey() });
  browser = await launch();
}, 120_000);
afterAll(async () => {
  await browser?.close();
});
beforeEach(async () => {
  visitor = await visit(browser, service, { signedIn: false });
  page = visitor.page;
});
afterEach(() => visitor.end());

const row = (text: string) => page.getByRole('row').filter({ hasText: text });

async function choose(menu: string, action: string): Promise<void> {
  await page.getByRole('button', { name: menu, exact: true }).click();
  await page.getByRole('menuitem', { name: action, exact: true }).click();
}

async function rename(name: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByRole('button', { name: 'Rename', exact: true }).click();
}

/** Lets the service refuse the next change of these paths. */
const refuseOnce = (path: RegExp) =>
  page.route(
    path,
    (route) =>
      route.request().method() === 'PUT'
        ? route.fulfill({ status: 503, json: { detail: 'The store is away.' } })
        : route.fallback(),
    { times: 1 },
  );

it('renames a project, and puts the name back if the service refuses', async () => {
  await signIn(visitor.context, service, admin.key);
  const name = `Harbour ${crypto.randomUUID()}`;
  const { id } = await admin.call<{ id: string }>('POST', '/api/v1/projects', { name });
  await visitor.open('/projects');
  await choose(`Actions for ${name}`, 'Rename');
  await rename(`${name} II`);
  await row(`${name} II`).waitFor();
  const readName = async () => (await admin.call<{ name: string }>('GET', `/api/v1/projects/${id}`)).name;
  await eventually(readName).toBe(`${name} II`);
  visitor.expectErrors('503');
  await refuseOnce(/\/api\/v1\/projects\//);
  await choose(`Actions for ${name} II`, 'Rename');
  await rename(`${name} III`);
  await page.getByText('The project could not be renamed').first().waitFor();
  await row(`${name} II`).waitFor();
  expect(await row(`${name} III`).count()).toBe(0);
  expect(await readName()).toBe(`${name} II`);
  await admin.call('DELETE', `/api/v1/projects/${id}`);
});

it('changes the role of a member', async () => {
  await signIn(visitor.context, service, admin.key);
  const session = await admin.call<{ organization: { id: string } }>('GET', '/api/v1/session');
  const users = `/api/v1/organizations/${session.organization.id}/users`;
  const name = `Ada ${crypto.randomUUID()}`;
  const { user_id } = await admin.call<{ user_id: string }>('POST', users, { name, role: 'member' });
  await visitor.open('/team');
  await choose(`Actions for ${name}`, 'Make viewer');
  await row(name).getByText('Viewer', { exact: true }).waitFor();
  const readRole = async () =>
    (await admin.call<{ user_id: string; role: string }[]>('GET', users)).find(
      (member) => member.user_id === user_id,
    )?.role;
  await eventually(readRole).toBe('viewer');
  await page.reload();
  await row(name).getByText('Viewer', { exact: true }).waitFor();
  await admin.call('DELETE', `${users}/${user_id}`);
});

it('renames a conversation', async () => {
  await signIn(visitor.context, service);
  const index = await newIndex(service, `Talks ${crypto.randomUUID()}`);
  const path = `/api/v1/pipelines/${index}/chat-sessions`;
  await service.call('POST', path, {});
  await visitor.open(`/indexes/${index}/chat`);
  await choose('Actions: New conversation', 'Rename');
  await rename('Tides of May');
  const conversations = page.getByRole('navigation', { name: 'Conversations' });
  await conversations.getByText('Tides of May').waitFor();
  const readNames = async () =>
    (await service.call<{ sessions: { name: string }[] }>('GET', path)).sessions.map((each) => each.name);
  await eventually(readNames).toEqual(['Tides of May']);
  await page.reload();
  await conversations.getByText('Tides of May').waitFor();
});

it('changes the sync interval of a source, and puts it back if the service refuses', async () => {
  await signIn(visitor.context, service);
  const index = await newIndex(service, `Reader ${crypto.randomUUID()}`);
  const source = await service.call<{ id: string }>('POST', '/api/v1/data-sources', {
    name: 'Papers',
    source_type: 'SOURCE_9_BUCKET',
    component: {
      bucket: 'papers',
      cloud_access_id: 'nobody',
      cloud_access_secret: 'nothing',
      bucket_endpoint_url: 'http://127.0.0.1:9',
    },
  });
  const path = `/api/v1/pipelines/${index}/data-sources`;
  await service.call('PUT', path, [{ data_source_id: source.id, sync_interval: 86_400 }]);
  await visitor.open(`/indexes/${index}/sources`);
  const interval = page.getByLabel('Sync interval of Papers');
  expect(await interval.inputValue()).toBe('86400');
  await interval.selectOption({ label: 'Every 6 hours' });
  const readInterval = async () =>
    (await service.call<{ sync_interval: number | null }[]>('GET', path))[0]?.sync_interval;
  await eventually(readInterval).toBe(6 * 3_600);
  visitor.expectErrors('503');
  await refuseOnce(/\/data-sources\//);
  await interval.selectOption({ label: 'Manual only' });
  await page.getByRole('alert').getByText('The store is away.').waitFor();
  await eventually(() => interval.inputValue()).toBe(String(6 * 3_600));
  expect(await readInterval()).toBe(6 * 3_600);
});
