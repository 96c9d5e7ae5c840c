import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { EmbeddingServer } from '../../test/process/embedding-server.ts';
import { SharedService } from '../../test/process/shared-client.ts';
import { launch, type Visit, visit } from './support/browser.ts';
import { addFiles, newIndex, synced } from './support/papers.ts';

/** Project of one test, so that names are free and a repeated test begins without indexes. */
let service: SharedService;
const embeddings = new EmbeddingServer();
let browser: Browser;
let visitor: Visit;
let page: Page;

beforeAll(async () => {
  [browser] = await Promise.all([launch(), embeddings.start()]);
}, 300_000);
afterAll(async () => {
  await browser?.close();
  await embeddings.stop();
});
beforeEach(async () => {
  service = new SharedService();
  await service.start();
  visitor = await visit(browser, service, { reducedMotion: 'reduce' });
  page = visitor.page;
});
afterEach(() => visitor.end());

const button = (name: string | RegExp) => page.getByRole('button', { name });
const dialog = (name: string) => page.getByRole('dialog', { name });
const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const row = (name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
const hasFocus = (element: Element) => element === document.activeElement;

/** Checks the accessibility of the page in light and in dark mode. */
async function expectAccessible(): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await visitor.expectAccessible();
  }
}

/** Data source whose address no server listens on. */
const SOURCE = {
  name: 'Papers',
  source_type: 'SOURCE_9_BUCKET',
  component: {
    bucket: 'papers',
    cloud_access_id: 'nobody',
    cloud_access_secret: 'nothing',
    bucket_endpoint_url: 'http://127.0.0.1:9',
  },
};

const makeIndex = (name: string, further: object = {}) => newIndex(service, name, further);

/** Adds text documents, which are indexed like files but need no upload. */
async function putTexts(id: string, count: number): Promise<void> {
  const texts = Array.from({ length: count }, (_, position) => ({
    id: `text-${position}`,
    text: `Berth ${position} is kept by the harbour master. `.repeat(40),
    metadata: {},
  }));
  await service.call('PUT', `/api/v1/pipelines/${id}/documents`, texts);
}

const file = (name: string, text: string) => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.from(text),
});

it('creates the first index with files, shows why one failed and retries it', async () => {
  visitor.expectErrors('422');
  await visitor.open('/indexes');
  await page.getByRole('heading', { name: 'Create your first index' }).waitFor();
  await expectAccessible();
  await button('New index').click();
  const form = dialog('New index');
  await form.getByRole('button', { name: 'Create' }).click();
  await form.getByText('Enter a name for the index.').waitFor();
  await expectAccessible();
  await form.getByLabel('Name').fill('Harbour');
  await form.getByRole('button', { name: 'Next' }).click();
  await form
    .getByLabel('Files')
    .setInputFiles([
      file('berths.md', '# Berths\n\nThe harbour has seven berths.'),
      file('tides.txt', 'High water is at noon.'),
      file('torn.pdf', 'no PDF at all'),
      file('by-mistake.txt', 'left out again'),
    ]);
  await form.getByRole('button', { name: 'Remove by-mistake.txt' }).click();
  await expectAccessible();
  await form.getByRole('button', { name: 'Next' }).click();
  await form.getByLabel('Custom').check();
  await form.getByLabel('Chunk size').fill('100');
  await expectAccessible();
  await form.getByRole('button', { name: 'Create' }).click();
  // The overlap is larger than the chunk size, so the service rejects it and the form shows the error at its
  // field.
  await form.getByText(/must be smaller than chunk_size/).waitFor();
  await form.getByLabel('Overlap').fill('20');
  await form.getByRole('button', { name: 'Create' }).click();

  await heading('Harbour').waitFor();
  const failures = page.getByRole('region', { name: '1 file failed' });
  await failures.getByText('is not a PDF').waitFor();
  await page.getByText('Partly ready').waitFor();
  await page.getByRole('link', { name: '2 ready' }).waitFor();
  await page.getByText('By sentences, 100 tokens').waitFor();
  await expect(page.getByText(`/pipelines/${page.url().split('/').at(-1)}/retrieve`).count()).resolves.toBe(
    1,
  );
  const link = new URL((await failures.getByRole('link').getAttribute('href'))!, service.base);
  expect(link.searchParams.get('status')).toBe('ERROR');
  expect(link.searchParams.get('reason')).toContain('is not a PDF');
  await expectAccessible();

  await failures.getByRole('button', { name: /^Retry: / }).click();
  await page.getByRole('link', { name: 'Runs', exact: true }).click();
  await expect.poll(() => page.getByRole('table').getByText('Partly ready').count()).toBe(2);
  await button(/^Details of the sync/)
    .first()
    .click();
  await page.getByText('1 item failed and not retried since').waitFor();
  await page.getByRole('link', { name: 'torn.pdf' }).waitFor();
  expect(page.url()).toContain('run=');
  await expectAccessible();
  await page.getByLabel('State').selectOption('CANCELLED');
  await page.getByText('No sync is in this state').waitFor();
});

