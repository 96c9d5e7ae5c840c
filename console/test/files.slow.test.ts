import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { SharedService } from '../../test/process/shared-client.ts';
import { expectRatio } from '../../test/support/linear-time.ts';
import { launch, type Visit, visit } from './support/browser.ts';
import { addFiles, eventually, newIndex, synced, twoPages } from './support/papers.ts';
import { TaskTimer } from './support/task-time.ts';
import { countUploads } from './support/upload-count.ts';

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

const textFile = (name: string, content: string) => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.from(content),
});
const row = (name: string) => page.getByRole('row').filter({ hasText: name });
const focusedRow = () =>
  page.evaluate(() => document.activeElement?.closest('[role=row]')?.getAttribute('aria-rowindex'));
const rowsInPage = () => page.evaluate(() => document.querySelectorAll('[role=row][data-index]').length);

it('uploads three files at a time, reports failures and duplicates, and adds the others to the index', async () => {
  visitor.expectErrors('503');
  const index = await newIndex(service, `Harbour ${crypto.randomUUID()}`);
  const mostUploads = await countUploads(page);
  await visitor.open(`/indexes/${index}/files`);
  await page.getByRole('heading', { name: 'No files yet' }).waitFor();
  await visitor.expectAccessible();
  let refused = 0;
  let begun = 0;
  const threeBegun = Promise.withResolvers<void>();
  await page.route('**/api/v1/files?*', (route) => route.continue());
  await page.route(/\/api\/v1\/files$/, async (route) => {
    // The first uploads wait for each other, so that as many run as the console begins at the same time.
    begun += 1;
    if (begun === 3) threeBegun.resolve();
    await threeBegun.promise;
    const isRefused = route.request().postDataBuffer()?.includes('tides.txt') && refused++ === 0;
    const body = { detail: 'The store is away.', code: 'unavailable', request_id: 'req-1', retryable: false };
    await (isRefused ? route.fulfill({ status: 503, json: body }) : route.continue());
  });
  const names = ['berths.txt', 'cranes.txt', 'pilots.txt', 'tides.txt'];
  const files = names.map((name) => textFile(name, `${name} is about the harbour of Morwen.`));
  const broken = { name: 'broken.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7 no') };
  await page.locator('input[type=file]').setInputFiles([...files, broken]);
  const failed = page.getByRole('listitem').filter({ hasText: 'tides.txt' });
  await failed.getByText('The store is away.').waitFor();
  await failed.getByText('req-1').waitFor();
  await row('berths.txt').waitFor();
  await visitor.expectAccessible();
  await failed.getByRole('button', { name: 'Try again' }).click();
  await row('tides.txt').waitFor();
  expect(await mostUploads()).toBe(3);
  const uploads = page.getByRole('region', { name: 'Uploads' });
  await uploads.getByRole('button', { name: 'Dismiss', exact: true }).click();

  await page.locator('input[type=file]').setInputFiles([files[0]!, textFile('lights.txt', 'Seven lights.')]);
  await page.getByText('A file with this name already exists.').waitFor();
  await page.getByRole('button', { name: 'Dismiss berths.txt' }).click();
  await row('lights.txt').waitFor();

  // The failed file shows its complete reason and what to do.
  await page.getByRole('button', { name: 'Failed 1' }).click();
  expect(new URL(page.url()).searchParams.get('state')).toBe('ERROR');
  await eventually(() => page.getByRole('row').count()).toBe(2);
  await row('broken.pdf').click({ position: { x: 600, y: 20 } });
  const dialog = page.getByRole('dialog', { name: 'broken.pdf' });
  await dialog.getByText('Reading the file').waitFor();
  await visitor.expectAccessible();
  await dialog.getByRole('button', { name: 'Copy the reason' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('broken.pdf');
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('heading', { name: 'No file matches' }).waitFor();
  await page.getByRole('link', { name: 'Show all files' }).click();
  await row('cranes.txt').waitFor();
  await eventually(() => row('broken.pdf').count()).toBe(0);
});

it('uploads dropped files and warns before leaving during the upload', async () => {
  const index = await newIndex(service, `Dropped ${crypto.randomUUID()}`);
  await visitor.open(`/indexes/${index}/files`);
  await page.getByRole('heading', { name: 'No files yet' }).waitFor();
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/api\/v1\/files$/, async (route) => {
    await held;
    await route.continue();
  });
  await page.evaluate(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['The ferry goes at nine.'], 'ferry.txt'));
    document.querySelector('h1')!.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true }));
  });
  await page.getByRole('button', { name: 'Cancel ferry.txt' }).waitFor();
  const asks = () => page.evaluate(() => !dispatchEvent(new Event('beforeunload', { cancelable: true })));
  expect(await asks()).toBe(true);
  release();
  await row('ferry.txt').waitFor();
  await eventually(asks).toBe(false);
});

