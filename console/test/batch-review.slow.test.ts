import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { SharedService } from '../../test/process/shared-client.ts';
import {
  approve,
  BATCH_TEST_MS,
  type BatchItem,
  hold,
  JOBS_MS,
  listItems,
  runBatch,
  saveConfiguration,
  uploadInvoices,
} from './support/batches.ts';
import { launch, type Visit, visit } from './support/browser.ts';
import { eventually } from './support/papers.ts';

const service = new SharedService();
let browser: Browser;
let visitor: Visit;
let page: Page;
let fileIds: string[];
let configurationId: string;
let batchId: string;
let items: BatchItem[];
const COUNT = 6;
const TOTAL = 2;
const REVIEW = /\/api\/v2\/extract\/[^/]+\/review/;
const ITEMS = /\/api\/v2\/batches\/[^/]+\/items/;

beforeAll(async () => {
  await service.start();
  fileIds = await uploadInvoices(service, COUNT);
  // With so many columns, the grid scrolls sideways.
  configurationId = await saveConfiguration(service, 20);
  browser = await launch();
}, JOBS_MS);
afterAll(async () => {
  await browser?.close();
});
// Each attempt reviews a batch of its own.
beforeEach(async () => {
  batchId = await runBatch(service, fileIds, configurationId);
  items = await listItems(service, batchId);
  visitor = await visit(browser, service);
  page = visitor.page;
  page.setDefaultTimeout(JOBS_MS);
}, BATCH_TEST_MS);
afterEach(() => visitor.end());

const cell = (row: number, column: number) => page.locator(`[data-cell="${row} ${column}"]`);
const editor = () => page.getByRole('grid').getByRole('textbox');
const getFocusedCell = () => page.evaluate(() => (document.activeElement as HTMLElement).dataset.cell);
const getTotals = async () =>
  (await listItems(service, batchId)).map(({ corrections }) => corrections?.['/total_due']);

async function open(query = '') {
  await visitor.open(`/batches/${batchId}${query}`);
  await cell(COUNT - 1, TOTAL)
    .getByText('.5')
    .waitFor();
}

/** Opens the editor of a value and types a draft. */
async function edit(row: number, column: number, draft: string) {
  await cell(row, column).dblclick();
  await page.keyboard.press('Control+a');
  await page.keyboard.type(draft);
}

/** Makes the page read its data again, as it does when its window gets the focus. */
const showAgain = () =>
  page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));

async function readAgain() {
  let isAnswered = false;
  const answered = page.waitForResponse(ITEMS).then(() => {
    isAnswered = true;
  });
  // A page that is already reading its data does not read it once more, so it is shown until it does.
  await eventually(async () => {
    await showAgain();
    return isAnswered;
  }, JOBS_MS).toBe(true);
  await answered;
}

it(
  'saves a correction to the file whose value was edited, although a row above has disappeared',
  async () => {
    const project = (await service.call<{ project_id: string }>('GET', `/api/v2/batches/${batchId}`))
      .project_id;
    await open(`?project_id=${project}`);
    await page.getByRole('combobox', { name: 'Show', exact: true }).selectOption('unreviewed');
    await page.waitForURL(/show=unreviewed/);
    expect(new URL(page.url()).searchParams.get('project_id')).toBe(project);
    await edit(1, TOTAL, '11.25');
    await approve(service, items[0]!);
    await readAgain();
    await page.getByText(items[0]!.file_name).first().waitFor({ state: 'detached' });
    expect(await editor().inputValue()).toBe('11.25');
    await page.keyboard.press('Enter');
    await cell(0, TOTAL).getByText('11.25').waitFor();
    await eventually(getTotals).toEqual([undefined, 11.25, undefined, undefined, undefined, undefined]);
    expect(await getFocusedCell()).toBe(`0 ${TOTAL}`);
    // The corrected file no longer matches the filter, but its row has the focus.
    await readAgain();
    await readAgain();
    expect(await getFocusedCell()).toBe(`0 ${TOTAL}`);
    expect(await cell(0, -1).textContent()).toContain(items[1]!.file_name);
  },
  BATCH_TEST_MS,
);

