import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import { listEntries, type SourceEntry } from '#src/ports/source.ts';
import { azureBlobStorage } from '#src/sources/azure-blob-storage/azure-blob-storage.ts';
import { checkWithDriver, openWithDriver } from '#src/sources/shared/open.ts';
import { createMemoryTokens } from '#src/upstream/tokens.ts';
import { Azurite } from './azurite.ts';
import { SyncClient } from './pipelines.ts';
import { SharedService } from './shared-client.ts';

const azurite = new Azurite();

beforeAll(() => azurite.start());
afterAll(() => azurite.stop());

const deps = {
  tokens: createMemoryTokens(),
  log: createLogger(),
  limits: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 10 },
};

describe('Azure Blob Storage source with Azurite', () => {
  const CONTAINER = 'papers';
  const NAMES = [
    'a/one.txt',
    'a/über/naïve – 文書 🗎.txt',
    `it's "quoted" & <tagged>!.txt`,
    'a+b%20c %2F?#x=1&y;(z)*~.txt',
  ];
  beforeAll(async () => {
    await azurite.createContainer(CONTAINER);
    for (const name of NAMES) await azurite.put(CONTAINER, name, `text of ${name}`);
    await azurite.put(CONTAINER, 'a', '', { 'x-ms-meta-hdi_isfolder': 'true' });
    await azurite.snapshot(CONTAINER, 'a/one.txt');
  });

  const byKey = () => ({ account_url: azurite.url, container_name: CONTAINER, account_key: azurite.key });
  const open = (settings: object) => openWithDriver(azureBlobStorage, { ...settings }, deps).source;
  const check = (settings: object) => checkWithDriver(azureBlobStorage, { ...settings }, deps);
  const all = async (settings: object) => {
    const entries: SourceEntry[] = [];
    for await (const entry of listEntries(open(settings))) entries.push(entry);
    return entries;
  };
  const read = async (settings: object, id: string) => {
    const content = await open(settings).read(id);
    const pieces: Uint8Array[] = [];
    for await (const piece of content?.body ?? []) pieces.push(piece);
    return content && { ...content, text: Buffer.concat(pieces).toString() };
  };

  it('lists and reads blobs of any name, but no folders or snapshots', async () => {
    const entries = await all(byKey());
    expect(entries.map(({ id }) => id).sort()).toEqual([...NAMES].sort());
    for (const { id, version, size } of entries) {
      const text = `text of ${id}`;
      expect(size).toBe(Buffer.from(text).length);
      expect(await read(byKey(), id)).toMatchObject({ text, version, contentType: 'text/plain' });
    }
  });

  it.each([
    ['account_url', () => ({ account_url: `${azurite.url}?${azurite.signature(CONTAINER)}` })],
    [
      'account_url of the container',
      () => ({
        account_url: `${azurite.url}/${CONTAINER}?restype=container&${azurite.signature(CONTAINER)}`,
      }),
    ],
    ['account_key', () => ({ account_url: azurite.url, account_key: `?${azurite.signature(CONTAINER)}` })],
  ])('accepts a shared access signature in %s', async (_, settings) => {
    const given = { container_name: CONTAINER, ...settings() };
    await check(given);
    expect(await all(given)).toHaveLength(NAMES.length);
    expect(await read(given, NAMES[3]!)).toMatchObject({ text: `text of ${NAMES[3]}` });
  });

  it('reads only a public container without credentials', async () => {
    await azurite.createContainer('public', { 'x-ms-blob-public-access': 'container' });
    await azurite.put('public', 'open.txt', 'for all');
    const open = { account_url: azurite.url, container_name: 'public' };
    expect((await all(open)).map(({ id }) => id)).toEqual(['open.txt']);
    expect(await read(open, 'open.txt')).toMatchObject({ text: 'for all' });
    await expect(check({ ...open, container_name: CONTAINER })).rejects.toThrow('account_key');
  });

  it('reads a single blob with the same metadata as in a listing', async () => {
    await azurite.put(CONTAINER, 'told.txt', 'told', { 'x-ms-meta-shelf': 'north' });
    const [alone] = await all({ ...byKey(), blob: 'told.txt' });
    expect(alone!.metadata).toMatchObject({ container: CONTAINER, blob_metadata: { shelf: 'north' } });
    expect(await all({ ...byKey(), prefix: 'told' })).toEqual([alone]);
    await azurite.delete(CONTAINER, 'told.txt');
    expect(await all({ ...byKey(), blob: 'told.txt' })).toEqual([]);
    expect(await read(byKey(), 'told.txt')).toBeUndefined();
  });

  it('explains that a blob is archived', async () => {
    await azurite.put(CONTAINER, 'cold.txt', 'cold');
    await azurite.archive(CONTAINER, 'cold.txt');
    await expect(read(byKey(), 'cold.txt')).rejects.toMatchObject({
      message: expect.stringContaining('archive tier'),
      retryable: false,
    });
    await azurite.delete(CONTAINER, 'cold.txt');
  });

  it.each([
    ['account_key', () => ({ account_key: Buffer.alloc(64, 1).toString('base64') })],
    ['account_name', () => ({ account_name: 'another' })],
    ['container_name', () => ({ container_name: 'missing' })],
    ['blob', () => ({ blob: 'missing.txt' })],
    ['account_url', () => ({ account_key: null, account_url: `${azurite.url}?${ended()}` })],
  ])('names a wrong %s', async (field, more) => {
    const failure = { message: expect.stringContaining(field), retryable: false };
    await expect(check({ ...byKey(), ...more() })).rejects.toMatchObject(failure);
  });
  const ended = () => azurite.signature(CONTAINER, new Date(Date.now() - 3600_000));
});

