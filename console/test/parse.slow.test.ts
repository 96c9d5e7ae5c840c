import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { buildPdf, text } from '../../test/fixtures/pdf.ts';
import { SharedService } from '../../test/process/shared-client.ts';
import { launch, type Visit, visit } from './support/browser.ts';
import { eventually } from './support/papers.ts';

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

const PAGES = ['Corran', 'Ardgour', 'Ballachulish'].map((quay) => ({
  content:
    text(72, 720, `Quay of ${quay}`, 20) +
    text(72, 640, `The quay of ${quay} is open to ships all day.`) +
    text(72, 560, `Call the ${quay} harbour master by radio.`),
}));

const manual = () => service.upload('quays.pdf', new Uint8Array(buildPdf({ pages: PAGES })));

/** Runs a parse job and returns its id. */
async function parse(file_id: string, configuration: object = {}): Promise<string> {
  const { id } = await service.call<{ id: string }>('POST', '/api/v2/parse', { file_id, configuration });
  const status = async () => (await service.call<{ status: string }>('GET', `/api/v2/parse/${id}`)).status;
  await eventually(status).toBe('COMPLETED');
  return id;
}

const isHighlighted = (at: number) =>
  page.locator(`[data-mark="${at}"]`).evaluate((mark) => /chosen/.test(mark.className));

it('links the blocks of a page with the boxes on its picture in both directions', async () => {
  await visitor.open(`/parse/${await parse(await manual())}?page=2`);
  await page.locator('figure[data-state=shown]').waitFor();
  const blocks = page.locator('[data-block]');
  await eventually(() => blocks.count()).toBe(3);
  await blocks.filter({ hasText: 'Quay of Ardgour' }).first().waitFor();
  expect(await isHighlighted(1)).toBe(false);
  await page.getByRole('button', { name: 'Paragraph 2' }).focus();
  await eventually(() => isHighlighted(1)).toBe(true);
  expect(await isHighlighted(0)).toBe(false);
  await page.locator('[data-mark="2"] span').hover({ force: true });
  await eventually(() => blocks.nth(2).getAttribute('class')).toMatch(/active/);
  await eventually(() => isHighlighted(1)).toBe(false);
  await visitor.expectAccessible();
  // Rendered text and source side by side.
  await page.getByRole('tab', { name: 'Preview and source' }).click();
  await page.locator('pre', { hasText: '# Quay of Ardgour' }).waitFor();
  await eventually(() => blocks.count()).toBe(3);
  expect(new URL(page.url()).searchParams.get('form')).toBe('both');
  await visitor.expectAccessible();
});

it('reads only the page that is shown', async () => {
  const job = await parse(await manual());
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await visitor.open(`/parse/${job}?page=3`);
  await page.locator('[data-block]', { hasText: 'Quay of Ballachulish' }).first().waitFor();
  const pages = asked.filter((path) => /\/parse\/[^/]+\/pages\/\d+$/.test(path));
  expect(new Set(pages)).toEqual(new Set([`/api/v2/parse/${job}/pages/3`]));
  await page.keyboard.press('[');
  await page.locator('[data-block]', { hasText: 'Quay of Ardgour' }).first().waitFor();
  expect(asked.filter((path) => path.endsWith('/pages/1'))).toEqual([]);
});

it('shows HTML of a document as harmless elements', async () => {
  const hostile =
    '<table><tr><th colspan="2" onclick="alert(1)" style="position:fixed">Tides</th></tr>' +
    '<tr><td>Monday<script>alert(2)</script></td><td>3.1 m<img src=x onerror=alert(3)></td></tr></table>';
  const file = await service.upload('tides.md', `# Tides of June\n\n${hostile}\n`);
  const job = await parse(file, { output_tables_as_HTML: true });
  await visitor.open(`/parse/${job}?form=both`);
  const table = page.locator('[data-block] table').first();
  await table.getByText('3.1 m').waitFor();
  const elements = await table.evaluate((element) =>
    [element, ...element.querySelectorAll('*')].map(({ localName, attributes }) => ({
      localName,
      attributes: [...attributes].map(({ name }) => name),
    })),
  );
  expect(elements.map(({ localName }) => localName)).toEqual(expect.arrayContaining(['table', 'th', 'td']));
  expect(elements.filter(({ localName }) => ['script', 'img'].includes(localName))).toEqual([]);
  const attributes = elements.flatMap((element) => element.attributes);
  expect(attributes).toContain('colspan');
  expect(attributes.filter((name) => name === 'style' || name.startsWith('on'))).toEqual([]);
  await visitor.expectAccessible();
});

