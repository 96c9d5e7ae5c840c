import { afterAll, beforeAll, expect, it } from 'vitest';
import { SyncClient } from './pipelines.ts';
import { S3Server } from './s3-server.ts';
import { SharedService } from './shared-client.ts';

const s3 = new S3Server('papers');
const service = new SharedService();
const client = new SyncClient(service);

beforeAll(async () => {
  await s3.start();
  await service.start();
});
afterAll(async () => {
  await service.end();
  await s3.stop();
});

const bucket = (custom_metadata: Record<string, unknown>) => ({
  source_type: 'SOURCE_9_BUCKET',
  custom_metadata,
  component: {
    bucket: 'papers',
    cloud_access_id: s3.credentials.accessKeyId,
    cloud_access_secret: s3.credentials.secretAccessKey,
    bucket_endpoint_url: s3.url,
  },
});

async function createSource(custom_metadata: Record<string, unknown> = {}): Promise<string> {
  const body = { name: `bucket ${crypto.randomUUID()}`, ...bucket(custom_metadata) };
  return (await service.call<{ id: string }>('POST', '/api/v1/data-sources', body)).id;
}

async function pipelineOver(sourceId: string, more: Record<string, unknown> = {}): Promise<string> {
  const id = await client.createPipeline(more);
  await service.call('PUT', `/api/v1/pipelines/${id}/data-sources`, [{ data_source_id: sourceId }]);
  return id;
}

it.each([
  ['with new vectors where it is embedded', [], 'indexed'],
  ['and keeps their vectors where it is not', ['shelf'], 'described'],
])('updates files when the metadata of a data source changes, %s', async (_, keys, counted) => {
  s3.put('shelved.txt', 'Kappa speaks of bookends.');
  const sourceId = await createSource({ shelf: 'north' });
  const id = await pipelineOver(sourceId, { metadata_config: { excluded_embed_metadata_keys: keys } });
  await client.sync(id);
  const [before] = await client.search(id, 'bookends');
  expect(before!.node.extra_info).toMatchObject({ shelf: 'north' });
  await service.call('PUT', `/api/v1/data-sources/${sourceId}`, bucket({ shelf: 'south' }));
  const { counters } = (await client.sync(id)).progress;
  expect(counters).toMatchObject({ changed: 0, [counted]: 1 });
  const [after] = await client.search(id, 'bookends');
  expect(after!.node.extra_info).toMatchObject({ shelf: 'south' });
});

it('deletes a file that a data source no longer lists after the last pipeline removed it', async () => {
  s3.put('stays.txt', 'Lambda speaks of lanterns.');
  s3.put('leaves.txt', 'Mu speaks of parsnips.');
  const sourceId = await createSource();
  const [first, second] = [await pipelineOver(sourceId), await pipelineOver(sourceId)];
  await client.sync(first);
  await client.sync(second);
  const [hit] = await client.search(second, 'parsnips');
  const path = `/api/v1/files/${hit!.node.extra_info.file_id}`;
  s3.objects.delete('leaves.txt');
  expect(await client.sync(first)).toMatchObject({
    status: 'SUCCESS',
    progress: { counters: { removed: 1 } },
  });
  expect(await client.search(first, 'parsnips')).toEqual([]);
  expect(await service.call('GET', path)).toMatchObject({ name: 'leaves.txt' });
  expect(await client.search(second, 'parsnips')).toHaveLength(1);
  expect(await client.sync(second)).toMatchObject({
    status: 'SUCCESS',
    progress: { counters: { removed: 1 } },
  });
  await expect(service.call('GET', path)).rejects.toThrow('404');
});
