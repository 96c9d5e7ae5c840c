import { ConflictError, NotFoundError, UnprocessableEntityError } from '@llamaindex/llama-cloud';
import { beforeEach, describe, expect, it } from 'vitest';
import { call, upload } from '#test/support/client.ts';
import { createNpmClients } from '#test/support/npm-client.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { createTenant } from '#test/support/tenants.ts';

type Client = ReturnType<typeof createNpmClients>['client'];
let key: string;
let client: Client;

beforeEach(async () => {
  ({ key } = await createTenant());
  ({ client } = createNpmClients(key));
});

async function createDirectory(files: Record<string, string>) {
  const directory = await client.beta.directories.create({ name: 'Papers' });
  const ids: string[] = [];
  for (const [name, text] of Object.entries(files)) ids.push(await addFile(directory.id, name, text));
  return { id: directory.id, ids };
}

async function addFile(directory_id: string, name: string, text: string): Promise<string> {
  const file_id = await upload(name, text, { key });
  await client.beta.directories.files.add(directory_id, { file_id, metadata: { folder: 'papers' } });
  return file_id;
}

/** Waits until a search finds exactly the files with these names. */
async function untilFound(index_id: string, names: string[]): Promise<void> {
  let found: string[] = [];
  for (let waited = 0; waited < PATIENCE_MS; waited += 100) {
    const { results } = await client.beta.retrieval.retrieve({ index_id, query: 'harbour', top_k: 50 });
    found = [...new Set(results.map(({ metadata }) => String(metadata?.file_name)))].sort();
    if (found.join() === names.join()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(found).toEqual(names);
}

describe('an index over a directory', () => {
  it('contains the files of its directory, follows it on request and is deleted', async () => {
    const directory = await createDirectory({
      'bell.md': 'The harbour bell rings at nine.\n',
      'berth.md': 'The harbour berth costs 40 euros.\n',
    });
    const index = await client.beta.indexes.create({
      source_directory_id: directory.id,
      description: 'All papers',
    });
    expect(index).toMatchObject({
      name: 'Papers',
      description: 'All papers',
      source_directory_id: directory.id,
      metadata: { sync_frequency: 'manual' },
    });
    await untilFound(index.id, ['bell.md', 'berth.md']);
    const { results } = await client.beta.retrieval.retrieve({ index_id: index.id, query: 'bell' });
    expect(results[0]!.metadata).toMatchObject({ folder: 'papers' });

    await client.beta.directories.files.delete(directory.ids[0]!, { directory_id: directory.id });
    await addFile(directory.id, 'crane.md', 'The harbour crane lifts ten tons.\n');
    await client.beta.indexes.sync(index.id);
    await untilFound(index.id, ['berth.md', 'crane.md']);
    const read = await client.beta.indexes.get(index.id);
    expect(read.last_synced_at).toEqual(expect.any(String));
    const counts = Object.values(read.metadata!.file_counts as Record<string, number>);
    expect(counts.reduce((sum, each) => sum + each, 0)).toBe(2);

    await client.beta.indexes.delete(index.id);
    await expect(client.beta.indexes.get(index.id)).rejects.toThrow(NotFoundError);
  });

  it('follows each change of its directory if asked', async () => {
    const directory = await createDirectory({ 'bell.md': 'The harbour bell rings at nine.\n' });
    const index = await client.beta.indexes.create({
      source_directory_id: directory.id,
      sync_frequency: 'on_source_change',
    });
    await addFile(directory.id, 'crane.md', 'The harbour crane lifts ten tons.\n');
    await untilFound(index.id, ['bell.md', 'crane.md']);
    await client.beta.directories.files.delete(directory.ids[0]!, { directory_id: directory.id });
    await untilFound(index.id, ['crane.md']);
  });

  it('outlives its directory, and may have the name of another one', async () => {
    const directory = await createDirectory({ 'bell.md': 'The harbour bell rings at nine.\n' });
    const first = await client.beta.indexes.create({ source_directory_id: directory.id, name: 'Bells' });
    const second = await client.beta.indexes.create({ source_directory_id: directory.id, name: 'Bells' });
    expect([first.name, second.name]).toEqual(['Bells', 'Bells']);
    expect(second.id).not.toBe(first.id);
    await client.beta.directories.delete(directory.id);
    await untilFound(first.id, ['bell.md']);
    const syncing = client.beta.indexes.sync(first.id);
    await expect(syncing).rejects.toThrow(ConflictError);
    await expect(syncing).rejects.toThrow('does not exist any more');
  });

  it('parses with a saved configuration', async () => {
    const directory = await createDirectory({});
    const { id: product_config_id } = await client.configurations.create({
      name: 'first page',
      parameters: {
        product_type: 'parse_v2',
        tier: 'fast',
        version: 'latest',
        page_ranges: { target_pages: '1' },
      },
    });
    const index = await client.beta.indexes.create({
      source_directory_id: directory.id,
      products: [{ product_type: 'parse', product_config_id }],
    });
    const { body } = await call<{ parse_parameters: object }>('GET', `/api/v1/pipelines/${index.id}`, {
      key,
    });
    expect(body.parse_parameters).toMatchObject({ target_pages: '1' });
  });

  it('refuses what it cannot do with a sentence that says what to use', async () => {
    const { id: source_directory_id } = await createDirectory({});
    const products = [{ product_type: 'extract', product_config_id: 'cfg-1' }];
    const creating = client.beta.indexes.create({ source_directory_id, products });
    await expect(creating).rejects.toThrow(UnprocessableEntityError);
    await expect(creating).rejects.toThrow('create a batch of extract jobs');
    const accepted = await client.beta.indexes.create({
      source_directory_id,
      vector_target: 'DISABLED',
      store_attachments: ['screenshots'],
    });
    const { warnings } = accepted as unknown as { warnings: { field: string }[] };
    expect(warnings.map(({ field }) => field).sort()).toEqual(['store_attachments', 'vector_target']);
  });
});

it('indexes are listed in pages, with those over a directory alone if asked, and pipelines are indexes', async () => {
  const directory = await createDirectory({});
  const index = await client.beta.indexes.create({ source_directory_id: directory.id });
  const { body: pipeline } = await call<{ id: string }>('POST', '/api/v1/pipelines', {
    key,
    body: { name: 'Tides' },
  });
  const list = async (query: object) => {
    const ids: string[] = [];
    for await (const { id } of client.beta.indexes.list({ page_size: 1, ...query })) ids.push(id);
    return ids;
  };
  expect(await list({})).toEqual([pipeline.id, index.id]);
  expect(await list({ source_directory_id: directory.id })).toEqual([index.id]);
  expect(await client.beta.indexes.get(`idx-${pipeline.id}`)).toMatchObject({
    id: pipeline.id,
    name: 'Tides',
    source_directory_id: pipeline.id,
  });
  await client.beta.indexes.sync(pipeline.id);

  const stranger = createNpmClients((await createTenant()).key).client;
  const { indexes } = stranger.beta;
  await expect(indexes.get(index.id)).rejects.toThrow(NotFoundError);
  await expect(indexes.sync(index.id)).rejects.toThrow(NotFoundError);
  await expect(indexes.delete(index.id)).rejects.toThrow(NotFoundError);
  await expect(indexes.create({ source_directory_id: directory.id })).rejects.toThrow(NotFoundError);
  const listed: unknown[] = [];
  for await (const each of indexes.list()) listed.push(each);
  expect(listed).toEqual([]);
});