it('cancels a running sync and starts another', async () => {
  const id = await makeIndex('Much', {
    embedding_config: {
      type: 'PROVIDER_G_EMBEDDING',
      component: { api_base: embeddings.base, api_key: embeddings.key, model_name: 'loopback' },
    },
  });
  // The sync lasts until it is cancelled.
  embeddings.ignored = () => true;
  await visitor.open(`/indexes/${id}`);
  await page.getByRole('heading', { name: 'Add files or a source' }).waitFor();
  await putTexts(id, 600);
  await page.reload();
  await page.getByRole('progressbar', { name: 'Progress of the sync' }).waitFor();
  await page.getByText(/\d+ of 600 done/).waitFor();
  await expectAccessible();
  await button('Cancel').click();
  await page.getByText('Cancelled').first().waitFor();
  embeddings.ignored = () => false;
  const cancelled = page.getByRole('link', { name: /\d+ cancelled/ });
  await cancelled.waitFor();
  await expect(button('Cancel').count()).resolves.toBe(0);
  await button('Sync').click();
  await page.getByText('The sync has started.').waitFor({ state: 'attached' });
  await page.getByRole('link', { name: '600 ready' }).waitFor();
  await expect(cancelled.count()).resolves.toBe(0);
  await page.getByText('The sync is complete.').waitFor({ state: 'attached' });
}, 240_000);

