import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, it } from 'vitest';
import { SharedService } from '../../test/process/shared-client.ts';
import { launch, type Visit, visit } from './support/browser.ts';
import { addFiles, eventually, newIndex, synced } from './support/papers.ts';

const service = new SharedService();
let browser: Browser;
let visitor: Visit;
let page: Page;
/** Each attempt writes a set of its own, because names are unique. */
let setName: string;
let harbour: string;
let bakery: string;

beforeAll(async () => {
  await service.start();
  harbour = await newIndex(service, 'Harbour');
  bakery = await newIndex(service, 'Bakery');
  const manual = await service.upload('manual.txt', 'The north quay is 140 metres long.');
  const bread = await service.upload('bread.txt', 'Rye bread rests for three hours.');
  await addFiles(service, harbour, [manual]);
  await addFiles(service, bakery, [bread]);
  browser = await launch();
  visitor = await visit(browser, service);
  page = visitor.page;
}, 300_000);
afterAll(async () => {
  await visitor.end();
  await browser?.close();
});

/** Returns the value beside a term. Terms are compared exactly, because names and ids may contain a short one. */
const figure = (name: string) =>
  page.locator(`xpath=//dt[normalize-space(.)='${name}']/following-sibling::dd[1]`);

async function run(index: string) {
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Index or retriever').selectOption({ label: index });
  await dialog.getByLabel('Name').fill(`With ${index}`);
  await visitor.expectAccessible();
  await dialog.getByRole('button', { name: 'Run' }).click();
  await page.getByRole('heading', { level: 1, name: `With ${index}` }).waitFor();
  await page.getByText('Completed', { exact: true }).first().waitFor();
}

it('writes a question set, runs it with two indexes and compares the runs', async () => {
  await synced(service, harbour);
  await synced(service, bakery);
  setName = `Quays ${crypto.randomUUID()}`;
  await visitor.open('/evaluations');
  await page.getByRole('button', { name: 'New question set' }).first().click();
  await page.getByLabel('Name').fill(setName);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: setName }).waitFor();
  await page.getByRole('button', { name: 'Add question' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Question', { exact: true }).fill('How long is the north quay?');
  await dialog.getByLabel('Expected passages').fill('140  METRES');
  await dialog.getByLabel('Tags').fill('quays, lengths');
  await visitor.expectAccessible();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('cell', { name: 'quays, lengths' }).waitFor();
  await visitor.expectAccessible();
  const address = page.url();

  await run('Bakery');
  await eventually(() => figure('recall@5').textContent()).toBe('0.000');
  await page.goto(address);
  await run('Harbour');
  await eventually(() => figure('recall@5').textContent()).toBe('1.000');
  await page.getByRole('button', { name: 'Details of How long is the north quay?' }).click();
  await page
    .getByRole('listitem')
    .filter({ hasText: /manual\.txt.* · expected/ })
    .waitFor();
  await visitor.expectAccessible();

  await page.getByRole('tab', { name: 'By tag and document' }).click();
  await page.getByRole('cell', { name: 'lengths', exact: true }).waitFor();
  await page.getByRole('tab', { name: 'Compare' }).click();
  await page.getByText('nDCG@10: 1.000 instead of 0.000.').waitFor();
  await page.getByText('1 question improved, 0 got worse, 0 stayed the same.').waitFor();
  await visitor.expectAccessible();
});

it('edits a question', async () => {
  await visitor.open('/evaluations');
  await page.getByRole('link', { name: setName }).first().click();
  await page.getByRole('button', { name: 'Actions for How long is the north quay?' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('The documents do not answer this question').check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('cell', { name: 'No answer' }).waitFor();
  await page.getByText('1 question, version 3.').waitFor();
});

it('schedules a question set, and collects questions from rated answers', async () => {
  await visitor.open('/evaluations');
  await page.getByRole('link', { name: setName }).first().click();
  await page.getByRole('button', { name: 'Schedule' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Index or retriever').selectOption({ label: 'Harbour' });
  await dialog.getByLabel('Interval').selectOption({ label: 'Every week' });
  await dialog.getByLabel('Least value of this measure').fill('0.85');
  await dialog.getByLabel('Paused').check();
  await visitor.expectAccessible();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Schedule' }).click();
  await eventually(() => dialog.getByLabel('Interval').inputValue()).toBe('604800');
  await eventually(() => dialog.getByLabel('Least value of this measure').inputValue()).toBe('0.85');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await dialog.waitFor({ state: 'detached' });

  await page.getByRole('button', { name: 'Collect' }).click();
  await visitor.expectAccessible();
  await dialog.getByRole('button', { name: 'Collect' }).click();
  await dialog.getByText('0 questions added.').waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
});

it('measures an extraction with a truth set', async () => {
  const truths = `Quay truths ${crypto.randomUUID()}`;
  await visitor.open('/evaluations');
  await page.getByRole('button', { name: 'New truth set' }).click();
  await page.getByLabel('Name').fill(truths);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: truths }).waitFor();
  await page.getByRole('button', { name: 'Add file' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox', { name: 'File' }).selectOption({ label: 'manual.txt' });
  await dialog.getByLabel('Expected values').fill('{"quay": "north", "owner": "Ada"}');
  await visitor.expectAccessible();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('cell', { name: 'manual.txt', exact: true }).waitFor();
  await page.getByText('Extraction: 1 file, version 2.').waitFor();

  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const schema = { type: 'object', properties: { owner: { type: 'string' } } };
  await dialog.getByLabel('Configuration', { exact: true }).fill(JSON.stringify({ data_schema: schema }));
  await dialog.getByLabel('Name').fill('Owners');
  await dialog.getByRole('button', { name: 'Run' }).click();
  await page.getByRole('heading', { level: 1, name: 'Owners' }).waitFor();
  await page.getByText('Completed', { exact: true }).first().waitFor();
  await eventually(() => figure('F1').textContent()).toBe('0.000');
  await page.getByRole('row', { name: 'owner' }).first().waitFor();
  await visitor.expectAccessible();
  await page.getByRole('tab', { name: 'Files' }).click();
  await page.getByRole('button', { name: 'Details of manual.txt' }).click();
  await page.getByText('Missing', { exact: true }).first().waitFor();
  await visitor.expectAccessible();
});
