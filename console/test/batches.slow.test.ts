import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { buildPdf, paragraph, text } from '../../test/fixtures/pdf.ts';
import { SharedService } from '../../test/process/shared-client.ts';
import { PATIENCE_MS } from '../../test/support/patience.ts';
import { launch, type Visit, visit } from './support/browser.ts';

const service = new SharedService();
let browser: Browser;
let visitor: Visit;
let configurationId: string;
const PATIENCE = { timeout: PATIENCE_MS };
const COUNT = 10;

const buildInvoice = (number: number) =>
  new Uint8Array(
    buildPdf({
      pages: [
        {
          content: [
            text(72, 730, 'Invoice', 20),
            paragraph(72, 690, [
              `Invoice number: INV-${100 + number}`,
              `Invoice date: 2026-03-${String(number).padStart(2, '0')}`,
              'Seller: Harbour Supplies Ltd',
              `Total due: ${number * 10}.50 EUR`,
            ]),
          ].join(''),
        },
      ],
    }),
  );

beforeAll(async () => {
  await service.start();
  for (let number = 1; number <= COUNT; number++)
    await service.upload(`bill-${number}.pdf`, buildInvoice(number));
  const saved = await service.call<{ id: string }>('POST', '/api/v1/beta/configurations', {
    name: 'Bills',
    parameters: {
      product_type: 'extract_v2',
      cite_sources: true,
      confidence_scores: true,
      data_schema: {
        type: 'object',
        properties: {
          invoice_number: { type: 'string', description: 'Invoice number' },
          seller: { type: 'object', properties: { name: { type: 'string', description: 'Seller' } } },
          total_due: { type: 'number', description: 'Total due' },
          fax: { type: ['string', 'null'], description: 'Fax number' },
        },
      },
    },
  });
  configurationId = saved.id;
  browser = await launch();
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await service.end();
});
beforeEach(async () => {
  visitor = await visit(browser, service);
});
afterEach(() => visitor.end());

const button = (name: string) => visitor.page.getByRole('button', { name, exact: true });
const cell = (row: number, column: number) => visitor.page.locator(`[data-cell="${row} ${column}"]`);

it('creates a batch of ten invoices, corrects and approves values, and exports them', async () => {
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
  await page.getByText(`${COUNT} of ${COUNT} files completed`).waitFor(PATIENCE);
  await cell(0, 0)
    .getByText(/INV-1\d\d/)
    .waitFor(PATIENCE);
  await cell(0, 3).getByText('Not found').waitFor();

  await cell(0, 2).click();
  await page.locator('[data-box]').first().waitFor(PATIENCE);
  await page.keyboard.press('Enter');
  await page.keyboard.type('1');
  await page.keyboard.press('Escape');
  await expect.poll(() => cell(0, 2).textContent(), PATIENCE).toContain('.5');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('999.25');
  await page.keyboard.press('Enter');
  await cell(0, 2).getByText('999.25').waitFor(PATIENCE);
  await page.getByText(/1 corrected/).waitFor(PATIENCE);
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('a');
  await page.getByText(/1 approved/).waitFor(PATIENCE);
  await visitor.expectAccessible();

  await button('Approve all shown').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Approve', exact: true }).click();
  await page.getByText(`${COUNT} approved`).waitFor(PATIENCE);

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
});
