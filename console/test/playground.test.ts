import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { SyncClient } from '../../test/process/pipelines.ts';
import { SharedService } from '../../test/process/shared-client.ts';
import { PATIENCE_MS } from '../../test/support/patience.ts';
import { launch, type Visit, visit } from './support/browser.ts';

const service = new SharedService();
let browser: Browser;
let visitor: Visit;
let index: string;
const preset = { dense_similarity_top_k: 17, enable_reranking: false };

const TEXTS = {
  'dues.md': '# Dues\n\nHarbour dues are paid at the north office. A yacht pays twelve crowns a night.',
  'tides.md': '# Tides\n\nHigh water at the north pier is at noon. Nobody pays for the tide.',
  'pilots.md': '# Pilots\n\nA pilot is called by radio, and rows out from the pier.',
  'gebühren.md': '# Gebühren\n\nDie Gebühr für Boote. 港の料金は無料です。',
};

beforeAll(async () => {
  await service.start();
  const client = new SyncClient(service);
  index = await client.createPipeline({ name: 'Harbour', preset_retrieval_parameters: preset });
  const files = await Promise.all(
    Object.entries(TEXTS).map(async ([name, text]) => ({
      file_id: await service.upload(name, text),
      custom_metadata: { kind: name === 'dues.md' ? 'rule' : 'note' },
    })),
  );
  await service.call('PUT', `/api/v1/pipelines/${index}/files`, files);
  await client.sync(index);
  browser = await launch();
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await service.end();
});
beforeEach(async () => {
  visitor = await visit(browser, service);
});
afterEach(() => visitor.end());

const PATIENCE = { timeout: PATIENCE_MS };
const button = (name: string) => visitor.page.getByRole('button', { name, exact: true });
const results = (name: string) => visitor.page.getByRole('list', { name, exact: true });
const parameter = (name: string) => new URL(visitor.page.url()).searchParams.get(name);
const open = (search = '') => visitor.open(`/indexes/${index}/playground${search}`);
const shot = (name: string) =>
  process.env.SHOTS && visitor.page.screenshot({ path: `${process.env.SHOTS}/${name}.png`, fullPage: true });

async function ask(query: string) {
  await visitor.page.getByRole('searchbox', { name: 'Query' }).fill(query);
  await visitor.page.keyboard.press('Enter');
}

it('shows results with explanations, and keeps query and parameters in the URL', async () => {
  await open();
  await visitor.page.getByText('Enter a query').waitFor();
  await shot('playground-begin');
  await ask('harbour dues');
  const first = results('Results').getByRole('listitem').first();
  await first.waitFor();
  expect(await first.locator('mark').allTextContents()).toEqual(['Dues', 'Harbour', 'dues']);
  expect(await first.getByRole('link').getAttribute('href')).toMatch(/\/files\/[^?]+\?page=1&node=[^&]+$/);
  expect(await first.locator('dl').textContent()).toMatch(/Keyword\d+\.\d{3}.*Rerankernot used/s);
  await visitor.page.getByText('Search details').click();
  await visitor.page.getByText('Searching', { exact: true }).waitFor();
  await visitor.expectAccessible();

  // The default of the index is shown in grey. An entered value is sent and becomes part of the address.
  const byMeaning = visitor.page.getByLabel('Semantic top-k');
  expect(await byMeaning.getAttribute('placeholder')).toBe('17');
  const sent = visitor.page.waitForRequest(
    (request) => request.url().endsWith('/retrieve') && request.postDataJSON().alpha !== undefined,
  );
  await visitor.page.getByRole('slider').fill('0');
  expect((await sent).postDataJSON()).toEqual({ query: 'harbour dues', alpha: 0 });
  await expect.poll(() => parameter('alpha'), PATIENCE).toBe('0');
  await visitor.page.reload();
  await first.waitFor();
  expect(await visitor.page.getByRole('slider').inputValue()).toBe('0');
  expect(await visitor.page.getByRole('searchbox', { name: 'Query' }).inputValue()).toBe('harbour dues');
  await shot('playground-results');
  await button('Reset').click();
  await expect.poll(() => parameter('alpha'), PATIENCE).toBeNull();
});

it('highlights words of any script, ignoring case and accents', async () => {
  await open('?q=gebuhr+%E6%96%99%E9%87%91&alpha=0.5');
  const marked = results('Results').getByRole('listitem').filter({ hasText: 'Boote' }).locator('mark');
  await marked.first().waitFor();
  expect(await marked.allTextContents()).toEqual(['Gebühr', '料金']);
});