it('finds, sorts, selects and removes files by keyboard', async () => {
  const index = await newIndex(service, `Many ${crypto.randomUUID()}`, {
    transform_config: { mode: 'auto', chunk_size: 128, chunk_overlap: 0 },
  });
  const names = Array.from({ length: 300 }, (_, n) => `paper-${String(n).padStart(4, '0')}.txt`);
  const ids: string[] = [];
  for (let from = 0; from < names.length; from += 25) {
    const some = names.slice(from, from + 25);
    ids.push(...(await Promise.all(some.map((name) => service.upload(name, `${name} is short.`)))));
  }
  await addFiles(service, index, ids);
  await visitor.open(`/indexes/${index}/files?sort=name`);
  const grid = page.getByRole('grid');
  await eventually(() => grid.getAttribute('aria-rowcount')).toBe('301');
  await row('paper-0000').focus();
  await page.keyboard.press('x');
  for (let step = 0; step < 3; step += 1) await page.keyboard.press('Shift+ArrowDown');
  await page.getByText('4 files selected').waitFor();
  // The focus stays on its row while the grid is scrolled. Rows are rendered when they are needed.
  await grid.evaluate((element) => element.scrollTo(0, 8000));
  await row('paper-0190').waitFor();
  expect(await focusedRow()).toBe('5');
  expect(await rowsInPage()).toBeLessThan(60);
  await page.keyboard.press('End');
  await eventually(focusedRow).toBe('301');
  await row('paper-0299').waitFor();
  await page.keyboard.press('Home');
  await eventually(focusedRow).toBe('2');
  await visitor.expectAccessible();

  await page.keyboard.press('Escape');
  await page.keyboard.press('/');
  await page.keyboard.type('PAPER-02');
  await eventually(() => grid.getAttribute('aria-rowcount')).toBe('101');
  await eventually(() => new URL(page.url()).searchParams.get('q')).toBe('PAPER-02');
  await page.getByRole('button', { name: 'All 100' }).waitFor();
  await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').press('Enter');
  await row('paper-0299').waitFor();
  await row('paper-0299').focus();
  await page.keyboard.press('Control+a');
  await page.getByText('All 100 files that match selected').waitFor();
  await page.getByRole('button', { name: 'Remove', exact: true }).press('Enter');
  await visitor.expectAccessible();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove 100 files' }).press('Enter');
  await page.getByRole('heading', { name: 'No file matches' }).waitFor();
  await visitor.open(`/indexes/${index}/files`);
  await eventually(() => grid.getAttribute('aria-rowcount')).toBe('201');
});

/** Scrolls the grid by 120 steps of 300 pixels and returns the largest number of rows in the page meanwhile. */
const scrollGrid = () =>
  page.evaluate(async () => {
    const grid = document.querySelector('[role=grid]')!;
    let rows = 0;
    for (let step = 0; step < 120; step += 1) {
      grid.scrollTop += 300;
      await new Promise((resolve) => requestAnimationFrame(resolve));
      rows = Math.max(rows, document.querySelectorAll('[role=row][data-index]').length);
    }
    return rows;
  });

