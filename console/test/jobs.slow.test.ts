import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { SharedService } from '../../test/process/shared-client.ts';
import { PATIENCE_MS } from '../../test/support/patience.ts';
import { withMissingFields } from '../src/screens/extract/missing-fields.ts';
import { toCsv } from '../src/screens/jobs/download.ts';
import { launch, type Visit, visit } from './support/browser.ts';

const service = new SharedService();
let browser: Browser;
let visitor: Visit;
let manual: string;

const SCHEMA = {
  type: 'object',
  properties: {
    invoice_number: { type: 'string', description: 'Number of the invoice' },
    total: { type: 'number', description: 'Total amount' },
  },
  required: ['invoice_number'],
};
const INVOICE = 'Invoice number: INV-2041\nDate: 2026-03-04\nTotal: 1,250.50\n';
const PATIENCE = { timeout: PATIENCE_MS };

beforeAll(async () => {
  await service.start();
  manual = await service.upload(
    'harbour-manual.pdf',
    new Uint8Array(readFileSync('examples/harbour-manual.pdf')),
  );
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

const button = (name: string) => visitor.page.getByRole('button', { name, exact: true });
const shot = (name: string) =>
  process.env.SHOTS && visitor.page.screenshot({ path: `${process.env.SHOTS}/${name}.png`, fullPage: true });

async function upload(name: string, text: string) {
  const chooser = visitor.page.waitForEvent('filechooser');
  await button('Upload').click();
  await (await chooser).setFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
  await visitor.page
    .getByRole('combobox', { name: 'File', exact: true })
    .locator('option:checked', { hasText: name })
    .waitFor({ state: 'attached' });
}

async function downloaded(name: string) {
  const arrival = visitor.page.waitForEvent('download');
  await button(name).click();
  const file = await arrival;
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') };
}

it('builds a schema in the table, validates and saves it', async () => {
  visitor.expectErrors('400', '422');
  await visitor.open('/extract');
  await visitor.page.getByText('No jobs yet.').waitFor();
  await shot('extract-begin');
  await button('Extract').click();
  await visitor.page.getByText('Select a document first.').waitFor();
  await button('Add a field').click();
  await visitor.page.getByLabel('Name of field').fill('sender');
  await visitor.page.keyboard.press('Tab');
  await visitor.page.getByLabel('Type of sender').selectOption('Group');
  await button('Add a field to sender').click();
  await visitor.page.getByLabel('Name of sender.field').fill('city');
  await visitor.page.keyboard.press('Tab');
  await visitor.page.getByLabel('Description of sender.city').fill('Where the sender is');
  await visitor.page.getByRole('tab', { name: 'JSON Schema' }).click();
  const json = visitor.page.getByLabel('JSON Schema', { exact: true }).last();
  await expect
    .poll(async () => JSON.parse(await json.inputValue()), PATIENCE)
    .toEqual({
      type: 'object',
      properties: {
        sender: {
          type: 'object',
          properties: { city: { type: 'string', description: 'Where the sender is' } },
          required: [],
        },
      },
      required: [],
    });
  await json.fill('{"type": "object", "properties": {"when": {"type": "moment"}}}');
  await button('Check').click();
  await visitor.page.getByText('The schema is invalid').waitFor();
  await visitor.expectAccessible();
  await json.fill(JSON.stringify(SCHEMA));
  await button('Check').click();
  await visitor.page.getByText('The schema is valid.').waitFor();
  await button('Save as…').click();
  const name = `Invoices ${crypto.randomUUID()}`;
  await visitor.page.getByLabel('Name', { exact: true }).fill(name);
  await visitor.expectAccessible();
  await button('Save').click();
  await visitor.page.getByRole('dialog').waitFor({ state: 'detached' });
  const saved = await service.call<{ items: { name: string; parameters: { data_schema: unknown } }[] }>(
    'GET',
    `/api/v1/beta/configurations?product_type=extract_v2&name=${encodeURIComponent(name)}`,
  );
  expect(saved.items).toMatchObject([
    { name, parameters: { data_schema: { required: ['invoice_number'] } } },
  ]);
});

it('extracts values from an uploaded file and exports them', async () => {
  const { id } = await service.call<{ id: string }>('POST', '/api/v1/beta/configurations', {
    name: 'Receipts',
    parameters: {
      product_type: 'extract_v2',
      data_schema: SCHEMA,
      cite_sources: true,
      confidence_scores: true,
    },
  });
  await visitor.open('/extract');
  await upload('invoice.txt', INVOICE);
  await visitor.page.getByRole('combobox', { name: 'Saved configuration' }).selectOption(id);
  await visitor.page.getByLabel('Name of invoice_number').waitFor();
  await button('Extract').click();
  await visitor.page.waitForURL(/\/extract\/[^/?]+/);
  const value = visitor.page.getByRole('button', { name: /INV-2041/ });
  await value.waitFor(PATIENCE);
  await value.click();
  await visitor.page.getByText(/Confidence \d+%, not calibrated/).waitFor();
  expect(new URL(visitor.page.url()).searchParams.get('value')).toBe('/invoice_number');
  const json = await downloaded('JSON');
  expect(json.name).toBe('invoice.txt.json');
  expect(JSON.parse(json.text)).toEqual({ invoice_number: 'INV-2041', total: 1250.5 });
  expect((await downloaded('CSV')).text).toBe('invoice_number,total\r\nINV-2041,1250.5\r\n');
  await visitor.page.reload();
  await visitor.page.getByText(/not calibrated/).waitFor(PATIENCE);
});

it('shows schema fields without value as not found', async () => {
  const text = { type: 'string' };
  const schema = {
    type: 'object',
    properties: {
      invoice_number: { type: 'string', description: 'Number of the invoice' },
      vessel: { type: 'string', description: 'Name of the vessel' },
      berth: { type: 'object', properties: { quay: text, depth: { type: 'number' } } },
      pilots: { type: 'array', items: { type: 'object', properties: { name: text, rank: text } } },
    },
  };
  const file = await service.upload('only-number.txt', 'Invoice number: INV-2042\n');
  const job = await service.call<{ id: string }>('POST', '/api/v2/extract', {
    file_input: file,
    configuration: { data_schema: schema },
  });
  // A missing field, null and an empty list look the same to the reader.
  await visitor.page.route(`**/api/v2/extract/${job.id}*`, async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    const found = { invoice_number: 'INV-2042', pilots: [{ name: 'Ada Brandt' }, { name: null, rank: '' }] };
    await route.fulfill({ json: body.status === 'COMPLETED' ? { ...body, extract_result: found } : body });
  });
  await visitor.open(`/extract/${job.id}`);
  await visitor.page.getByText('INV-2042').waitFor(PATIENCE);
  const texts = async () => {
    const leaves = visitor.page.getByRole('region', { name: 'Values' }).getByRole('listitem');
    return (await leaves.filter({ hasNot: visitor.page.getByRole('listitem') }).allTextContents()).map(
      (each) => each.replace(/page \d+$/, ''),
    );
  };
  expect(await texts()).toEqual([
    'invoice_numberINV-2042',
    'vesselNot found',
    'quayNot found',
    'depthNot found',
    'nameAda Brandt',
    'rankNot found',
    'nameNot found',
    'rankNot found',
  ]);
  await visitor.expectAccessible();
  expect((await downloaded('CSV')).text.split('\r\n')[0]).toBe(
    'invoice_number,vessel,berth.quay,berth.depth,pilots.0.name,pilots.0.rank,pilots.1.name,pilots.1.rank',
  );
  await visitor.page.unroute(`**/api/v2/extract/${job.id}*`);
  await visitor.page.reload();
  await visitor.page.getByText('Not found').first().waitFor();
  expect((await texts()).filter((each) => each === 'vesselNot found' || /^pilots/.test(each))).toEqual([
    'vesselNot found',
    'pilotsNot found',
  ]);
});

it('completes missing fields for schemas with references, alternatives and recursion', () => {
  const schema = {
    type: 'object',
    properties: {
      owner: { $ref: '#/$defs/person' },
      agent: { anyOf: [{ $ref: '#/$defs/person' }, { type: 'null' }] },
    },
    $defs: {
      person: {
        type: 'object',
        properties: { name: { type: 'string' }, heir: { $ref: '#/$defs/person' } },
      },
    },
  };
  const nobody = { name: null, heir: null };
  expect(withMissingFields({ owner: { name: 'Ada', heir: { name: 'Jon' } } }, schema)).toEqual({
    owner: { name: 'Ada', heir: { name: 'Jon', heir: null } },
    agent: nobody,
  });
  expect(withMissingFields([{ owner: null }, {}], schema)).toEqual([
    { owner: nobody, agent: nobody },
    { owner: nobody, agent: nobody },
  ]);
  expect(withMissingFields({ extra: 1 }, undefined)).toEqual({ extra: 1 });
});

it('escapes spreadsheet formulas in CSV exports', () => {
  const rows = [
    { name: '=HYPERLINK("x")', sum: -5 },
    { name: 'a, b', sum: null },
  ];
  expect(toCsv(['name', 'sum'], rows)).toBe(`name,sum\r\n"'=HYPERLINK(""x"")",-5\r\n"a, b",\r\n`);
});

it('shows where a value is printed on the page', async () => {
  const job = await service.call<{ id: string }>('POST', '/api/v2/extract', {
    file_input: manual,
    configuration: {
      cite_sources: true,
      confidence_scores: true,
      data_schema: {
        type: 'object',
        properties: {
          title: { type: 'string', description: 'Title of the document' },
          harbour: { type: 'string' },
        },
      },
    },
  });
  await visitor.open(`/extract/${job.id}`);
  const value = visitor.page.getByRole('list').getByRole('button').first();
  await value.waitFor(PATIENCE);
  await value.click();
  await visitor.page.getByRole('img', { name: /Page \d+ of harbour-manual\.pdf/ }).waitFor();
  await visitor.page.locator('figure[data-state=shown]').waitFor(PATIENCE);
  const box = await visitor.page.locator('[data-mark] > span').first().boundingBox();
  const page = await visitor.page.locator('figure[data-state=shown]').boundingBox();
  expect(box!.width).toBeGreaterThan(2);
  expect(box!.x).toBeGreaterThanOrEqual(page!.x);
  expect(box!.y + box!.height).toBeLessThanOrEqual(page!.y + page!.height);
  await visitor.expectAccessible();
  await shot('extract-result');
});

it('parses a file and shows its pages beside the parsed content', async () => {
  await visitor.open(`/parse?file=${manual}`);
  await visitor.page
    .getByRole('combobox', { name: 'File', exact: true })
    .locator('option:checked', { hasText: 'harbour-manual' })
    .waitFor({ state: 'attached' });
  await visitor.page.getByLabel('Pages (optional)', { exact: true }).fill('1-x');
  visitor.expectErrors('422');
  await button('Parse').click();
  await expect
    .poll(
      () => visitor.page.getByLabel('Pages (optional)', { exact: true }).getAttribute('aria-invalid'),
      PATIENCE,
    )
    .toBe('true');
  await visitor.page.getByLabel('Pages (optional)', { exact: true }).fill('');
  await button('Parse').click();
  await visitor.page.getByRole('tab', { name: 'Markdown', exact: true }).click(PATIENCE);
  const read = visitor.page.locator('pre');
  await read.filter({ hasText: '# Harbour manual' }).waitFor(PATIENCE);
  await visitor.page.locator('figure[data-state=shown]').waitFor(PATIENCE);
  await visitor.page.locator('[aria-current=true]', { hasText: 'Completed' }).waitFor();
  await shot('parse-result');
  await visitor.expectAccessible();
  const first = await read.textContent();
  // Uses only the keyboard.
  await visitor.page.getByRole('heading', { level: 1 }).focus();
  await visitor.page.keyboard.press(']');
  await visitor.page.getByRole('img', { name: 'Page 2 of harbour-manual.pdf' }).waitFor();
  expect(await read.textContent()).not.toBe(first);
  expect(new URL(visitor.page.url()).searchParams.get('page')).toBe('2');
  await visitor.page.getByRole('tab', { name: 'Markdown', exact: true }).focus();
  await visitor.page.keyboard.press('ArrowRight');
  await visitor.page.waitForURL((url) => url.searchParams.get('form') === 'text');
  const file = await downloaded('Markdown');
  expect(file.name).toBe('harbour-manual.pdf.md');
  expect(file.text).toContain('# Harbour manual');
  const job = new URL(visitor.page.url()).pathname;
  await button('Delete').click();
  await visitor.page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await visitor.page.getByText('New parse').last().waitFor();
  await visitor.page.locator(`a[href^="${job}"]`).waitFor({ state: 'detached' });
  await visitor.page.waitForURL((url) => url.pathname === '/console/parse');
});

it('classifies a file by rules and shows errors of a rule', async () => {
  visitor.expectErrors('422');
  await visitor.open('/classify');
  await upload('bill.txt', INVOICE);
  await visitor.page.getByLabel('Type 1', { exact: true }).fill('invoice');
  await visitor.page.getByLabel('Description of type 1').fill('short');
  await button('Classify').click();
  const description = visitor.page.getByLabel('Description of type 1');
  await expect.poll(() => description.getAttribute('aria-invalid'), PATIENCE).toBe('true');
  await visitor.expectAccessible();
  await description.fill('An invoice: it has an invoice number, a customer and a total');
  await button('Add a type').click();
  await visitor.page.getByLabel('Type 2', { exact: true }).fill('letter');
  await visitor.page.getByLabel('Description of type 2').fill('A letter with a greeting and a signature');
  await button('Classify').click();
  await visitor.page.getByRole('heading', { name: 'Result' }).waitFor(PATIENCE);
  await visitor.page.getByText(/Confidence \d+%, not calibrated/).waitFor();
  const table = await downloaded('CSV');
  expect(table.text).toMatch(/^file,type,confidence,reasoning\r\nbill\.txt,invoice,/);
  await visitor.expectAccessible();
  await shot('classify-result');
});

it('applies the settings of an earlier job once, and keeps changes when the user goes back', async () => {
  const rules = [{ type: 'letter', description: 'A letter with a greeting and a signature' }];
  const classified = await service.call<{ id: string }>('POST', '/api/v2/classify', {
    file_input: manual,
    configuration: { rules },
  });
  await visitor.open(`/classify?from=${classified.id}`);
  const type = visitor.page.getByLabel('Type 1', { exact: true });
  await expect.poll(() => type.inputValue(), PATIENCE).toBe('letter');
  await expect.poll(() => new URL(visitor.page.url()).search, PATIENCE).toBe('');
  await type.fill('postcard');
  const navigation = visitor.page.getByRole('complementary', { name: 'Navigation' });
  await navigation.getByRole('link', { name: 'Extract' }).click();
  await visitor.page.getByRole('heading', { level: 1, name: 'Extract' }).waitFor();
  await visitor.page.goBack();
  await visitor.page.getByRole('heading', { level: 1, name: 'Classify' }).waitFor();
  expect(await type.inputValue()).toBe('postcard');

  const extracted = await service.call<{ id: string }>('POST', '/api/v2/extract', {
    file_input: manual,
    configuration: { data_schema: SCHEMA, system_prompt: 'Read the header.' },
  });
  await visitor.open(`/extract?from=${extracted.id}`);
  const instructions = visitor.page.getByLabel('Instructions (optional)');
  await expect.poll(() => instructions.inputValue(), PATIENCE).toBe('Read the header.');
  await expect.poll(() => new URL(visitor.page.url()).search, PATIENCE).toBe('');
  await instructions.fill('Read the footer.');
  await navigation.getByRole('link', { name: 'Classify' }).click();
  await visitor.page.getByRole('heading', { level: 1, name: 'Classify' }).waitFor();
  await visitor.page.goBack();
  await visitor.page.getByRole('heading', { level: 1, name: 'Extract' }).waitFor();
  expect(await instructions.inputValue()).toBe('Read the footer.');
});

it('works in dark mode and in a narrow window', async () => {
  await visitor.end();
  visitor = await visit(browser, service, { colorScheme: 'dark', viewport: { width: 320, height: 640 } });
  for (const place of ['/extract', '/parse', '/classify']) {
    await visitor.open(place);
    await visitor.page.getByRole('navigation', { name: 'Jobs' }).waitFor();
    await visitor.page.locator('legend').getByText('Document', { exact: true }).waitFor();
    await visitor.expectAccessible();
    const overflow = await visitor.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
    await shot(`narrow${place.replace('/', '-')}`);
  }
});
