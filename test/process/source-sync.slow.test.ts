import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { type Hit, SyncClient } from './pipelines.ts';
import { S3Server } from './s3-server.ts';
import { Service } from './service.ts';

const s3 = new S3Server('papers');
const service = new Service({ ALLOW_PRIVATE_ADDRESSES: 'true', SILENCE_SECONDS: '5' });
const client = new SyncClient(service);

beforeAll(async () => {
  await s3.start();
  await service.start();
});
afterAll(async () => {
  await service.end();
  await s3.stop();
});
beforeEach(() => {
  s3.objects.clear();
  s3.pageSize = 1000;
  s3.held = undefined;
  s3.trouble = undefined;
  s3.scripted.length = 0;
});

const component = (more: Record<string, unknown> = {}) => ({
  bucket: 'papers',
  cloud_access_id: s3.credentials.accessKeyId,
  cloud_access_secret: s3.credentials.secretAccessKey,
  bucket_endpoint_url: s3.url,
  ...more,
});

async function pipelineOver(more: Record<string, unknown> = {}, source: Record<string, unknown> = {}) {
  const { id: sourceId } = await service.call<{ id: string }>('POST', '/api/v1/data-sources', {
    name: `bucket ${crypto.randomUUID()}`,
    source_type: 'SOURCE_9_BUCKET',
    component: component(more),
    ...source,
  });
  const pipelineId = await client.createPipeline();
  await service.call('PUT', `/api/v1/pipelines/${pipelineId}/data-sources`, [{ data_source_id: sourceId }]);
  return { pipelineId, sourceId };
}

const names = (hits: Hit[]) => hits.map(({ node }) => node.extra_info.file_path).sort();

