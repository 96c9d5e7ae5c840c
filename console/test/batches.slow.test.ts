import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { SharedService } from '../../test/process/shared-client.ts';
import { BATCH_TEST_MS, hold, JOBS_MS, saveConfiguration, uploadInvoices } from './support/batches.ts';
import { launch, type Visit, visit } from './support/browser.ts';
import { eventually } from './support/papers.ts';

let service: SharedService;
let browser: Browser;
let visitor: Visit;
let configurationId: string;
const PATIENCE = { timeout: JOBS_MS };
const COUNT = 10;

beforeAll(async () => {
  browser = await launch();
}, JOBS_MS);
afterAll(async () => {
  await browser?.close();
});
beforeEach(async () => {
  // A second attempt does not find the batches of the first one, because each attempt has a project of its own.
  service = new SharedService();
  await service.start();
  await uploadInvoices(service, COUNT);
  configurationId = await saveConfiguration(service);
  visitor = await visit(browser, service);
  visitor.page.setDefaultTimeout(JOBS_MS);
}, JOBS_MS);
afterEach(() => visitor.end());

const button = (name: string) => visitor.page.getByRole('button', { name, exact: true });
const cell = (row: number, column: number) => visitor.page.locator(`[data-cell="${row} ${column}"]`);

it(
  'creates a batch of ten invoices, corrects and approves values, and exports them',
  async () => {
    visitor.expectErrors('422');
    const { page } = visitor;
    await visitor.open('/batches');
    await page.getByText('No batches yet').waitFor();
    await visitor.expectAccessible();
    await page.getByRole('link', { name: 'New batch' }).first().click();
    await page.getByRole('searchbox', { name: 'Search by name' }).fill('bill-');
    await page.getByText(`of ${COUNT} files`).waitFor();
    await page.getByRole('checkbox', { name: 'Select all that match' }).click();
    await page.getByText(`${COUNT} files selected`).waitFor();
    await page.getByRole('combobox', { name: 'Saved configuration' }).selectOption(configurationId);
    await page.getByLabel('Name of invoice_number').waitFor();
    await visitor.expectAccessible();
    await button('Start batch').click();
    await page.waitForURL(/\/batches\/bat-/);
    await page.getByText(`${COUNT} of ${COUNT} files completed`).waitFor();
    // The rows are read once more after the last job has ended.
    await eventually(() => page.getByRole('grid').getByText('Not reviewed').count(), JOBS_MS).toBe(COUNT);
    await cell(0, 0)
      .getByText(/INV-1\d\d/)
      .waitFor();
    await cell(0, 3).getByText('Not found').waitFor();

    await cell(0, 2).click();
    await page.locator('[data-box]').first().waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type('1');
    await page.keyboard.press('Escape');
    await expect.poll(() => cell(0, 2).textContent(), PATIENCE).toContain('.5');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('999.25');
    await page.keyboard.press('Enter');
    await cell(0, 2).getByText('999.25').waitFor();
    await page.getByText(/1 corrected/).waitFor();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('a');
    await page.getByText(/1 approved/).waitFor();
    await visitor.expectAccessible();

    await button('Approve all shown').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByText(`${COUNT} approved`).waitFor();

    await button('Export').click();
    await page.getByRole('combobox', { name: 'Values' }).selectOption('approved');
    const arrival = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download' }).click();
    const csv = readFileSync(await (await arrival).path(), 'utf8')
      .trim()
      .split('\r\n');
    expect(csv).toHaveLength(COUNT + 1);
    expect(csv[0]).toMatch(/invoice_number,seller\.name,total_due,fax$/);
    expect(csv[1]).toContain('999.25');

    await page.setViewportSize({ width: 320, height: 700 });
    await page.getByRole('article').first().waitFor();
    await visitor.expectAccessible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  },
  BATCH_TEST_MS,
);

it(
  'starts a batch with the files that are shown after a change of the search',
  async () => {
    const { page } = visitor;
    const created = page.waitForRequest(
      (request) => request.method() === 'POST' && request.url().includes('/api/v2/batches'),
    );
    await visitor.open('/batches/new');
    await page.getByRole('combobox', { name: 'What to do' }).selectOption('parse');
    await page.getByText(`0 files selected of ${COUNT} files`).waitFor();
    await page.getByRole('checkbox', { name: 'Select all that match' }).click();
    await page.getByText(`${COUNT} files selected of ${COUNT} files`).waitFor();
    await page.getByRole('searchbox', { name: 'Search by name' }).fill('bill-10');
    await page.getByText('1 file selected of 1 file').waitFor();
    await button('Start batch').click();
    await page.waitForURL(/\/batches\/bat-/);
    const { items } = await service.call<{ items: { id: string; name: string }[] }>(
      'GET',
      '/api/v1/beta/files?name_contains=bill-10',
    );
    expect((await created).postDataJSON()).toMatchObject({
      job_type: 'parse',
      file_ids: items.map(({ id }) => id.replace(/^dfl-/, '')),
    });
  },
  BATCH_TEST_MS,
);

it(
  'does not select files of a range that arrive after the selection was cleared',
  async () => {
    const { page } = visitor;
    // The list comes in pages of two files, and the second page is held.
    const pages = await hold(page, /\/api\/v1\/beta\/files\?/, (route) => {
      const url = new URL(route.request().url());
      return url.searchParams.has('page_token');
    });
    await page.route(/\/api\/v1\/beta\/files\?.*page_size=500/, async (route) => {
      const url = new URL(route.request().url());
      url.searchParams.set('page_size', '2');
      await route.fallback({ url: url.href });
    });
    await visitor.open('/batches/new');
    const status = page.getByRole('status').filter({ hasText: `selected of ${COUNT} files` });
    await page.getByRole('row').filter({ hasText: 'bill-10.pdf' }).focus();
    await page.keyboard.press('x');
    await status.getByText('1 file selected').waitFor();
    await page.keyboard.press('Shift+ArrowDown');
    await status.getByText('2 files selected').waitFor();
    await page.keyboard.press('Shift+End');
    await page.keyboard.press('Escape');
    await status.getByText('0 files selected').waitFor();
    pages.release();
    await page.getByText('bill-1.pdf').first().waitFor();
    await page.waitForLoadState('networkidle');
    expect(await status.textContent()).toContain('0 files selected');
  },
  BATCH_TEST_MS,
);
