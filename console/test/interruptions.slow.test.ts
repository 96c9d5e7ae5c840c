import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { SharedService } from '../../test/process/shared-client.ts';
import { launch, type Visit, visit } from './support/browser.ts';
import { eventually, newIndex } from './support/papers.ts';

const service = new SharedService();
let browser: Browser;
let visitor: Visit;
let page: Page;

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
  page = visitor.page;
});
afterEach(() => visitor.end());

const SCRIPTS = '**/console/assets/*.js';
const navigation = () => page.getByRole('complementary', { name: 'Navigation' });
const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const failure = () => page.getByRole('alert');

/** Removes every script of the console, as a deployment does for a tab that is still open. */
const removeScripts = () => page.route(SCRIPTS, (route) => route.fulfill({ status: 404, body: 'Not found' }));

it('keeps a page and typed text after a new version replaced the scripts', async () => {
  visitor.expectErrors('404', 'Failed to fetch dynamically imported module', 'Unable to preload CSS');
  await visitor.open('/classify');
  const type = page.getByLabel('Type 1', { exact: true });
  const description = page.getByLabel('Description of type 1');
  await type.fill('invoice');
  await description.fill('Asks for money, with a number and a total');
  await page.getByRole('button', { name: 'Add a type' }).click();
  await page.getByLabel('Type 2', { exact: true }).fill('letter');

  await removeScripts();
  await navigation().getByRole('link', { name: 'Parse' }).click();
  await page.getByText('A new version is available').waitFor();
  await failure().getByText('The page could not be loaded.').waitFor();
  await visitor.expectAccessible();
  expect(await heading('Classify').count()).toBe(1);
  expect(new URL(page.url()).pathname).toBe('/console/classify');
  expect(await type.inputValue()).toBe('invoice');
  expect(await description.inputValue()).toBe('Asks for money, with a number and a total');

  await page.unroute(SCRIPTS);
  await page.getByRole('button', { name: 'Reload' }).click();
  await eventually(() => type.inputValue()).toBe('invoice');
  await eventually(() => description.inputValue()).toBe('Asks for money, with a number and a total');
  // The second rule has no fields yet. Its text is shown, and filled in when the rule is added.
  await page.getByText('Text that you typed before the page was reloaded').waitFor();
  await visitor.expectAccessible();
  await page.getByRole('button', { name: 'Add a type' }).click();
  await eventually(() => page.getByLabel('Type 2', { exact: true }).inputValue()).toBe('letter');
  await eventually(() => page.getByText('Text that you typed before').count()).toBe(0);
  expect(await page.evaluate(() => sessionStorage.getItem('sluice-typed-text'))).toBeNull();
  await navigation().getByRole('link', { name: 'Parse' }).click();
  await heading('Parse').waitFor();
});

it('leads to other pages if one cannot be loaded, and never stores a password', async () => {
  visitor.expectErrors('404', 'Failed to fetch dynamically imported module');
  await visitor.open('/indexes');
  await heading('Indexes').waitFor();
  await navigation().getByRole('link', { name: 'Projects' }).click();
  await heading('Projects').waitFor();
  await removeScripts();
  await navigation().getByRole('link', { name: 'Usage' }).click();
  await failure().waitFor();
  await navigation().getByRole('link', { name: 'Indexes' }).click();
  await heading('Indexes').waitFor();
  expect(await failure().count()).toBe(0);
  await page.evaluate(() => {
    const field = Object.assign(document.createElement('input'), { type: 'password', name: 'secret' });
    document.querySelector('main')!.appendChild(field);
  });
  await page.locator('input[name=secret]').fill('seven-locks');
  await page.unroute(SCRIPTS);
  await page.addInitScript(() => {
    Object.assign(globalThis, { keptBeforeStart: sessionStorage.getItem('sluice-typed-text') });
  });
  await page.getByRole('button', { name: 'Reload' }).click();
  const kept = () => page.evaluate(() => Reflect.get(globalThis, 'keptBeforeStart') as string | undefined);
  await eventually(kept).toContain('/console/indexes');
  expect(await kept()).not.toContain('seven-locks');
});

it('shows a loading error in place of a page opened by URL, and retries', async () => {
  visitor.expectErrors('404', 'Failed to fetch dynamically imported module');
  const usage = '**/console/assets/usage-*.js';
  await page.route(usage, (route) => route.fulfill({ status: 404, body: 'Not found' }));
  await visitor.open('/usage');
  await failure().getByText('This part of the console could not be loaded').waitFor();
  await navigation().getByRole('link', { name: 'Indexes' }).waitFor();
  await visitor.expectAccessible();
  await page.unroute(usage);
  await failure().getByRole('button', { name: 'Try again' }).click();
  await heading('Usage').waitFor();
});

