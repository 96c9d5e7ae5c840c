import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { SyncClient } from '../../test/process/pipelines.ts';
import { SharedService } from '../../test/process/shared-client.ts';
import { launch, type Visit, visit } from './support/browser.ts';
import { eventually } from './support/papers.ts';

const service = new SharedService();
let browser: Browser;
let visitor: Visit;
let index: string;
let other: string;

interface Preset {
  id: string;
  name: string;
  parameters: Record<string, unknown>;
  is_default: boolean;
}

beforeAll(async () => {
  await service.start();
  const client = new SyncClient(service);
  const create = async (name: string, files: Record<string, string>, body: object = {}) => {
    const id = await client.createPipeline({ name, ...body });
    const ids = await Promise.all(
      Object.entries(files).map(async ([file, text]) => ({
        file_id: await service.upload(file, text),
        custom_metadata: { kind: file.startsWith('dues') ? 'rule' : 'note' },
      })),
    );
    await service.call('PUT', `/api/v1/pipelines/${id}/files`, ids);
    await client.sync(id);
    return id;
  };
  index = await create(
    'Harbour',
    {
      'dues.md': 'Harbour dues are paid at the north office.',
      'tides.md': 'High water at the pier is at noon.',
    },
    { preset_retrieval_parameters: { dense_similarity_top_k: 17 } },
  );
  other = await create('Pilots', { 'pilots.md': 'A pilot rows out from the pier and is paid in crowns.' });
  browser = await launch();
}, 180_000);
afterAll(async () => {
  await browser?.close();
  await service.end();
});
beforeEach(async () => {
  for (const { id } of await readPresets()) {
    await service.call('DELETE', `/api/v2/pipelines/${index}/retrieval-presets/${id}`);
  }
  visitor = await visit(browser, service);
});
afterEach(() => visitor.end());

const button = (name: string) => visitor.page.getByRole('button', { name, exact: true });
const dialog = () => visitor.page.getByRole('dialog');
const presetChoice = () => visitor.page.getByLabel('Preset', { exact: true });
const shot = (name: string) =>
  process.env.SHOTS && visitor.page.screenshot({ path: `${process.env.SHOTS}/${name}.png`, fullPage: true });
const parameter = (name: string) => new URL(visitor.page.url()).searchParams.get(name);
const readPresets = () => service.call<Preset[]>('GET', `/api/v2/pipelines/${index}/retrieval-presets`);
const readDefaults = async () =>
  (
    await service.call<{ preset_retrieval_parameters: Record<string, unknown> }>(
      'GET',
      `/api/v1/pipelines/${index}`,
    )
  ).preset_retrieval_parameters;
const shownPreset = () => presetChoice().locator('option:checked').textContent();