it('keeps a group of parameters open while its only value is removed', async () => {
  await visitor.open('/parse');
  await page.getByText('Further parameters', { exact: true }).click();
  const field = page.getByLabel('Further parameters as JSON');
  await field.fill('{"page_prefix": "Sheet"}');
  await field.blur();
  await page.getByText('1 set').waitFor();
  await field.fill('');
  await field.blur();
  await eventually(() => page.getByText('1 set').count()).toBe(0);
  expect(await field.isVisible()).toBe(true);
  // A value from the address opens its group.
  await visitor.open(`/parse?parameters=${encodeURIComponent('{"page_prefix":"Sheet"}')}`);
  await field.waitFor();
  await page.locator('summary', { hasText: 'Further parameters' }).click();
  await eventually(() => field.isVisible()).toBe(false);
});

it('compares two settings on the same page', async () => {
  const file = await manual();
  const first = await parse(file, { target_pages: '1-2' });
  await visitor.open(`/parse/${first}?page=2`);
  await page.getByRole('link', { name: 'Try other parameters' }).click();
  const pages = page.getByLabel('Pages (optional)', { exact: true });
  await eventually(() => pages.inputValue()).toBe('1-2');
  await pages.fill('2-3');
  await page.getByText('Further parameters', { exact: true }).click();
  await page.getByLabel('Further parameters as JSON').fill('{"page_prefix": "Sheet {page_number}"}');
  await page.getByLabel('Further parameters as JSON').blur();
  const stored = () => JSON.parse(new URL(page.url()).searchParams.get('parameters') ?? '{}');
  await eventually(stored).toEqual({ target_pages: '2-3', page_prefix: 'Sheet {page_number}' });
  await page.getByLabel('Password (optional)').fill('open sesame');
  await visitor.expectAccessible();
  await page.getByRole('button', { name: 'Parse', exact: true }).click();
  await page.getByText(/only in B, 0 only in A|A and B read the same text/).waitFor();
  expect(page.url()).not.toContain('sesame');
  const { searchParams } = new URL(page.url());
  expect(searchParams.get('with')).toBe(first);
  // Only page 2 was read by both jobs.
  const choices = page.getByRole('combobox', { name: 'Page', exact: true }).locator('option');
  expect(await choices.allTextContents()).toEqual(['Page 2 of 2']);
  await visitor.expectAccessible();
  await page.getByRole('tab', { name: 'Previews' }).click();
  for (const side of ['A', 'B']) {
    await page
      .getByRole('region', { name: `${side}, page 2` })
      .getByText('Quay of Ardgour', { exact: true })
      .waitFor();
  }
  const other = await parse(await service.upload('other.md', '# Something else'));
  await visitor.open(`/parse/${other}?with=${first}`);
  await page.getByText('The jobs read different documents').waitFor();
});

it('marks the words that differ', async () => {
  const file = await service.upload(
    'links.html',
    '<p>See <a href="https://example.org/tides">the tides</a> of June.</p>',
  );
  const [plain, linked] = [await parse(file, { annotate_links: false }), await parse(file)];
  await visitor.open(`/parse/${linked}?with=${plain}`);
  await page.locator('ins', { hasText: 'example.org' }).first().waitFor();
  await page.getByText(/[1-9]\d* words? only in B/).waitFor();
  await visitor.expectAccessible();
});
