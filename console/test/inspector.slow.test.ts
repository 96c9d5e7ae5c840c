import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { SharedService } from '../../test/process/shared-client.ts';
import { launch, type Visit, visit } from './support/browser.ts';
import { addFiles, eventually, newIndex, synced, twoPages } from './support/papers.ts';

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

const shot = (name: string) =>
  process.env.SHOTS && page.screenshot({ path: `${process.env.SHOTS}/${name}.png` });

it('links chunks with their place on the page in both directions', async () => {
  const index = await newIndex(service, `Inspected ${crypto.randomUUID()}`, {
    transform_config: { mode: 'auto', chunk_size: 128, chunk_overlap: 0 },
  });
  const id = await service.upload('berths.pdf', twoPages());
  await addFiles(service, index, [id]);
  await synced(service, index);
  await visitor.open(`/indexes/${index}/files/${id}`);
  const chunks = page.getByRole('listbox', { name: 'Chunks of the file' });
  const first = chunks.getByRole('option').filter({ hasText: 'tokens' }).first();
  await first.click();
  await eventually(() => first.getAttribute('aria-selected')).toBe('true');
  const picture = page.getByRole('img', { name: 'Page 1 of berths.pdf' });
  await picture.waitFor();
  const node = new URL(page.url()).searchParams.get('node');
  const boxes = (key: string | null) => page.locator(`[data-mark="${key}"] span`);
  await boxes(node).first().waitFor();
  // The box lies over the printed heading: 60 points from the left and 62 from the top of a page of 612 by
  // 792 points.
  const box = (await boxes(node).first().boundingBox())!;
  const sheet = (await picture.boundingBox())!;
  expect((box.x - sheet.x) / sheet.width).toBeCloseTo(60 / 612, 1);
  expect((box.y - sheet.y) / sheet.height).toBeLessThan(0.1);
  await visitor.expectAccessible();

  await page.locator('body').click({ position: { x: 5, y: 5 } });
  await page.keyboard.press('j');
  await eventually(() => new URL(page.url()).searchParams.get('node')).not.toBe(node);
  await page.keyboard.press('k');
  await eventually(() => new URL(page.url()).searchParams.get('node')).toBe(node);
  await page.keyboard.press(']');
  await page.getByRole('img', { name: 'Page 2 of berths.pdf' }).waitFor();
  expect(new URL(page.url()).searchParams.get('page')).toBe('2');
  // A click on a line of the page selects the chunk that contains it.
  await eventually(() => page.locator('[data-mark]').count()).toBeGreaterThan(1);
  const line = page.locator('[data-mark] span').last();
  const key = await line.evaluate((element) => element.parentElement!.dataset.mark);
  // The text that can be selected lies over the line.
  await line.click({ force: true });
  await eventually(() => new URL(page.url()).searchParams.get('node')).toBe(key);
  await eventually(() => chunks.locator('[aria-selected=true]').count()).toBe(1);

  await page.getByRole('searchbox', { name: 'Find in the chunks' }).fill('berth 20 takes');
  await eventually(() => chunks.getByRole('option').count()).toBe(1);
  expect(await chunks.locator('mark').first().textContent()).toBe('Berth 20 takes');
  await visitor.expectAccessible();
  // The address alone brings the same page and chunk back.
  await visitor.open(`/indexes/${index}/files/${id}?node=${key}`);
  await page.getByRole('img', { name: 'Page 2 of berths.pdf' }).waitFor();
  await eventually(() => chunks.locator('[aria-selected=true]').count()).toBe(1);
});

it('shows chunks of files without pages', async () => {
  const index = await newIndex(service, `Data ${crypto.randomUUID()}`);
  const id = await service.upload('berths.csv', 'berth,metres\n1,30\n2,45\n');
  await addFiles(service, index, [id]);
  await synced(service, index);
  await visitor.open(`/indexes/${index}/files/${id}`);
  await page.getByRole('heading', { name: 'This file has no pages' }).waitFor();
  await page.getByRole('option').filter({ hasText: 'tokens' }).first().click();
  await page.getByText('This file format has no pages.').waitFor();
  await visitor.expectAccessible();
});

it.each([
  ['has loaded', true],
  ['is still loading', false],
])('shows a disabled chunk at once if its place %s, and puts it back if refused', async (_, isLoaded) => {
  visitor.expectErrors('503');
  const index = await newIndex(service, `Refused ${crypto.randomUUID()}`);
  const id = await service.upload('berths.pdf', twoPages());
  await addFiles(service, index, [id]);
  await synced(service, index);
  await visitor.open(`/indexes/${index}/files/${id}`);
  const first = page.getByRole('listbox', { name: 'Chunks of the file' }).getByRole('option').first();
  const loading = Promise.withResolvers<void>();
  if (isLoaded) loading.resolve();
  const refusal = Promise.withResolvers<void>();
  await page.route(/\/nodes\//, async (route) => {
    if (route.request().method() === 'PATCH') {
      await refusal.promise;
      return route.fulfill({ status: 503, json: { detail: 'Try again later.', retryable: false } });
    }
    await loading.promise;
    // The page cancels the request when the chunk is changed.
    return route.continue().catch(() => {});
  });
  const loaded = isLoaded && page.waitForResponse(/\/nodes\//);
  await first.filter({ hasText: 'tokens' }).click();
  await loaded;
  await page.getByRole('button', { name: 'Disable', exact: true }).click();
  await first.filter({ hasText: 'Disabled' }).waitFor();
  await page.getByRole('button', { name: 'Enable', exact: true }).waitFor();
  refusal.resolve();
  await page.getByText('The chunk could not be changed: Try again later.').first().waitFor();
  await page.getByRole('button', { name: 'Disable', exact: true }).waitFor();
  await eventually(() => first.filter({ hasText: 'Disabled' }).count()).toBe(0);
  loading.resolve();
});