describe('data source with an S3 bucket', () => {
  it('indexes added, changed, renamed and deleted objects, and repeats no other work', async () => {
    s3.pageSize = 2;
    s3.put('a/one.txt', 'Alpha speaks of marmalade.');
    s3.put('a/two & <three>+ü.txt', 'Beta speaks of turpentine.');
    s3.put('b/four.md', '# Gamma\n\nIt speaks of obsidian.');
    s3.put('b/', '');
    s3.put('c/five.txt', 'Delta speaks of zeppelins.');
    const { pipelineId, sourceId } = await pipelineOver(
      {},
      { custom_metadata: { shelf: 'north', bucket: 'renamed' } },
    );
    const first = await client.sync(pipelineId);
    expect(first).toMatchObject({ status: 'SUCCESS', counts: { SUCCESS: 4 } });
    expect(first.progress.counters).toMatchObject({ listed: 4, changed: 4, fetched: 4, indexed: 4 });
    const [hit] = await client.search(pipelineId, 'marmalade');
    // Metadata of the file overrides metadata of its data source.
    expect(hit!.node.extra_info).toMatchObject({
      file_path: 'a/one.txt',
      file_name: 'one.txt',
      external_file_id: 'a/one.txt',
      data_source_id: sourceId,
      shelf: 'north',
      bucket: 'papers',
    });
    const before = hit!.node.extra_info.file_id;

    const nothing = await client.sync(pipelineId);
    expect(nothing.progress.counters).toEqual({ listed: 4, changed: 0 });

    s3.put('b/four.md', '# Gamma\n\nIt now speaks of porphyry.');
    s3.rename('a/one.txt', 'a/renamed.txt');
    s3.objects.delete('c/five.txt');
    s3.put('d/six.txt', 'Epsilon speaks of kumquats.');
    const second = await client.sync(pipelineId);
    expect(second).toMatchObject({ status: 'SUCCESS', counts: { SUCCESS: 4 } });
    expect(second.progress.counters).toMatchObject({
      listed: 4,
      changed: 3,
      renamed: 1,
      removed: 1,
      fetched: 2,
      indexed: 2,
      described: 1,
    });
    expect(names(await client.search(pipelineId, 'speaks'))).toEqual([
      'a/renamed.txt',
      'a/two & <three>+ü.txt',
      'b/four.md',
      'd/six.txt',
    ]);
    expect(await client.search(pipelineId, 'obsidian')).toEqual([]);
    expect(await client.search(pipelineId, 'zeppelins')).toEqual([]);
    const [renamed] = await client.search(pipelineId, 'marmalade');
    expect(renamed!.node.extra_info).toMatchObject({ file_path: 'a/renamed.txt', file_id: before });
  });

  it('applies a rename in each pipeline, even if both sync at the same time', async () => {
    s3.pageSize = 1;
    s3.put('old.txt', 'Theta speaks of capstans.');
    s3.put('still.txt', 'Iota speaks of bilges.');
    const { pipelineId: first, sourceId } = await pipelineOver();
    const second = await client.createPipeline();
    await service.call('PUT', `/api/v1/pipelines/${second}/data-sources`, [{ data_source_id: sourceId }]);
    await client.sync(first);
    await client.sync(second);
    const [before] = await client.search(first, 'capstans');
    s3.rename('old.txt', 'a.txt');
    // The first sync treats a.txt as new and continues listing while the second recognizes the renamed file.
    const asked = s3.requests.length;
    let letGo = () => {};
    s3.held = { carrying: 'continuation-token', until: new Promise<void>((resolve) => (letGo = resolve)) };
    const run = client.sync(first);
    await vi.waitUntil(() => s3.requests.slice(asked).some((url) => url.includes('continuation-token')), {
      timeout: PATIENCE_MS,
    });
    s3.held = undefined;
    const other = await client.sync(second);
    letGo();
    expect(other).toMatchObject({ status: 'SUCCESS', counts: { SUCCESS: 2 } });
    expect(other.progress.counters).toMatchObject({ renamed: 1 });
    expect(await run).toMatchObject({ status: 'SUCCESS', counts: { SUCCESS: 2 } });
    for (const pipelineId of [first, second]) {
      expect(names(await client.search(pipelineId, 'speaks'))).toEqual(['a.txt', 'still.txt']);
      const [hit] = await client.search(pipelineId, 'capstans');
      expect(hit!.node.extra_info.file_id).toBe(before!.node.extra_info.file_id);
    }
  });

  it('reads objects that match prefix and pattern, and single sources or files on request', async () => {
    const before = Date.now();
    s3.put('in/a.txt', 'Wanted words.');
    s3.put('in/b.log', 'Unwanted words.');
    s3.put('out/c.txt', 'Elsewhere words.');
    const { pipelineId, sourceId } = await pipelineOver({ prefix: 'in/', regex_pattern: '\\.txt$' });
    expect((await client.sync(pipelineId)).counts).toEqual({ SUCCESS: 1 });
    s3.put('in/a.txt', 'Wanted words, second edition.');
    s3.put('in/d.txt', 'More words.');
    const { files } = await service.call<{ files: { id: string; name: string }[] }>(
      'GET',
      `/api/v1/pipelines/${pipelineId}/files2`,
    );
    const path = `/api/v1/pipelines/${pipelineId}/data-sources/${sourceId}`;
    const only = await client.run(pipelineId, () =>
      service.call('POST', `${path}/sync`, { pipeline_file_ids: [files[0]!.id] }),
    );
    expect(only.progress.counters).toMatchObject({ listed: 2, fetched: 1, indexed: 1 });
    expect(await client.search(pipelineId, 'edition')).toHaveLength(1);
    const rest = await client.run(pipelineId, () => service.call('POST', `${path}/sync`));
    expect(rest.progress.counters).toMatchObject({ fetched: 1, indexed: 1 });
    const status = await service.call<{ status: string }>('GET', `${path}/status`);
    expect(status.status).toBe('SUCCESS');
    const [row] = await service.call<{ last_synced_at: string }[]>(
      'GET',
      `/api/v1/pipelines/${pipelineId}/data-sources`,
    );
    expect(Date.parse(row!.last_synced_at)).toBeGreaterThanOrEqual(before);
  });

  it('reports a source error, keeps its files and continues with other sources', async () => {
    s3.put('kept.txt', 'Kept words.');
    const { pipelineId, sourceId } = await pipelineOver();
    await client.sync(pipelineId);
    await service.call('PUT', `/api/v1/data-sources/${sourceId}`, {
      source_type: 'SOURCE_9_BUCKET',
      component: component({ cloud_access_secret: 'wrong' }),
    });
    const failed = await client.sync(pipelineId);
    expect(failed.status).toBe('PARTIAL_SUCCESS');
    expect(failed.error?.[0]).toMatchObject({ step: 'DATA_SOURCE' });
    expect(failed.error?.[0]?.message).toContain('SignatureDoesNotMatch');
    expect(await client.search(pipelineId, 'kept')).toHaveLength(1);
    await service.call('PUT', `/api/v1/data-sources/${sourceId}`, {
      source_type: 'SOURCE_9_BUCKET',
      component: component(),
    });
    expect((await client.sync(pipelineId)).status).toBe('SUCCESS');
  });

  it('waits for Retry-After, counts the retries and then succeeds', async () => {
    s3.put('a.txt', 'Patience words.');
    const { pipelineId } = await pipelineOver();
    s3.scripted.push({ status: 429, headers: { 'retry-after': '1' } }, { status: 503 });
    const status = await client.sync(pipelineId);
    expect(status).toMatchObject({ status: 'SUCCESS', counts: { SUCCESS: 1 } });
    expect(status.progress.counters).toMatchObject({ retries: 2, throttled: 1, indexed: 1 });
  });

  it('retries a silent source', async () => {
    s3.put('one.txt', 'Epsilon speaks of barnacles.');
    s3.put('two.txt', 'Zeta speaks of rigging.');
    const { pipelineId } = await pipelineOver();
    s3.trouble = { chance: 1, kinds: ['hang'], times: 1 };
    const ended = await client.sync(pipelineId);
    expect(ended).toMatchObject({ status: 'SUCCESS', counts: { SUCCESS: 2 } });
    expect(ended.progress.counters).toMatchObject({ retries: 1, indexed: 2 });
  });

  it('indexes nothing from a source that is removed during listing', async () => {
    s3.put('late.txt', 'Eta speaks of a zebra.');
    const { pipelineId, sourceId } = await pipelineOver();
    const listed = Promise.withResolvers<void>();
    s3.held = { carrying: 'list-type=2', until: listed.promise };
    const asked = s3.requests.length;
    const run = client.sync(pipelineId);
    await vi.waitUntil(() => s3.requests.length > asked, { timeout: PATIENCE_MS });
    await service.call('DELETE', `/api/v1/pipelines/${pipelineId}/data-sources/${sourceId}`);
    s3.held = undefined;
    listed.resolve();
    await run;
    expect(await service.call('GET', `/api/v1/pipelines/${pipelineId}/files`)).toEqual([]);
    expect(await client.search(pipelineId, 'zebra')).toEqual([]);
    const again = await client.sync(pipelineId);
    expect(again).toMatchObject({ status: 'SUCCESS', counts: {} });
  });

  it('reports an invalid component in the source status', async () => {
    const { id } = await service.call<{ id: string }>('POST', '/api/v1/data-sources', {
      name: 'odd',
      source_type: 'SOURCE_9_BUCKET',
      component: { note: 'no field of a bucket' },
    });
    const pipelineId = await client.createPipeline();
    await service.call('PUT', `/api/v1/pipelines/${pipelineId}/data-sources`, [{ data_source_id: id }]);
    const status = await client.sync(pipelineId);
    expect(status.status).toBe('ERROR');
    expect(status.error?.[0]?.message).toContain('does not match the data source type SOURCE_9_BUCKET');
  });
});