it('copies an index and deletes it after its name is typed', async () => {
  await makeIndex('Letters');
  await visitor.open('/indexes');
  await page.getByRole('button', { name: 'Actions for Letters', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Copy' }).click();
  await row('Letters (copy)').waitFor();
  await expectAccessible();

  await page.getByRole('button', { name: 'Actions for Letters', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const ask = dialog('Delete this index?');
  const act = ask.getByRole('button', { name: 'Delete', exact: true });
  await ask.getByRole('textbox').fill('letters');
  expect(await act.isDisabled()).toBe(true);
  await expectAccessible();
  await ask.getByRole('textbox').fill('Letters');
  await act.click();
  await row('Letters').waitFor({ state: 'detached' });
  await row('Letters (copy)').waitFor();
});

it('shows the deletion of an index until it is complete', async () => {
  const id = await makeIndex('Going');
  const one = `**/api/v1/pipelines/${id}`;
  await page.route(one, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ json: { ...(await answer.json()), status: 'DELETING' } });
  });
  await visitor.open(`/indexes/${id}`);
  await page.getByText('This index is being deleted').waitFor();
  expect(await page.getByRole('navigation', { name: 'Parts of the index' }).count()).toBe(0);
  await expectAccessible();
  visitor.expectErrors('404');
  await service.call('POST', `/api/v1/pipelines/${id}/force-delete`);
  await page.unrouteAll({ behavior: 'wait' });
  await heading('The index is deleted').waitFor();
  await expectAccessible();
});

it('shows service errors, waits for Retry-After and recovers', async () => {
  visitor.expectErrors('503', '429');
  await makeIndex('Kept');
  let status = 503;
  let isBroken = true;
  await page.route('**/api/v1/pipelines?**', (route) =>
    isBroken
      ? route.fulfill({
          status,
          headers: { 'retry-after': '1' },
          json: { detail: 'Come back soon.', code: 'busy', request_id: 'request-7', retryable: true },
        })
      : route.continue(),
  );
  await visitor.open('/indexes');
  const failure = page.getByRole('alert');
  await failure.getByText('Come back soon.').waitFor();
  await failure.getByText('request-7').waitFor();
  await expectAccessible();
  isBroken = false;
  await failure.getByRole('button', { name: 'Try again', exact: true }).click();
  await row('Kept').waitFor();
  await failure.waitFor({ state: 'detached' });
  // If later requests fail, the list stays visible.
  isBroken = true;
  status = 429;
  await failure.getByText('Come back soon.').waitFor();
  await row('Kept').waitFor();
});

it('keeps typed text if the service is too busy to create an index', async () => {
  visitor.expectErrors('429');
  await page.route('**/api/v1/pipelines', (route) =>
    route.fulfill({
      status: 429,
      headers: { 'retry-after': '1' },
      json: { detail: 'Too many requests.', code: 'rate_limited', request_id: 'request-8', retryable: true },
    }),
  );
  await visitor.open('/indexes');
  await button('New index').click();
  await page.getByLabel('Name').fill('Patient');
  await button('Create').click();
  await page.getByText('Too many requests.').waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe('Patient');
  await page.unroute('**/api/v1/pipelines');
  await button('Try again').click();
  await heading('Patient').waitFor();
});

it('works by keyboard alone', async () => {
  await makeIndex('Kept');
  visitor.expectErrors('409');
  await visitor.open('/indexes');
  await heading('Indexes').waitFor();
  await row('Kept').waitFor();
  const opener = button('New index');
  await opener.focus();
  await page.keyboard.press('Enter');
  await dialog('New index').waitFor();
  await page.keyboard.press('Escape');
  await dialog('New index').waitFor({ state: 'detached' });
  expect(await opener.evaluate(hasFocus)).toBe(true);
  await page.keyboard.press('n');
  await expect.poll(() => page.getByLabel('Name').evaluate(hasFocus)).toBe(true);
  await page.keyboard.type('Kept');
  await page.keyboard.press('Enter');
  // The name is taken. The form shows the error at its field.
  await page.getByText(/already exists/).waitFor();
  await page.keyboard.type(' by keys');
  await page.keyboard.press('Enter');
  await heading('Kept by keys').waitFor();
  expect(await heading('Kept by keys').evaluate(hasFocus)).toBe(true);
});

it('changes name, chunking and retrieval, and shows that a sync is needed', async () => {
  visitor.expectErrors('409', '422');
  const id = await makeIndex('Before');
  await makeIndex('Taken');
  await putTexts(id, 1);
  await visitor.open(`/indexes/${id}/settings`);
  const part = (name: string) => page.getByRole('form', { name });
  const save = (name: string) => part(name).getByRole('button', { name: 'Save' }).click();
  await part('Name').getByLabel('Name').fill('Taken');
  await save('Name');
  await part('Name')
    .getByText(/already exists/)
    .waitFor();
  await part('Name').getByLabel('Name').fill('After');
  await save('Name');
  await heading('After').waitFor();

  await part('Retrieval defaults').getByLabel('Rerank top n').fill('many');
  await save('Retrieval defaults');
  await expect
    .poll(() => part('Retrieval defaults').getByLabel('Rerank top n').getAttribute('aria-invalid'))
    .toBe('true');
  await part('Retrieval defaults').getByLabel('Rerank top n').fill('3');
  await save('Retrieval defaults');
  await page.getByText('New queries use these parameters.').waitFor();

  await part('Chunks').getByLabel('Page by page').check();
  await save('Chunks');
  await page.getByText('Saved. The next sync applies the change.').waitFor();
  await expectAccessible();
  const stored = await service.call<Record<string, unknown>>('GET', `/api/v1/pipelines/${id}`);
  expect(stored).toMatchObject({
    name: 'After',
    preset_retrieval_parameters: { rerank_top_n: 3 },
    transform_config: { mode: 'advanced', segmentation_config: { mode: 'page' } },
  });
  await part('Chunks').getByRole('button', { name: 'Sync now' }).click();
  await page.getByText('The sync has started').waitFor();
});

it('adds a source, shows why it cannot be read, schedules and removes it', async () => {
  const id = await makeIndex('Reader');
  const source = await service.call<{ id: string }>('POST', '/api/v1/data-sources', SOURCE);
  await visitor.open(`/indexes/${id}/sources`);
  await page.getByText('No sources yet').waitFor();
  await expectAccessible();
  await button('Add a source').first().click();
  await dialog('Add a source').getByLabel('Sync interval').selectOption({ label: 'Every day' });
  await expectAccessible();
  await button('Add').last().click();
  const line = page.getByRole('row').filter({ hasText: SOURCE.name });
  await line.getByText('Failed').waitFor();
  await expect.poll(() => line.locator('p').textContent()).toMatch(/\w{3}/);
  await expectAccessible();
  await line.getByLabel(/^Sync interval of/).selectOption({ label: 'Every hour' });
  const interval = async () => {
    const path = `/api/v1/pipelines/${id}/data-sources`;
    return (await service.call<{ sync_interval: number | null }[]>('GET', path))[0]?.sync_interval;
  };
  await expect.poll(interval).toBe(3600);
  await button(`Remove ${SOURCE.name}`).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('No sources yet').waitFor();
  await service.call('DELETE', `/api/v1/data-sources/${source.id}`);
});

it('fits a window of 320 pixels', async () => {
  const index = await makeIndex('Harbour');
  const files = [await service.upload('tides.txt', 'High water is at noon.')];
  files.push(await service.upload('torn.pdf', 'no PDF at all'));
  await addFiles(service, index, files);
  await synced(service, index);
  await page.setViewportSize({ width: 320, height: 700 });
  const places = [
    '/indexes',
    ...['', '/runs', '/sources', '/settings'].map((part) => `/indexes/${index}${part}`),
  ];
  for (const place of places) {
    await visitor.open(place);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(() => page.getByText(/^Loading/).count()).toBe(0);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect([place, width]).toEqual([place, 320]);
    await visitor.expectAccessible();
  }
});