it(
  'leaves the focus where the user has moved it while a correction is being saved',
  async () => {
    await open();
    const saves = await hold(page, REVIEW);
    await edit(0, TOTAL, '21.25');
    await page.keyboard.press('Enter');
    await edit(1, TOTAL, '22.25');
    // Enter confirms a suggestion of an input method here, and does not save.
    await editor().evaluate((field) =>
      field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, isComposing: true })),
    );
    await eventually(() => saves.count).toBe(1);
    saves.release();
    await cell(0, TOTAL).getByText('21.25').waitFor();
    expect(await editor().inputValue()).toBe('22.25');
    expect(await editor().evaluate((field) => field === document.activeElement)).toBe(true);
    // A correction that is saved because the field is left does not take the focus back.
    await page.keyboard.press('Tab');
    await cell(1, TOTAL).getByText('22.25').waitFor();
    await eventually(getTotals).toEqual([21.25, 22.25, undefined, undefined, undefined, undefined]);
    expect(await getFocusedCell()).toBeUndefined();
  },
  BATCH_TEST_MS,
);

it(
  'saves quick changes of one file one after another, and an approval once',
  async () => {
    await open();
    const saves = await hold(page, REVIEW);
    await edit(0, TOTAL, '31.25');
    await page.keyboard.press('Enter');
    await edit(0, 3, '+49 40 1');
    await page.keyboard.press('Enter');
    await cell(0, -1).click({ position: { x: 4, y: 4 } });
    // The key repeats while it is held.
    await page.keyboard.down('a');
    await page.keyboard.down('a');
    await page.keyboard.up('a');
    await page.keyboard.press('a');
    await eventually(() => saves.count).toBe(1);
    saves.release();
    await cell(0, -1).getByText('Approved').waitFor();
    expect(saves.bodies).toMatchObject([
      { revision: 0, approved: false, corrections: { '/total_due': 31.25 } },
      { revision: 1, approved: false, corrections: { '/total_due': 31.25, '/fax': '+49 40 1' } },
      { revision: 2, approved: true, corrections: { '/total_due': 31.25, '/fax': '+49 40 1' } },
    ]);
    // `g` and `a` open a page, and approve nothing.
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await page.getByRole('heading', { level: 1, name: 'About' }).waitFor();
    expect(saves.count).toBe(3);
  },
  BATCH_TEST_MS,
);

it(
  'saves a value that is typed while an earlier value of the same cell is being saved',
  async () => {
    await open();
    const saves = await hold(page, REVIEW);
    await edit(0, TOTAL, '61.25');
    await page.keyboard.press('Enter');
    await eventually(() => saves.count).toBe(1);
    await edit(0, TOTAL, '62.25');
    await page.keyboard.press('Enter');
    saves.release();
    await cell(0, TOTAL).getByText('62.25').waitFor();
    expect(await editor().count()).toBe(0);
    expect((await getTotals())[0]).toBe(62.25);
    expect(saves.bodies).toMatchObject([{ revision: 0 }, { revision: 1 }]);
  },
  BATCH_TEST_MS,
);

it(
  'keeps a typed value when another user has changed the file, and saves it over the change',
  async () => {
    visitor.expectErrors('409');
    await open();
    await edit(0, TOTAL, '51.25');
    const corrections = { '/total_due': 99.5, '/fax': '+49 40 2' };
    await approve(service, { ...items[0]!, corrections });
    await page.keyboard.press('Enter');
    const note = page.getByText('has changed this file meanwhile. Its value is now "99.5".');
    await note.waitFor();
    await page.getByRole('alert').getByText('Your value "51.25" for total_due is not saved yet').waitFor();
    await visitor.expectAccessible();
    expect(await editor().inputValue()).toBe('51.25');
    expect((await getTotals())[0]).toBe(99.5);
    await page.keyboard.press('Enter');
    await cell(0, TOTAL).getByText('51.25').waitFor();
    await note.waitFor({ state: 'detached' });
    const [saved] = await listItems(service, batchId);
    expect(saved).toMatchObject({ corrections: { ...corrections, '/total_due': 51.25 }, review_revision: 2 });
  },
  BATCH_TEST_MS,
);

it(
  'does not show the earlier value after a read that began before the correction was saved',
  async () => {
    await open();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: began, resolve: begin } = Promise.withResolvers<void>();
    await page.route(
      ITEMS,
      async (route) => {
        const before = await route.fetch();
        begin();
        await released;
        await route.fulfill({ response: before }).catch(() => {});
      },
      { times: 1 },
    );
    await showAgain();
    await began;
    const cancelled = page.waitForEvent('requestfailed', (request) => ITEMS.test(request.url()));
    await edit(0, TOTAL, '41.25');
    await page.keyboard.press('Enter');
    await cell(0, TOTAL).getByText('41.25').waitFor();
    await cancelled;
    release();
    await readAgain();
    expect(await cell(0, TOTAL).textContent()).toContain('41.25');
  },
  BATCH_TEST_MS,
);