it('saves parameters as presets, chooses them, and replaces, renames and deletes them', async () => {
  await visitor.open(`/indexes/${index}/playground?q=dues&alpha=0`);
  await button('Save as preset').click();
  await dialog().getByRole('button', { name: 'Save', exact: true }).click();
  await dialog().getByText('Enter a name.').waitFor();
  await dialog().getByLabel('Name').fill('Exact words');
  await visitor.expectAccessible();
  await dialog().getByRole('button', { name: 'Save', exact: true }).click();
  await eventually(() => dialog().count()).toBe(0);
  // The preset also contains the defaults that the index has now.
  expect(await readPresets()).toMatchObject([
    { name: 'Exact words', parameters: { alpha: 0, dense_similarity_top_k: 17 }, is_default: false },
  ]);
  await eventually(shownPreset).toBe('Exact words');
  expect(parameter('dense_similarity_top_k')).toBe('17');

  await presetChoice().selectOption('Index default');
  await eventually(() => parameter('alpha')).toBeNull();
  await presetChoice().selectOption('Exact words');
  await eventually(() => parameter('alpha')).toBe('0');
  await visitor.page.getByLabel('Keyword top-k').fill('3');
  await visitor.page.getByText('Parameters differ from this preset.').waitFor();
  await visitor.page.reload();
  await visitor.page.getByText('Parameters differ from this preset.').waitFor();

  // The name of a preset replaces its parameters.
  await button('Save as preset').click();
  expect(await dialog().getByLabel('Name').inputValue()).toBe('Exact words');
  await dialog().getByLabel('Use as index default').check();
  await dialog().getByRole('button', { name: 'Replace' }).click();
  await eventually(shownPreset).toBe('Exact words (default)');
  expect(await readPresets()).toMatchObject([
    { parameters: { sparse_similarity_top_k: 3 }, is_default: true },
  ]);
  expect(await readDefaults()).toMatchObject({ alpha: 0, sparse_similarity_top_k: 3 });

  await visitor.open(`/indexes/${index}/playground?q=dues&alpha=1`);
  await eventually(shownPreset).toBe('Custom');
  await button('Save as preset').click();
  await dialog().getByLabel('Name').fill('Meaning');
  await dialog().getByRole('button', { name: 'Save', exact: true }).click();
  await eventually(shownPreset).toBe('Meaning');

  await button('Manage presets').click();
  await dialog().getByRole('button', { name: 'Rename Meaning' }).waitFor();
  await visitor.expectAccessible();
  await shot('presets-manage');
  await dialog().getByRole('button', { name: 'Rename Meaning' }).click();
  await dialog().getByLabel('New name of Meaning').fill('Exact words');
  visitor.expectErrors('409');
  await dialog().getByRole('button', { name: 'Save', exact: true }).click();
  await dialog().getByText('already has a retrieval preset').waitFor();
  await dialog().getByLabel('New name of Meaning').fill('Same meaning');
  await dialog().getByRole('button', { name: 'Save', exact: true }).click();
  await dialog().getByRole('button', { name: 'Use as index default: Same meaning' }).click();
  await dialog().getByRole('button', { name: 'Use as index default: Exact words' }).waitFor();
  expect(await readDefaults()).toMatchObject({ alpha: 1 });
  await dialog().getByRole('button', { name: 'Delete Exact words' }).click();
  await dialog().getByRole('heading', { name: 'Delete the preset “Exact words”?' }).waitFor();
  await visitor.expectAccessible();
  await dialog().getByRole('button', { name: 'Delete', exact: true }).click();
  await dialog().getByRole('button', { name: 'Rename Same meaning' }).waitFor();
  await eventually(async () => (await readPresets()).map(({ name }) => name)).toEqual(['Same meaning']);
});

it('keeps a preset of each column of a comparison', async () => {
  await service.call('POST', `/api/v2/pipelines/${index}/retrieval-presets`, {
    name: 'One passage',
    parameters: { rerank_top_n: 1, enable_reranking: true },
  });
  await visitor.open(`/indexes/${index}/playground?q=pier+dues&compare=true`);
  await visitor.page.getByRole('tab', { name: 'B' }).click();
  await presetChoice().selectOption('One passage');
  await eventually(() => parameter('b.rerank_top_n')).toBe('1');
  expect(parameter('rerank_top_n')).toBeNull();
  const results = visitor.page.getByRole('list', { name: 'Results of B', exact: true });
  await eventually(() => results.getByRole('listitem').count()).toBe(1);
  await visitor.page.getByRole('tab', { name: 'A' }).click();
  await eventually(shownPreset).toBe('Index default');
});

