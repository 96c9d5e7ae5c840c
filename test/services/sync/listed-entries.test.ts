import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { dataSources, files, pipelines } from '#src/db/schema/index.ts';
import type { SourceEntry } from '#src/ports/source.ts';
import { testDataSource } from '#src/services/connections/check-data-source.ts';
import { type ListingTarget, recordListed } from '#src/services/sync/listed-entries.ts';
import { getOpenSource } from '#src/services/sync/opened-sources.ts';
import { sanitizeEntry } from '#src/sources/shared/sanitize-source.ts';
import { call } from '#test/support/client.ts';
import { createPipeline } from '#test/support/pipelines.ts';

const execution = { waitUntil() {}, passThroughOnException() {}, props: {} } as unknown as ExecutionContext;
const ctx = createContext(env, execution);

async function target(source_type = 'SOURCE_9_BUCKET', component = { bucket: 'b' } as object) {
  const pipelineId = await createPipeline();
  const body = { name: 'entries', source_type, component };
  const { id } = (await call<{ id: string }>('POST', '/api/v1/data-sources', { body })).body;
  await call('PUT', `/api/v1/pipelines/${pipelineId}/data-sources`, { body: [{ data_source_id: id }] });
  const pipeline = (await ctx.db.query.pipelines.findFirst({ where: eq(pipelines.id, pipelineId) }))!;
  const source = (await ctx.db.query.dataSources.findFirst({ where: eq(dataSources.id, id) }))!;
  return { ctx, pipeline, source, generation: 1 } satisfies ListingTarget;
}

const entry = (id: string, more: Partial<SourceEntry> = {}): SourceEntry => ({
  id,
  name: `${id}.txt`,
  path: `folder/${id}.txt`,
  size: 1,
  version: 'v1',
  modifiedAt: null,
  webUrl: `https://drive.test/${id}`,
  permissions: { users: ['ann'] },
  metadata: { owner: 'ann', file_path: 'not this one' },
  ...more,
});

const listFiles = ({ source }: ListingTarget) =>
  ctx.db.query.files.findMany({ where: eq(files.origin, source.id), orderBy: files.externalFileId });

it('stores the path, the URL and the permissions of an entry', async () => {
  const to = await target();
  expect(await recordListed(to, [entry('a')])).toBe(1);
  expect(await listFiles(to)).toMatchObject([
    {
      name: 'a.txt',
      fileType: 'txt',
      permissionInfo: { users: ['ann'] },
      resourceInfo: { file_path: 'folder/a.txt', web_url: 'https://drive.test/a', owner: 'ann' },
    },
  ]);
});

it('writes only entries that changed', async () => {
  const to = await target();
  await recordListed(to, [entry('a'), entry('b')]);
  expect(await recordListed(to, [entry('a'), entry('b')])).toBe(0);
  for (const change of [
    { permissions: { users: ['bob'] } },
    { permissions: null },
    { path: 'moved/a.txt' },
    { name: 'renamed.txt' },
    { version: 'v2' },
  ]) {
    expect(await recordListed(to, [entry('a', change), entry('b')])).toBe(1);
    expect(await recordListed(to, [entry('a', change), entry('b')])).toBe(0);
    await recordListed(to, [entry('a')]);
  }
});

it('stores pages of any length with unusual entries', async () => {
  const to = await target();
  const many = Array.from({ length: 1201 }, (_, index) =>
    entry(`many-${index}`, { metadata: { note: 'x'.repeat(2000) } }),
  );
  const odd = ["it's", '"quoted"', 'a/b/../c', 'é\u0000\n', 'x'.repeat(1000), '__proto__', '%00'].map((id) =>
    sanitizeEntry(entry(id, { name: id, metadata: { note: 'y'.repeat(200_000) } })),
  );
  await recordListed(to, [...many, ...odd]);
  const found = await listFiles(to);
  expect(found).toHaveLength(many.length + odd.length);
  const ids = new Set(found.map(({ externalFileId }) => externalFileId));
  for (const { id } of odd) expect(ids).toContain(id);
});

it('opens a source once per run and settings', async () => {
  const { source, pipeline } = await target();
  const run = { pipelineId: pipeline.id, jobId: 'job-1' };
  const first = await getOpenSource(ctx, run, source);
  expect(await getOpenSource(ctx, run, { ...source, name: 'renamed' })).toBe(first);
  expect(await getOpenSource(ctx, run, { ...source, component: { bucket: 'c' } })).not.toBe(first);
  const again = await getOpenSource(ctx, run, source);
  expect(await getOpenSource(ctx, { ...run, jobId: 'job-2' }, source)).not.toBe(again);
});

it('keeps only a few sources open', async () => {
  const { source, pipeline } = await target();
  const run = { pipelineId: pipeline.id, jobId: 'job-1' };
  const first = await getOpenSource(ctx, run, source);
  for (let index = 0; index < 40; index++) {
    await getOpenSource(ctx, { ...run, pipelineId: `other-${index}` }, source);
  }
  expect(await getOpenSource(ctx, run, source)).not.toBe(first);
});

it('reports whether a data source can be read, and the reason', async () => {
  const odd = await target('SOURCE_9_BUCKET', { note: 'no field of a bucket' });
  const { success, message } = await testDataSource(ctx, odd.source);
  expect(success).toBe(false);
  expect(message).toContain('does not match the data source type SOURCE_9_BUCKET');
  const local = await target('SOURCE_9_BUCKET', {
    bucket: 'b',
    bucket_endpoint_url: 'http://private.nowhere.example',
  });
  expect(await testDataSource(ctx, local.source)).toMatchObject({ success: false });
});