it(
  'approves all files only after they are shown, and stops at an error or when it is cancelled',
  async () => {
    visitor.expectErrors('net::ERR');
    await open();
    const all = page.getByRole('button', { name: 'Approve all shown', exact: true });
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Approve', exact: true });
    const reads = await hold(page, ITEMS);
    await page.getByRole('combobox', { name: 'Show', exact: true }).selectOption('unreviewed');
    await eventually(() => reads.count).toBe(1);
    expect(await all.isDisabled()).toBe(true);
    reads.release();
    await eventually(() => all.isEnabled()).toBe(true);

    // The first of four simultaneous approvals fails. The others end, and no further ones begin.
    const others = await hold(page, REVIEW);
    await page.route(REVIEW, (route) => route.abort(), { times: 1 });
    const failed = page.waitForEvent('requestfailed', (request) => REVIEW.test(request.url()));
    await all.click();
    await confirm.click();
    await failed;
    await eventually(() => others.count).toBe(3);
    others.release();
    await page.getByRole('alert').getByText('The review could not be saved').waitFor();
    await eventually(() => all.isEnabled()).toBe(true);
    expect(others.count).toBe(3);
    await page.unroute(REVIEW);

    const remaining = COUNT - 3;
    const saves = await hold(page, REVIEW, (_route, count) => count > 1);
    await all.click();
    await confirm.click();
    await page.getByText(`1 of ${remaining} approved`).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel', exact: true }).click();
    const begun = saves.count;
    saves.release();
    await eventually(() => all.isEnabled()).toBe(true);
    expect(saves.count).toBe(begun);
  },
  BATCH_TEST_MS,
);

it(
  'keeps the focus on rows that are loading, and on a cell that is scrolled out of view',
  async () => {
    // The list comes in pages of two files. All but the first are held.
    const later = await hold(page, ITEMS, (route) =>
      new URL(route.request().url()).searchParams.has('page_token'),
    );
    await page.route(ITEMS, async (route) => {
      const url = new URL(route.request().url());
      url.searchParams.set('page_size', '2');
      await route.fallback({ url: url.href });
    });
    await visitor.open(`/batches/${batchId}`);
    await cell(1, TOTAL).click();
    await page.keyboard.press('Control+End');
    await eventually(getFocusedCell).toBe(`${COUNT - 1} -1`);
    expect(await page.locator('[data-cell][tabindex="0"]').count()).toBe(1);
    later.release();
    await eventually(getFocusedCell).toBe(`${COUNT - 1} 23`);
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('ArrowRight');
    await eventually(getFocusedCell).toBe('0 0');
    await page.getByRole('grid').evaluate((grid) => grid.scrollTo({ left: grid.scrollWidth }));
    await cell(0, 23).waitFor();
    expect(await getFocusedCell()).toBe('0 0');
  },
  BATCH_TEST_MS,
);

it(
  'loads the page of a file only when the focus stays on it',
  async () => {
    await open();
    await cell(0, TOTAL).click();
    await page.locator('[data-box]').first().waitFor();
    const jobs: string[] = [];
    page.on('request', (request) => {
      const job = /\/api\/v2\/extract\/([^/?]+)(?:\?|$)/.exec(request.url())?.[1];
      if (job) jobs.push(job);
    });
    // The page is updated between the keys, but no timer fires before the last one.
    await page.evaluate(async (rows) => {
      for (let row = 1; row < rows; row += 1) {
        document.activeElement!.dispatchEvent(
          new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true, cancelable: true }),
        );
        for (let microtask = 0; microtask < 10; microtask += 1) await undefined;
      }
    }, COUNT);
    expect(await getFocusedCell()).toBe(`${COUNT - 1} ${TOTAL}`);
    await page.getByRole('img', { name: `Page 1 of ${items[COUNT - 1]!.file_name}` }).waitFor();
    await eventually(() => jobs.length).toBeGreaterThan(0);
    expect(new Set(jobs)).toEqual(new Set([items[COUNT - 1]!.job_id]));
  },
  BATCH_TEST_MS,
);
