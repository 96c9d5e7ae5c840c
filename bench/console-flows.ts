/**
 * Measures common tasks in the console from the first click to the result, as a person would do them without pauses:
 * seconds, clicks and typed keys. The seconds include the work of the service, such as parsing and indexing.
 * Run: npm run bench:console-flows
 */
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { Service } from '#test/process/service.ts';
import { JOBS_MS, saveConfiguration, uploadInvoices } from '../console/test/support/batches.ts';
import { launch, signIn } from '../console/test/support/browser.ts';
import { fixed, printTable, type Row } from './search/measure.ts';

const FILES = Number(process.env.FILES ?? 200);
const INVOICES = 10;

/** Function of the page that reports a click or a key to this program. */
declare function countInput(type: string): void;

const service = new Service();
const rows: Row[] = [];
await service.start();
const browser = await launch();
try {
  await uploadInvoices(service, INVOICES);
  const configuration = await saveConfiguration(service);
  await measure(browser, 'first answer with a citation, from an empty list of indexes', '/indexes', ask);
  await measure(browser, `${FILES} files into an index, all ready`, '/indexes', fillIndex);
  await measure(
    browser,
    `${INVOICES} invoices extracted, one corrected, all approved, CSV`,
    '/batches',
    (page) => review(page, configuration),
  );
  printTable(rows);
} finally {
  await browser.close();
  await service.end();
}
process.exit(0);

/** Runs a task on its own page, and adds a row with its seconds, clicks and typed keys. */
async function measure(
  browser: Browser,
  task: string,
  path: string,
  work: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ baseURL: service.base, viewport: { width: 1440, height: 900 } });
  await signIn(context, service);
  const page = await context.newPage();
  page.setDefaultTimeout(JOBS_MS);
  const counts = { click: 0, keydown: 0 };
  await page.exposeFunction('countInput', (type: keyof typeof counts) => {
    counts[type] += 1;
  });
  await page.addInitScript(() => {
    for (const type of ['click', 'keydown']) {
      // A click on a label, or Enter on a button, makes the browser send further clicks, which have no pointer.
      const isOwn = (event: Event) =>
        event.isTrusted && (type !== 'click' || (event as PointerEvent).detail > 0);
      addEventListener(type, (event) => isOwn(event) && countInput(type), { capture: true });
    }
  });
  await page.goto(`/console${path}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  const begun = performance.now();
  await work(page);
  const seconds = (performance.now() - begun) / 1000;
  rows.push({ task, seconds: fixed(seconds), clicks: counts.click, keys: counts.keydown });
  await context.close();
}

/** Creates an index with the given files, which takes a name and two further steps. */
async function createIndex(
  page: Page,
  name: string,
  files: Parameters<Page['setInputFiles']>[1],
): Promise<void> {
  await page.getByRole('button', { name: 'New index' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New index' });
  await dialog.getByLabel('Name').pressSequentially(name);
  await dialog.getByRole('button', { name: 'Next' }).click();
  const chooser = page.waitForEvent('filechooser');
  await dialog.getByRole('button', { name: 'Choose files' }).click();
  await (await chooser).setFiles(files);
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

async function ask(page: Page): Promise<void> {
  const buffer = readFileSync('examples/harbour-manual.pdf');
  await createIndex(page, 'Harbour', { name: 'harbour-manual.pdf', mimeType: 'application/pdf', buffer });
  await page.getByRole('link', { name: '1 ready' }).waitFor();
  await page.getByRole('link', { name: 'Chat', exact: true }).first().click();
  await page.getByRole('textbox', { name: 'Question' }).pressSequentially('How deep is the north quay?');
  await page.keyboard.press('Enter');
  await page
    .getByRole('button', { name: /^Source 1/ })
    .first()
    .waitFor();
}

async function fillIndex(page: Page): Promise<void> {
  const files = Array.from({ length: FILES }, (_, at) => ({
    name: `note-${at}.txt`,
    mimeType: 'text/plain',
    buffer: Buffer.from(`Note ${at}\n\nThe keeper of berth ${at} counts the ships that pass the sluice.`),
  }));
  await createIndex(page, 'Notes', files);
  await page.getByRole('link', { name: `${FILES} ready` }).waitFor();
}

async function review(page: Page, configuration: string): Promise<void> {
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  await page.getByRole('link', { name: 'New batch' }).first().click();
  await page.getByRole('searchbox', { name: 'Search by name' }).pressSequentially('bill-');
  await page.getByText(`of ${INVOICES} files`).waitFor();
  await page.getByRole('checkbox', { name: 'Select all that match' }).click();
  await page.getByRole('combobox', { name: 'Saved configuration' }).selectOption(configuration);
  await button('Start batch').click();
  await page.getByText(`${INVOICES} of ${INVOICES} files completed`).waitFor();
  const cell = page.locator('[data-cell="0 2"]');
  await cell.getByText('.5').waitFor();
  await cell.click();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('999.25');
  await page.keyboard.press('Enter');
  await page.getByText(/1 corrected/).waitFor();
  await button('Approve all shown').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Approve', exact: true }).click();
  await page.getByText(`${INVOICES} approved`).waitFor();
  await button('Export').click();
  const arrival = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download' }).click();
  await arrival;
}
