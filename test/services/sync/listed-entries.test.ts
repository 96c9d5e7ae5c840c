import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { dataSources, files, pipelines } from '#src/db/schema/index.ts';
import type { SourceEntry } from '#src/ports/source.ts';
import { tryRow } from '#src/services/connections/check-data-source.ts';
import { recordListed, type Target } from '#src/services/sync/listed-entries.ts';
import { openedSource } from '#src/services/sync/opened-sources.ts';
import { soundEntry } from '#src/sources/shared/sound.ts';
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
  return { ctx, pipeline, source, generation: 1 } satisfies Target;
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

const filesOf = ({ source }: Target) =>
  ctx.db.query.files.findMany({ where: eq(files.origin, source.id), orderBy: files.externalFileId });

it('keeps where an entry is, its address and who may see it', async () => {
  const to = await target();
  expect(await recordListed(to, [entry('a')])).toBe(1);
  expect(await filesOf(to)).toMatchObject([
    {
      name: 'a.txt',
      fileType: 'txt',
      permissionInfo: { users: ['ann'] },
      resourceInfo: { file_path: 'folder/a.txt', web_url: 'https://drive.test/a', owner: 'ann' },
    },
  ]);
});

it('writes nothing of what has not changed, and each change but none of the version alone', async () => {
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

it('takes in pages of any length, whatever is said of their entries', async () => {
  const to = await target();
  const many = Array.from({ length: 1201 }, (_, index) =>
    entry(`many-${index}`, { metadata: { note: 'x'.repeat(2000) } }),
  );
  const odd = ["it's", '"quoted"', 'a/b/../c', 'é\u0000\n', 'x'.repeat(1000), '__proto__', '%00'].map((id) =>
    soundEntry(entry(id, { name: id, metadata: { note: 'y'.repeat(200_000) } })),
  );
  await recordListed(to, [...many, ...odd]);
  const found = await filesOf(to);
  expect(found).toHaveLength(many.length + odd.length);
  const ids = new Set(found.map(({ externalFileId }) => externalFileId));
  for (const { id } of odd) expect(ids).toContain(id);
});

it('opens a source once for a run, and anew when it is another run or has other settings', async () => {
  const { source, pipeline } = await target();
  const run = { pipelineId: pipeline.id, jobId: 'job-1' };
  const first = await openedSource(ctx, run, source);
  expect(await openedSource(ctx, run, { ...source, name: 'renamed' })).toBe(first);
  expect(await openedSource(ctx, run, { ...source, component: { bucket: 'c' } })).not.toBe(first);
  const again = await openedSource(ctx, run, source);
  expect(await openedSource(ctx, { ...run, jobId: 'job-2' }, source)).not.toBe(again);
});

it('keeps no more sources open than a few', async () => {
  const { source, pipeline } = await target();
  const run = { pipelineId: pipeline.id, jobId: 'job-1' };
  const first = await openedSource(ctx, run, source);
  for (let index = 0; index < 40; index++) {
    await openedSource(ctx, { ...run, pipelineId: `other-${index}` }, source);
  }
  expect(await openedSource(ctx, run, source)).not.toBe(first);
});

it('says of a data source whether it can be read, and why not', async () => {
  const odd = await target('SOURCE_9_BUCKET', { note: 'no field of a bucket' });
  const { success, message } = await tryRow(ctx, odd.source);
  expect(success).toBe(false);
  expect(message).toContain('no field that SOURCE_9_BUCKET knows');
  const local = await target('SOURCE_9_BUCKET', {
    bucket: 'b',
    bucket_endpoint_url: 'http://private.nowhere.example',
  });
  expect(await tryRow(ctx, local.source)).toMatchObject({ success: false });
});