it('compares two parameter sets and shows rank changes', async () => {
  await open('?q=who+pays+at+the+pier&alpha=0');
  await results('Results').waitFor();
  await button('Compare').click();
  await results('Results of B').waitFor();
  await results('Results of A').waitFor();
  await visitor.page.getByText(/only in A|find the same passages/).waitFor();
  const of = async (name: string) => {
    const links = await results(name).getByRole('link').allTextContents();
    return links.map((text) => text.split(',')[0]!);
  };
  await visitor.page.getByLabel('Keyword top-k').fill('1');
  await visitor.page.getByRole('slider').fill('0');
  await expect.poll(async () => (await of('Results of B')).length, PATIENCE).toBe(1);
  expect(parameter('b.alpha')).toBe('0');
  expect(parameter('alpha')).toBe('0');
  const left = await of('Results of A');
  const [only] = await of('Results of B');
  expect(left.length).toBeGreaterThan(1);
  const badge = results('Results of B').getByRole('listitem').first();
  expect(await badge.textContent()).toContain(left[0] === only ? 'same rank' : 'higher');
  await visitor.page.getByText(`${left.length - 1} only in A, 0 only in B.`).waitFor();
  await visitor.expectAccessible();
  await shot('playground-compare');
});

it('shows how far a passage moved when filters remove others', async () => {
  const filters = encodeURIComponent('{"filters":[{"key":"kind","value":"note"}]}');
  await open(`?q=harbour+dues+at+the+pier&alpha=0&compare=true&b.alpha=0&b.search_filters=${filters}`);
  await results('Results of B').waitFor();
  await results('Results of A').waitFor();
  const [left, right] = await Promise.all(
    ['A', 'B'].map((name) => results(`Results of ${name}`).getByRole('link').allTextContents()),
  );
  expect(left![0]).toMatch(/^dues\.md/);
  expect(right).toEqual(left!.slice(1));
  const rows = await results('Results of B').getByRole('listitem').allTextContents();
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) expect(row).toContain('1 rank higher');
  await visitor.page.getByText('1 only in A, 0 only in B.').waitFor();
});

it('filters by metadata and shows when filters match nothing', async () => {
  await open('?q=who+pays');
  await results('Results').waitFor();
  await visitor.page.getByLabel('Metadata key').fill('kind');
  await visitor.page.getByLabel('Value', { exact: true }).fill('rule');
  await button('Add filter').click();
  const names = () => results('Results').getByRole('link').allTextContents();
  await expect
    .poll(async () => (await names()).map((name) => name.split(',')[0]), PATIENCE)
    .toEqual(['dues.md']);
  await visitor.page.getByLabel('Value of filter 1').fill('nothing');
  await visitor.page.getByText('No passage that matches the filters answers this query.').waitFor();
  await visitor.expectAccessible();
  await shot('playground-nothing');
});

it('shows what reranking removed', async () => {
  await open('?q=who+pays+at+the+pier&enable_reranking=true&rerank_top_n=1');
  await results('Results').waitFor();
  expect(await results('Results').getByRole('listitem').count()).toBe(1);
  await button('Show results that were cut off').click();
  await results('Cut off').waitFor();
  const cut = await results('Cut off').getByRole('listitem').count();
  expect(cut).toBeGreaterThan(0);
  await visitor.page.getByText(new RegExp(`^${cut} passages? removed by`)).waitFor();
});

it('shows an invalid parameter at its field and failures with the service message', async () => {
  visitor.expectErrors('422', '503');
  await open('?q=pier&rerank_top_n=1000&enable_reranking=true');
  const field = visitor.page.getByLabel('Rerank top n');
  await expect.poll(() => field.getAttribute('aria-invalid'), PATIENCE).toBe('true');
  await visitor.expectAccessible();
  await field.fill('3');
  await results('Results').waitFor();
  let isDown = true;
  await visitor.page.route('**/retrieve', (route) =>
    isDown
      ? route.fulfill({ status: 503, json: { detail: 'The index is busy.', code: 'busy', retryable: true } })
      : route.continue(),
  );
  await ask('radio');
  await visitor.page.getByText('The index is busy.').waitFor();
  isDown = false;
  await button('Try again').click();
  await results('Results')
    .getByRole('link', { name: /pilots/ })
    .first()
    .waitFor();
});

it('saves parameters as defaults of the index', async () => {
  await open('?q=pier&sparse_similarity_top_k=2');
  await button('Save as defaults').click();
  await visitor.page.getByRole('dialog').waitFor();
  await visitor.expectAccessible();
  await button('Save').click();
  await visitor.page.getByText('Saved as index defaults').first().waitFor();
  // The address changes together with the message, because the code of the page is loaded already.
  const search = await visitor.page.evaluate(() => location.search);
  expect(search).not.toContain('sparse_similarity_top_k');
  await expect
    .poll(() => visitor.page.getByLabel('Keyword top-k').getAttribute('placeholder'), PATIENCE)
    .toBe('2');
  const kept = await service.call<{ preset_retrieval_parameters: Record<string, unknown> }>(
    'GET',
    `/api/v1/pipelines/${index}`,
  );
  expect(kept.preset_retrieval_parameters).toMatchObject({ ...preset, sparse_similarity_top_k: 2 });
});

it('works in dark mode and in a narrow window', async () => {
  await visitor.end();
  visitor = await visit(browser, service, {
    colorScheme: 'dark',
    viewport: { width: 320, height: 640 },
  });
  await open('?q=harbour+dues&compare=true');
  await results('Results of B').waitFor();
  await visitor.expectAccessible();
  const overflow = await visitor.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(overflow).toBeLessThanOrEqual(0);
  await shot('playground-narrow-dark');
});
