import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SharedService } from '../../test/process/shared-client.ts';
import { launch, visit } from './support/browser.ts';

const service = new SharedService();
let browser: Browser;

beforeAll(async () => {
  [browser] = await Promise.all([launch(), service.start()]);
});
afterAll(async () => {
  await browser?.close();
  await service.end();
});

const get = (path: string) => fetch(service.base + path, { redirect: 'manual' });

describe('the guide at /docs/guide', () => {
  it.each(['light', 'dark'] as const)(
    'opens from the console in %s mode and is searchable',
    async (colorScheme) => {
      const { page, open, expectAccessible, end } = await visit(browser, service, { colorScheme });
      await open('/about');
      await page.getByRole('link', { name: 'guide' }).click();
      await page.waitForURL('**/docs/guide/');
      await expectAccessible();
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('searchbox').fill('webhook signature');
      await page.getByRole('option').locator('a[href*="/reference/webhooks"]').first().click();
      await page.waitForURL('**/reference/webhooks**');
      await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
      await expectAccessible();
      await end();
    },
  );

  it('returns its own page with 404 for an unknown path', async () => {
    const answer = await get('/docs/guide/no-such-page');
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain('<title>404 | Sluice</title>');
  });

  it('lets browsers cache files whose name contains a hash, and no page', async () => {
    const page = await get('/docs/guide/');
    expect(page.headers.get('cache-control')).toBe('no-cache');
    const [, asset = ''] = /src="(\/docs\/guide\/assets\/app[^"]+)"/.exec(await page.text()) ?? [];
    const answer = await get(asset);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toContain('immutable');
    expect(answer.headers.get('content-security-policy')).toContain("script-src 'self'");
  });

  it('loads every script from a file, because inline code is forbidden', async () => {
    const text = await (await get('/docs/guide/reference/webhooks')).text();
    expect(text).toContain('<script');
    expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|\sstyle="|\son\w+="/);
  });
});