it('disables a chunk and enables it again', async () => {
  const index = await newIndex(service, `Disabled ${crypto.randomUUID()}`, {
    transform_config: { mode: 'auto', chunk_size: 128, chunk_overlap: 0 },
  });
  const id = await service.upload('berths.pdf', twoPages());
  await addFiles(service, index, [id]);
  await synced(service, index);
  const isFound = async () => {
    const body = { query: 'Berths from 1', enable_reranking: false };
    const path = `/api/v1/pipelines/${index}/retrieve`;
    const { retrieval_nodes: nodes } = await service.call<{ retrieval_nodes: { node: { text: string } }[] }>(
      ...(['POST', path, body] as const),
    );
    return nodes.some(({ node }) => node.text.includes('Berth 1 takes'));
  };
  await visitor.open(`/indexes/${index}/files/${id}`);
  const chunks = page.getByRole('listbox', { name: 'Chunks of the file' });
  const first = chunks.getByRole('option').filter({ hasText: 'Berth 1 takes' }).first();
  await first.click();
  expect(await isFound()).toBe(true);
  await page.getByRole('button', { name: 'Disable', exact: true }).click();
  await first.filter({ hasText: 'Disabled' }).waitFor();
  await page.getByText('searches and chats do not find it').waitFor();
  await eventually(isFound).toBe(false);
  await visitor.expectAccessible();
  await page.getByRole('button', { name: 'Enable', exact: true }).click();
  await page.getByRole('button', { name: 'Disable', exact: true }).waitFor();
  await eventually(isFound).toBe(true);
});

it('shows and edits the metadata of a chunk', async () => {
  const index = await newIndex(service, `Described ${crypto.randomUUID()}`, {
    transform_config: { mode: 'auto', chunk_size: 128, chunk_overlap: 0 },
  });
  const id = await service.upload('berths.pdf', twoPages());
  await addFiles(service, index, [id]);
  await synced(service, index);
  const findAll = async (filters: object[]) => {
    const search_filters = { filters };
    const body = { query: 'Berths', enable_reranking: false, search_filters };
    const path = `/api/v1/pipelines/${index}/retrieve`;
    const { retrieval_nodes: nodes } = await service.call<{ retrieval_nodes: { node: { text: string } }[] }>(
      ...(['POST', path, body] as const),
    );
    return nodes.map(({ node }) => node.text);
  };
  await visitor.open(`/indexes/${index}/files/${id}`);
  const chunks = page.getByRole('listbox', { name: 'Chunks of the file' });
  await chunks.getByRole('option').filter({ hasText: 'Berth 1 takes' }).first().click();
  await page.getByRole('button', { name: 'Edit metadata' }).click();
  const dialog = page.getByRole('dialog');
  const fillRow = async (number: number, key: string, value: string) => {
    await dialog.getByLabel(`Key ${number}`).fill(key);
    await dialog.getByLabel(`Value ${number}`).fill(value);
  };
  const save = () => dialog.getByRole('button', { name: 'Save' }).click();
  await fillRow(1, '', 'no key');
  await save();
  await dialog.getByText('Enter a key.').waitFor();
  await visitor.expectAccessible();
  visitor.expectErrors('422');
  await fillRow(1, 'file_name', 'x');
  await save();
  await dialog.getByText('is set by the service and cannot be changed').waitFor();
  await shot('inspector-metadata');
  await fillRow(1, 'year', '2019');
  await dialog.getByRole('button', { name: 'Add row' }).click();
  await fillRow(2, 'year', 'x');
  await save();
  await dialog.getByText('This key is already in the list.').waitFor();
  await fillRow(2, 'code', '"7"');
  await save();
  await eventually(() => dialog.count()).toBe(0);
  const [only, ...others] = await findAll([{ key: 'year', value: 2019, operator: '==' }]);
  expect([only?.includes('Berth 1 takes'), others]).toEqual([true, []]);
  expect(await findAll([{ key: 'code', value: '7', operator: '==' }])).toEqual([only]);
  await page.getByText('Metadata', { exact: true }).click();
  const shown = page.locator('dl > div').filter({ hasText: 'This chunk' });
  await eventually(() => shown.allTextContents()).toEqual(['year2019This chunk', 'code7This chunk']);
  await visitor.expectAccessible();

  // The editor shows the saved values, and removing a row removes the key.
  await page.getByRole('button', { name: 'Edit metadata' }).click();
  expect(await dialog.getByLabel('Value 2').inputValue()).toBe('"7"');
  await dialog.getByRole('button', { name: 'Remove row 1' }).click();
  await save();
  await eventually(() => shown.allTextContents()).toEqual(['code7This chunk']);
  expect(await findAll([{ key: 'year', value: 2019, operator: '==' }])).toEqual([]);
});