/** Selects the first ten files in the page, one per frame. */
const selectFiles = async () => {
  await page.evaluate(async () => {
    for (let at = 0; at < 10; at += 1) {
      document.querySelectorAll<HTMLElement>('[data-choose]:has(input)')[at]!.click();
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  });
  await page.getByText('10 files selected').waitFor();
};

it('scrolls and selects in ten thousand rows about as fast as in one thousand', async () => {
  const index = await newIndex(service, `Ten thousand ${crypto.randomUUID()}`);
  const buildFile = (n: number) => ({
    id: `member-${n}`,
    file_id: `file-${n}`,
    name: `paper-${n}.pdf`,
    status: 'SUCCESS',
    file_type: 'pdf',
    file_size: n * 1000,
    created_at: '2026-01-01T00:00:00Z',
  });
  let total_count = 0;
  await page.route(/\/files2\?/, (route) => {
    const offset = Number(new URL(route.request().url()).searchParams.get('offset'));
    const files = Array.from({ length: 100 }, (_, n) => buildFile(offset + n));
    return route.fulfill({ json: { files, limit: 100, offset, total_count } });
  });
  const measureAmong = async (rows: number, work: () => Promise<unknown>) => {
    total_count = rows;
    await visitor.open(`/indexes/${index}/files`);
    await row('paper-5.pdf').waitFor();
    const timer = await TaskTimer.start(page);
    const seconds = await timer.measure(work);
    await timer.stop();
    return seconds;
  };
  await measureAmong(10_000, async () => expect(await scrollGrid()).toBeLessThan(200));
  for (const work of [scrollGrid, selectFiles]) {
    await expectRatio(
      () => measureAmong(10_000, work),
      () => measureAmong(1_000, work),
      2,
    );
  }
});

it('lists project files, shows a file beside its parsed content and deletes it', async () => {
  const id = await service.upload('quays.pdf', twoPages());
  await service.upload('quays.txt', 'The north quay.');
  await visitor.open('/files?sort=name');
  await page.getByRole('searchbox', { name: 'Search by name' }).fill('QUAYS');
  const grid = page.getByRole('grid');
  await eventually(() => grid.getAttribute('aria-rowcount')).toBe('3');
  await page.getByLabel('Type').selectOption('pdf');
  await eventually(() => grid.getAttribute('aria-rowcount')).toBe('2');
  await visitor.expectAccessible();
  await row('quays.pdf').press('Enter');
  await page.getByRole('heading', { level: 1, name: 'quays.pdf' }).waitFor();
  expect(page.url()).toContain(id);
  await page.getByText('Berth 5 takes ships of 7 metres at most.').waitFor();
  await page.keyboard.press(']');
  await page.getByRole('img', { name: 'Page 2 of quays.pdf' }).waitFor();
  await page.getByText('Berth 20 takes ships').waitFor();
  await visitor.expectAccessible();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('quays.pdf');
  await page.getByRole('link', { name: 'Files' }).last().click();
  await page.getByRole('searchbox', { name: 'Search by name' }).fill('quays');
  await eventually(() => grid.getAttribute('aria-rowcount')).toBe('3');
  await row('quays.txt').focus();
  await page.keyboard.press('Control+a');
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete 2 files' }).click();
  await page.getByRole('heading', { name: 'No file matches' }).waitFor();
});

it('ends requests for pictures of a file whose page is left', async () => {
  visitor.expectErrors('net::ERR');
  const id = await service.upload('slow.pdf', twoPages());
  const pictures = /page_screenshots\/\d/;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(pictures, async (route) => {
    await released;
    await route.continue().catch(() => {});
  });
  const asked = new Set<string>();
  const ended = new Set<string>();
  page.on('request', (request) => pictures.test(request.url()) && asked.add(request.url()));
  page.on('requestfailed', (request) => ended.add(request.url()));
  await visitor.open(`/files/${id}`);
  await page.getByRole('img', { name: 'Page 1 of slow.pdf' }).waitFor();
  // The picture of the page, and small ones of both pages.
  await eventually(() => asked.size).toBe(3);
  await page.getByRole('link', { name: 'Files' }).last().click();
  await eventually(() => [...asked].filter((url) => !ended.has(url))).toEqual([]);
  release();
});

it('moves selected files to a folder, tags them and filters by tags', async () => {
  const unique = crypto.randomUUID().slice(0, 8);
  const ids = [];
  for (const name of ['alpha', 'beta', 'gamma']) {
    ids.push(await service.upload(`${name}-${unique}.txt`, `${name} is a letter.`));
  }
  await visitor.open(`/files?sort=name&q=${unique}`);
  await row('gamma').waitFor();
  for (const name of ['alpha', 'beta']) {
    await row(name).focus();
    await page.keyboard.press('x');
  }
  await page.getByRole('button', { name: 'Move', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await visitor.expectAccessible();
  await dialog.getByLabel('Folder').fill('a/../b');
  await dialog.getByRole('button', { name: 'Move' }).click();
  visitor.expectErrors('422');
  await dialog.getByText('must not contain a folder named').waitFor();
  await dialog.getByLabel('Folder').fill(`letters ${unique}/greek`);
  await dialog.getByRole('button', { name: 'Move' }).click();
  await page.getByText('2 files moved.').first().waitFor();
  await row('alpha').getByText(`letters ${unique}/greek`).waitFor();

  for (const name of ['beta', 'gamma']) {
    await row(name).focus();
    await page.keyboard.press('x');
  }
  await page.getByRole('button', { name: 'Tags', exact: true }).click();
  await dialog.getByLabel('Add tags').fill(`later ${unique}, draft ${unique}`);
  await visitor.expectAccessible();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await row('gamma').getByText(`draft ${unique}, later ${unique}`).waitFor();
  await page.getByRole('button', { name: `draft ${unique} (2)` }).click();
  await eventually(() => page.getByRole('grid').getAttribute('aria-rowcount')).toBe('3');
  expect(new URL(page.url()).searchParams.get('tags')).toBe(`draft ${unique}`);
  await visitor.expectAccessible();
  await row('beta').focus();
  await page.keyboard.press('x');
  await page.getByRole('button', { name: 'Tags', exact: true }).click();
  await dialog.getByRole('button', { name: `draft ${unique}` }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await eventually(() => page.getByRole('grid').getAttribute('aria-rowcount')).toBe('2');

  await page.getByRole('link', { name: 'All files' }).click();
  await page.getByRole('link', { name: `letters ${unique} 2 files` }).click();
  await page.getByText('No files directly in this folder').waitFor();
  await page.getByRole('link', { name: 'greek 2 files' }).click();
  await row('alpha').waitFor();
  expect(await row('gamma').count()).toBe(0);
});

it('shows the folder and the tags of a file, and changes them', async () => {
  const unique = crypto.randomUUID().slice(0, 8);
  const id = await service.upload(`delta-${unique}.txt`, 'Delta is a letter.');
  await visitor.open(`/files/${id}`);
  await page.getByText('No tags').waitFor();
  await page.getByRole('button', { name: 'Move', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Folder').fill(`letters ${unique}`);
  await dialog.getByRole('button', { name: 'Move' }).click();
  await page.getByRole('link', { name: `letters ${unique}` }).waitFor();
  await page.getByRole('button', { name: 'Edit tags' }).click();
  await dialog.getByLabel('Add tags').fill(`late ${unique}, early ${unique}`);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('link', { name: `late ${unique}` }).waitFor();
  await visitor.expectAccessible();
  await page.getByRole('button', { name: 'Edit tags' }).click();
  await dialog.getByRole('button', { name: `early ${unique}` }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('link', { name: `early ${unique}` }).waitFor({ state: 'detached' });
  const path = `/api/v1/beta/files/${id}?expand=folder&expand=tags`;
  expect(await service.call('GET', path)).toMatchObject({
    folder: `letters ${unique}`,
    tags: [`late ${unique}`],
  });
  await page.getByRole('link', { name: `letters ${unique}` }).click();
  await row(`delta-${unique}`).waitFor();
});

it('shows a data file as a table, and adds it to an index', async () => {
  const lines = Array.from(
    { length: 900 },
    (_, n) => `Quay ${n},${n * 3},"=HYPERLINK(""https://x.example"")"`,
  );
  const id = await service.upload('quays.csv', `name,metres,note\n${lines.join('\n')}\n`);
  const index = await newIndex(service, `Quays by file ${crypto.randomUUID()}`);
  await visitor.open(`/files/${id}`);
  const table = page.getByRole('grid', { name: /Table 1, 900 rows/ });
  await table.getByText('Quay 3', { exact: true }).waitFor();
  await table.getByRole('columnheader', { name: 'metres' }).waitFor();
  // Only rows near the visible area are rendered, and formulas are text.
  expect(await table.getByRole('row').count()).toBeLessThan(100);
  expect(await table.getByText('=HYPERLINK').count()).toBeGreaterThan(0);
  expect(await table.getByRole('link').count()).toBe(0);
  await visitor.expectAccessible();
  await page.getByRole('button', { name: 'Add to index' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Index').selectOption(index);
  await visitor.expectAccessible();
  await dialog.getByRole('button', { name: 'Add 1 file' }).click();
  await dialog.getByRole('link', { name: 'Quays by file' }).waitFor();
  const files = await service.call<unknown[]>('GET', `/api/v1/pipelines/${index}/files`);
  expect(files).toMatchObject([{ file_id: id }]);
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('link', { name: 'Extract' }).last().click();
  await page.getByRole('combobox', { name: 'File', exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get('file')).toBe(id);
});

it('is accessible in dark mode and fits a window of 320 pixels', async () => {
  const index = await newIndex(service, `Dark ${crypto.randomUUID()}`);
  const id = await service.upload('dark.pdf', twoPages());
  const broken = await service.upload('broken.pdf', '%PDF-1.7 nothing');
  await addFiles(service, index, [id, broken]);
  await synced(service, index);
  const dark = await visit(browser, service, {
    colorScheme: 'dark',
    viewport: { width: 320, height: 700 },
  });
  const screens = [
    [`/indexes/${index}/files`, 'dark.pdf'],
    [`/indexes/${index}/files?file=${broken}`, 'Reading the file'],
    [`/indexes/${index}/files/${id}`, 'Berth 5 takes'],
    ['/files', 'dark.pdf'],
    [`/files/${id}`, 'Berth 5 takes'],
  ] as const;
  for (const [path, words] of screens) {
    await dark.open(path);
    await dark.page.getByText(words).first().waitFor();
    await dark.expectAccessible();
    expect(await dark.page.evaluate(() => document.documentElement.scrollWidth), path).toBe(320);
  }
  await dark.end();
});
