import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { SharedService } from '../../test/process/shared-client.ts';
import { launch, type Visit, visit } from './support/browser.ts';
import { eventually, newIndex } from './support/papers.ts';

const service = new SharedService();
let browser: Browser;
let visitor: Visit;
let page: Page;
/** Temporary folder of each test, so that names and paths are unique. */
let folder: string;

beforeAll(async () => {
  await service.start();
  browser = await launch();
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await service.end();
});
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'harbour-'));
  visitor = await visit(browser, service);
  page = visitor.page;
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await visitor.end();
});

const UPLOADS = /\/api\/v1\/files(?:\?|$)/;
const name = () => folder.split('/').at(-1)!;

function write(path: string, text = `${path} is about the harbour.`): string {
  const file = join(folder, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** Drops files and folders from the disk, as the operating system does. */
async function drop(...paths: string[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: paths, dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', { type, x: 640, y: 400, data });
  }
  await session.detach();
}

interface IndexFile {
  name: string;
  external_file_id: string | null;
}

const indexFiles = async (index: string) =>
  (await service.call<{ files: IndexFile[] }>('GET', `/api/v1/pipelines/${index}/files2?limit=200`)).files;
const pathsIn = async (index: string) =>
  (await indexFiles(index)).map((file) => file.external_file_id ?? file.name).toSorted();

it('uploads all files of dropped folders with their paths and lists skipped hidden files', async () => {
  const index = await newIndex(service, `Dropped ${crypto.randomUUID()}`);
  // Browsers return the entries of a folder in groups of a hundred.
  const many = Array.from({ length: 130 }, (_, n) => `many/note-${String(n).padStart(3, '0')}.txt`);
  for (const path of [...many, 'berths/readme.txt', 'tides/2026/readme.txt']) write(path);
  write('many/.DS_Store');
  write('.git/config');
  write('tides/Thumbs.db');
  const single = mkdtempSync(join(tmpdir(), 'single-'));
  writeFileSync(join(single, 'ferry.txt'), 'The ferry goes at nine.');
  await visitor.open(`/indexes/${index}/files`);
  await page.getByRole('heading', { name: 'No files yet' }).waitFor();
  await drop(folder, join(single, 'ferry.txt'));
  await page.getByText('3 hidden or system files skipped').waitFor();
  const note = await page.getByRole('status').filter({ hasText: 'skipped' }).textContent();
  for (const path of ['many/.DS_Store', '.git', 'tides/Thumbs.db'])
    expect(note).toContain(`${name()}/${path}`);
  await page.getByText('133 of 133 files uploaded, 133 added to the index').waitFor();
  await visitor.expectAccessible();
  const paths = [...many, 'berths/readme.txt', 'tides/2026/readme.txt'].map((path) => `${name()}/${path}`);
  expect(await pathsIn(index)).toEqual([...paths, 'ferry.txt'].toSorted());
  rmSync(single, { recursive: true });
});

it('uploads a selected folder and asks before replacing a file with the same path', async () => {
  write('quays/north.txt');
  write('quays/.hidden');
  await visitor.open('/files');
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Upload folder' }).click();
  await (await chooser).setFiles(folder);
  await page.getByText('1 of 1 file uploaded').waitFor();
  await page.getByText(`1 hidden or system file skipped: ${name()}/quays/.hidden`).waitFor();
  const stored = async () =>
    (
      await service.call<{ items: { id: string; size: number | null }[] }>(
        'GET',
        `/api/v1/beta/files?external_file_id=${encodeURIComponent(`${name()}/quays/north.txt`)}`,
      )
    ).items;
  const [before] = await stored();
  write('quays/north.txt', 'The north quay is closed.');
  const again = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Upload folder' }).click();
  await (await again).setFiles(folder);
  await page.getByRole('button', { name: `Replace: ${name()}/quays/north.txt` }).click();
  await page.getByText('2 of 2 files uploaded').waitFor();
  const after = await stored();
  expect(after.map(({ id }) => id)).toEqual([before!.id]);
});

it('keeps the structure of an uploaded folder, below the open folder', async () => {
  write('berths/north/one.txt');
  write('two.txt');
  const base = `docks ${crypto.randomUUID()}`;
  await visitor.open(`/files?folder=${encodeURIComponent(base)}`);
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Upload folder' }).click();
  await (await chooser).setFiles(folder);
  await page.getByText('2 of 2 files uploaded').waitFor();
  await page.locator('input[type=file]').setInputFiles(write('three.txt'));
  await page.getByText('3 of 3 files uploaded').waitFor();
  await page.getByRole('row').filter({ hasText: 'three.txt' }).waitFor();
  const children = page.getByRole('list', { name: 'Subfolders' });
  await children.getByRole('link', { name: `${name()} 2 files` }).click();
  await page.getByRole('row').filter({ hasText: 'two.txt' }).waitFor();
  await children.getByRole('link', { name: 'berths 1 file' }).click();
  await children.getByRole('link', { name: 'north 1 file' }).click();
  await page.getByRole('row').filter({ hasText: 'one.txt' }).waitFor();
  await visitor.expectAccessible();
  // The list is filtered by the open folder and those below.
  await page.goBack();
  await page.getByText('No files directly in this folder').waitFor();
  await page.getByRole('searchbox', { name: 'Search by name' }).fill('o');
  await page
    .getByRole('row')
    .filter({ hasText: `${name()}/berths/north` })
    .waitFor();
  expect(await page.getByRole('row').filter({ hasText: '.txt' }).count()).toBe(1);
  const crumbs = page.getByRole('navigation', { name: 'Folders' });
  await crumbs.getByRole('link', { name: base }).click();
  await page.getByRole('row').filter({ hasText: 'three.txt' }).waitFor();
});

it('accepts a folder in the dialog for a new index', async () => {
  write('pilots/rota.txt');
  write('pilots/.DS_Store');
  const title = `Pilots ${crypto.randomUUID()}`;
  await visitor.open('/indexes');
  await page.getByRole('button', { name: 'New index' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New index' });
  await dialog.getByLabel('Name').fill(title);
  await dialog.getByRole('button', { name: 'Next' }).click();
  await dialog.getByText('Drop files or folders here').waitFor();
  await drop(folder);
  await dialog.getByText(`${name()}/pilots/rota.txt`).waitFor();
  await dialog.getByText('1 hidden or system file skipped').waitFor();
  await visitor.expectAccessible();
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
  const index = new URL(page.url()).pathname.split('/').at(-1)!;
  expect(await pathsIn(index)).toEqual([`${name()}/pilots/rota.txt`]);
});

it('adds files to the index during the upload and continues after a reload', async () => {
  const index = await newIndex(service, `Reloaded ${crypto.randomUUID()}`);
  const paths = Array.from({ length: 30 }, (_, n) => write(`paper-${n}.txt`));
  const titles = paths.map((path) => path.split('/').at(-1)!);
  let sent = 0;
  // A paused request ends with its page. Removing its route would send it.
  let isHolding = true;
  // 16 files are stored. The other uploads are paused until the page is reloaded.
  await page.route(UPLOADS, async (route) => {
    if (!isHolding || route.request().method() !== 'POST') return route.continue();
    sent += 1;
    if (sent <= 16) await route.continue();
  });
  // Some of the stored files have not been added to the index when the page is reloaded.
  let added = 0;
  await page.route('**/files', async (route) => {
    if (!isHolding || route.request().method() !== 'PUT') return route.fallback();
    added += 1;
    if (added === 1) await route.continue();
  });
  await visitor.open(`/indexes/${index}/files`);
  await page.getByRole('heading', { name: 'No files yet' }).waitFor();
  await page.locator('input[type=file]').setInputFiles(paths);
  await page.getByText(/^16 of 30 files uploaded, [1-9]\d* added to the index/).waitFor();
  const early = await pathsIn(index);
  expect(early.length).toBeGreaterThan(0);
  expect(early.length).toBeLessThan(16);

  const asked: string[] = [];
  page.on('dialog', async (dialog) => {
    asked.push(dialog.type());
    await dialog.accept();
  });
  await page.locator('h1').click();
  isHolding = false;
  await page.reload();
  expect(asked).toEqual(['beforeunload']);
  await page.getByText('14 files were not uploaded before the page was reloaded').waitFor();
  await page.getByText('16 of 30 files uploaded, 16 added to the index').waitFor();
  expect((await pathsIn(index)).length).toBe(16);
  await visitor.expectAccessible();
  const stored = await pathsIn(index);
  for (const title of titles.filter((each) => !stored.includes(each))) {
    const item = page.getByRole('listitem').filter({ hasText: new RegExp(`^${title} `) });
    await item.getByText('The page was reloaded before this file was stored.').waitFor();
  }

  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose files' }).click();
  await (await chooser).setFiles(paths.filter((path) => !stored.includes(path.split('/').at(-1)!)));
  await page.getByText('30 of 30 files uploaded, 30 added to the index').waitFor();
  expect(await pathsIn(index)).toEqual(titles.toSorted());
  // The browser stores nothing about uploads that have ended.
  await page.reload();
  await page.getByRole('grid').waitFor();
  expect(await page.evaluate(() => Object.keys(sessionStorage))).toEqual([]);
  expect(await page.getByRole('region', { name: 'Uploads' }).count()).toBe(0);
});

it('adds stored files to their index after a reload of any page', async () => {
  const index = await newIndex(service, `Elsewhere ${crypto.randomUUID()}`);
  await visitor.open(`/indexes/${index}/files`);
  await page.getByRole('heading', { name: 'No files yet' }).waitFor();
  // A paused request ends with its page. Removing its route would send it.
  let isHolding = true;
  await page.route('**/files', (route) =>
    isHolding && route.request().method() === 'PUT' ? new Promise<void>(() => {}) : route.fallback(),
  );
  await page.locator('input[type=file]').setInputFiles([write('lights.txt')]);
  await page.getByText('1 of 1 file uploaded').waitFor();
  await page.getByRole('link', { name: 'About' }).click();
  await page.getByRole('heading', { level: 1, name: 'About' }).waitFor();
  expect(await pathsIn(index)).toEqual([]);
  isHolding = false;
  await page.reload();
  await eventually(() => pathsIn(index)).toEqual(['lights.txt']);
});