it('offers presets in chats', async () => {
  await service.call('POST', `/api/v2/pipelines/${index}/retrieval-presets`, {
    name: 'For chats',
    parameters: { rerank_top_n: 2, alpha: 0.3 },
  });
  await visitor.open(`/indexes/${index}/chat?panel=parameters`);
  await presetChoice().selectOption('For chats');
  await button('Parameters, 2 set').waitFor();
  expect(await visitor.page.getByLabel('Keyword ↔ semantic weight').inputValue()).toBe('0.3');
  await visitor.expectAccessible();
  const sent = visitor.page.waitForRequest((request) => request.url().endsWith('/chat'));
  await visitor.page.getByRole('textbox', { name: 'Question' }).fill('Where are dues paid?');
  await visitor.page.keyboard.press('Enter');
  expect((await sent).postDataJSON()).toMatchObject({
    data: { retrieval_parameters: { rerank_top_n: 2, alpha: 0.3 } },
  });
  await visitor.page.getByLabel('Passages used for the answer').fill('3');
  await eventually(shownPreset).toBe('Custom');
  await presetChoice().selectOption('Index default');
  await button('Parameters').waitFor();
});

it('searches a retriever with parameters for all of its indexes', async () => {
  const { id } = await service.call<{ id: string }>('POST', '/api/v1/retrievers', {
    name: `Everything ${crypto.randomUUID()}`,
    pipelines: [{ pipeline_id: index }, { pipeline_id: other }],
  });
  await visitor.open(`/retrievers/${id}`);
  await visitor.page.getByText('Enter a question').waitFor();
  await visitor.expectAccessible();
  await visitor.page.getByRole('textbox', { name: 'Question' }).fill('who is paid at the pier');
  await visitor.page.keyboard.press('Enter');
  const results = visitor.page.getByRole('main').getByRole('article');
  await eventually(() => results.count()).toBe(3);
  const byWords = visitor.page.getByLabel('Keyword top-k');
  expect(await byWords.getAttribute('placeholder')).toBe('Index default');
  const field = visitor.page.getByLabel('Rerank top n');
  expect(await field.getAttribute('placeholder')).toBe('6');
  await shot('retriever-parameters');
  await field.fill('1');
  await eventually(() => results.count()).toBe(1);
  expect(parameter('rerank_top_n')).toBe('1');
  await field.fill('');
  await eventually(() => results.count()).toBe(3);
  await visitor.page.getByLabel('Metadata key').fill('kind');
  await visitor.page.getByLabel('Value', { exact: true }).fill('rule');
  await button('Add filter').click();
  await eventually(() => results.getByRole('heading').allTextContents()).toEqual(['dues.md']);
  const keys = visitor.page.locator('datalist option[value=kind]');
  expect(await keys.count()).toBe(1);
  await visitor.page.getByLabel('Searched indexes').selectOption('Chosen for each question');
  await eventually(() => parameter('routing')).toBe('true');
  await visitor.page.reload();
  await eventually(() => results.count()).toBe(1);
  visitor.expectErrors('422');
  await visitor.page.getByLabel('Minimum similarity').fill('7');
  await eventually(() => visitor.page.getByLabel('Minimum similarity').getAttribute('aria-invalid')).toBe(
    'true',
  );
  await visitor.expectAccessible();
  await button('Reset').click();
  await eventually(() => results.count()).toBe(3);
  expect([...new URL(visitor.page.url()).searchParams.keys()]).toEqual(['q']);
});

it('says what to do in a project without retrievers, and in a retriever without indexes', async () => {
  for (const { id } of await service.call<{ id: string }[]>('GET', '/api/v1/retrievers')) {
    await service.call('DELETE', `/api/v1/retrievers/${id}`);
  }
  await visitor.open('/retrievers');
  await visitor.page.getByText('Create your first retriever').waitFor();
  await visitor.expectAccessible();
  await button('New retriever').click();
  await dialog().getByLabel('Name').fill('Empty');
  await dialog().getByRole('button', { name: 'Create' }).click();
  await visitor.page
    .getByText('The retriever searches nothing until you select at least one index.')
    .waitFor();
  await visitor.expectAccessible();
  await button('Select indexes').click();
  await dialog().getByLabel('Harbour', { exact: true }).check();
  await dialog().getByRole('button', { name: 'Save' }).click();
  await visitor.page.getByText('Enter a question').waitFor();
});