describe('data source with a blob container', () => {
  const service = new SharedService();
  const client = new SyncClient(service);
  beforeAll(() => service.start());
  afterAll(() => service.end());

  it('indexes added, changed and deleted blobs, and repeats no other work', async () => {
    const container = 'synced';
    await azurite.createContainer(container);
    await azurite.put(container, 'a/one.txt', 'Alpha speaks of marmalade.', { 'x-ms-meta-shelf': 'north' });
    await azurite.put(container, 'a/two & <three>+ü.txt', 'Beta speaks of turpentine.');
    await azurite.put(container, 'b/four.md', '# Gamma\n\nIt speaks of obsidian.');
    const { id } = await service.call<{ id: string }>('POST', '/api/v1/data-sources', {
      name: container,
      source_type: 'SOURCE_1_BLOB',
      component: { account_url: azurite.url, container_name: container, account_key: azurite.key },
    });
    const pipelineId = await client.createPipeline();
    await service.call('PUT', `/api/v1/pipelines/${pipelineId}/data-sources`, [{ data_source_id: id }]);
    const first = await client.sync(pipelineId);
    expect(first).toMatchObject({ status: 'SUCCESS', counts: { SUCCESS: 3 } });
    const [hit] = await client.search(pipelineId, 'marmalade');
    expect(hit!.node.extra_info).toMatchObject({
      ...{ file_path: 'a/one.txt', file_name: 'one.txt', external_file_id: 'a/one.txt', data_source_id: id },
      ...{ container, 'blob_metadata.shelf': 'north' },
    });
    expect((await client.sync(pipelineId)).progress.counters).toEqual({ listed: 3, changed: 0 });
    await azurite.put(container, 'b/four.md', '# Gamma\n\nIt now speaks of porphyry.');
    await azurite.delete(container, 'a/one.txt');
    await azurite.put(container, 'd/six.txt', 'Epsilon speaks of kumquats.');
    const second = await client.sync(pipelineId);
    expect(second).toMatchObject({ status: 'SUCCESS', counts: { SUCCESS: 3 } });
    expect(second.progress.counters).toMatchObject({
      listed: 3,
      changed: 2,
      removed: 1,
      fetched: 2,
      indexed: 2,
    });
    const paths = (await client.search(pipelineId, 'speaks')).map(({ node }) => node.extra_info.file_path);
    expect(paths.sort()).toEqual(['a/two & <three>+ü.txt', 'b/four.md', 'd/six.txt']);
  });
});