it('stays on the page if Chat cannot be loaded offline, and recovers', async () => {
  visitor.expectErrors('net::ERR', 'Failed to fetch dynamically imported module', 'Unable to preload CSS');
  const index = await newIndex(service, `Offline ${crypto.randomUUID()}`);
  await visitor.open(`/indexes/${index}`);
  const chat = page
    .getByRole('navigation', { name: 'Parts of the index' })
    .getByRole('link', { name: 'Chat' });
  await chat.waitFor();
  await visitor.goOffline();
  await chat.click();
  await failure().getByText('There is no connection to the service.').waitFor();
  expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
  expect(new URL(page.url()).pathname).toBe(`/console/indexes/${index}`);
  await visitor.expectAccessible();
  await visitor.context.setOffline(false);
  await eventually(() => new URL(page.url()).pathname).toBe(`/console/indexes/${index}/chat`);
  await page.locator('main textarea').waitFor();
  expect(await page.getByText('A new version is available').count()).toBe(0);
});

it('changes between loaded pages offline, without loading them again', async () => {
  visitor.expectErrors('net::ERR');
  const index = await newIndex(service, `Loaded ${crypto.randomUUID()}`);
  await visitor.open(`/indexes/${index}`);
  const parts = page.getByRole('navigation', { name: 'Parts of the index' });
  await parts.getByRole('link', { name: 'Chat' }).click();
  await page.locator('main textarea').waitFor();
  await parts.getByRole('link', { name: 'Overview' }).click();
  await eventually(() => new URL(page.url()).pathname).toBe(`/console/indexes/${index}`);
  await visitor.goOffline();
  await page.getByText('You are offline.').waitFor();
  // The click is handled and the address read in one task, so that nothing can be loaded in between.
  const pathAfterClick = await parts.getByRole('link', { name: 'Chat' }).evaluate((link: HTMLElement) => {
    link.click();
    return location.pathname;
  });
  expect(pathAfterClick).toBe(`/console/indexes/${index}/chat`);
  await page.locator('main textarea').waitFor();
  expect(await page.getByText('The page could not be loaded.').count()).toBe(0);
});

it('lets the user close a command palette that cannot be loaded, and loads it later', async () => {
  visitor.expectErrors('net::ERR', 'Failed to fetch dynamically imported module', 'Unable to preload CSS');
  await visitor.open('/indexes');
  await heading('Indexes').waitFor();
  await visitor.goOffline();
  await page.getByText('You are offline.').waitFor();
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Command palette' });
  await palette.getByText('There is no connection to the service.').waitFor();
  await visitor.expectAccessible();
  await page.keyboard.press('Escape');
  await eventually(() => palette.count()).toBe(0);
  await page.keyboard.press('Control+k');
  await palette.getByText('There is no connection to the service.').waitFor();
  // The network still refuses requests when the browser reports that it is online.
  const { promise: isRefused, resolve: refuse } = Promise.withResolvers<void>();
  await page.route('**/console/**', async (route) => {
    await route.abort();
    refuse();
  });
  await visitor.context.setOffline(false);
  await isRefused;
  await page.unroute('**/console/**');
  await palette.getByRole('combobox').waitFor();
  const isFocused = () => palette.getByRole('combobox').evaluate((field) => field === document.activeElement);
  await eventually(isFocused).toBe(true);
});

it('shows an error within its page and keeps other pages usable', async () => {
  visitor.expectErrors('TypeError');
  await page.route(/\/api\/v1\/api-keys/, (route) => route.fulfill({ json: [null] }));
  await visitor.open('/keys');
  await failure().getByText('This page has stopped because of an error').waitFor();
  await visitor.expectAccessible();
  await navigation().getByRole('link', { name: 'About' }).click();
  await heading('About').waitFor();
  expect(await failure().count()).toBe(0);
});

it('shows an error of the application frame instead of an empty page', async () => {
  visitor.expectErrors('TypeError');
  await page.route(/\/api\/v1\/projects(?:\?|$)/, (route) => route.fulfill({ json: [null, null] }));
  await visitor.open('/indexes');
  await failure().getByText('This page has stopped because of an error').waitFor();
  await page.unroute(/\/api\/v1\/projects(?:\?|$)/);
  await page.reload();
  await heading('Indexes').waitFor();
});
