import type { Browser, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Service } from '../../test/process/service.ts';
import { launch, type Visit, visit } from './support/browser.ts';

const service = new Service();
let browser: Browser;
let visitor: Visit;

beforeAll(async () => {
  await service.start();
  browser = await launch();
});
afterAll(async () => {
  await browser?.close();
  await service.end();
});
beforeEach(async () => {
  visitor = await visit(browser, service);
});
afterEach(() => visitor.end());

const LIST = /\/api\/v1\/projects/;
const refusal =
  (status: number, detail: string, headers: Record<string, string> = {}) =>
  (route: Route) =>
    route.fulfill({
      status,
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({
        detail,
        code: 'unavailable',
        request_id: 'request-of-the-test',
        retryable: true,
      }),
    });

describe('slow or failing service', () => {
  it('shows the service message and request id, and retries on request', async () => {
    visitor.expectErrors('503');
    await visitor.page.route(LIST, refusal(503, 'The database is resting.'));
    await visitor.open('/projects');
    const alert = visitor.page.getByRole('alert');
    await alert.waitFor();
    const said = await alert.textContent();
    expect(said).toContain('The database is resting.');
    expect(said).toContain('request-of-the-test');
    await visitor.expectAccessible();
    await visitor.page.unroute(LIST);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await visitor.page.getByRole('row').filter({ hasText: 'Default' }).waitFor();
    expect(await alert.count()).toBe(0);
  });

  it('is not asked again before Retry-After', async () => {
    visitor.expectErrors('429');
    await visitor.page.route(LIST, refusal(429, 'Too many requests.', { 'retry-after': '3600' }));
    let asked = 0;
    visitor.page.on('request', (request) => {
      if (LIST.test(request.url())) asked += 1;
    });
    await visitor.open('/projects');
    // Two requests wait for the hour that Retry-After states. Neither is repeated before.
    await expect.poll(() => asked).toBeGreaterThan(0);
    const before = asked;
    // Without Retry-After, the console would send the request twice within this time.
    await visitor.page.waitForTimeout(3_000);
    expect(asked).toBe(before);
  });

  it('is reported if unreachable, and the page recovers', async () => {
    visitor.expectErrors('net::ERR');
    await visitor.page.route(/\/api\/v1\/session/, (route) => route.abort('connectionrefused'));
    await visitor.open('/');
    await visitor.page.getByText('Sluice could not be reached').waitFor();
    await visitor.page.unroute(/\/api\/v1\/session/);
    await visitor.page.getByRole('button', { name: 'Try again' }).click();
    await visitor.page.getByRole('heading', { level: 1, name: 'Indexes' }).waitFor();
  });

  it('shows a placeholder while the page loads', async () => {
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await visitor.page.route(LIST, async (route) => {
      await held;
      await route.continue();
    });
    await visitor.open('/projects');
    await visitor.page.getByRole('status').filter({ hasText: 'Loading' }).waitFor();
    answer();
    await visitor.page.getByRole('row').filter({ hasText: 'Default' }).waitFor();
    expect(await visitor.page.getByRole('status').filter({ hasText: 'Loading' }).count()).toBe(0);
  });

  it('is distinguished from an offline browser', async () => {
    await visitor.open('/projects');
    await visitor.page.getByRole('row').filter({ hasText: 'Default' }).waitFor();
    await visitor.goOffline();
    await visitor.page.getByText('You are offline.').waitFor();
    await visitor.expectAccessible();
    await visitor.context.setOffline(false);
    await expect.poll(() => visitor.page.getByText('You are offline.').count()).toBe(0);
  });
});

it('shows working API calls of a page in three languages', async () => {
  await visitor.open('/projects');
  await visitor.page.getByRole('button', { name: 'Code' }).click();
  const dialog = visitor.page.getByRole('dialog', { name: 'Use the API' });
  const curl = await dialog.locator('pre').first().textContent();
  expect(curl).toContain(`curl '${service.base}/api/v1/projects'`);
  await visitor.expectAccessible();
  for (const [language, word] of [
    ['TypeScript', 'await fetch('],
    ['Python', 'requests.get('],
  ] as const) {
    await dialog.getByRole('tab', { name: language }).click();
    await expect.poll(() => dialog.locator('pre').first().textContent()).toContain(word);
  }
  await dialog.getByRole('button', { name: /^Copy: List the projects/ }).click();
  expect(await visitor.page.evaluate(() => navigator.clipboard.readText())).toContain('requests.get(');
  await visitor.page.keyboard.press('Escape');
  const opener = visitor.page.getByRole('button', { name: 'Code' });
  await expect.poll(() => opener.evaluate((element) => element === document.activeElement)).toBe(true);
});

it('supports keyboard shortcuts that can be turned off', async () => {
  await visitor.open('/indexes');
  await visitor.page.getByRole('heading', { level: 1, name: 'Indexes' }).waitFor();
  await visitor.page.keyboard.type('gk');
  await visitor.page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
  await visitor.page.keyboard.press('?');
  const keys = visitor.page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await visitor.expectAccessible();
  await keys.getByLabel('Enable single-key shortcuts').uncheck();
  await visitor.page.keyboard.press('Escape');
  await visitor.page.keyboard.type('gi');
  await visitor.page.keyboard.press('?');
  expect(await keys.count()).toBe(0);
  expect(await visitor.page.getByRole('heading', { level: 1 }).textContent()).toBe('API keys');
});
