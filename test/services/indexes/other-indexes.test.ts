import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { openDatabase } from '#src/db/client.ts';
import { indexedDocuments, type PipelineIndex, pipelineIndexes } from '#src/db/schema/index.ts';
import { openIndexSink, sealSinkForIndex } from '#src/services/connections/index-sink.ts';
import { dropRetired, promoteIndex } from '#src/services/indexes/lifecycle.ts';
import { removeFromIndexes, removeOutdated } from '#src/services/indexes/removal.ts';
import { call } from '#test/support/client.ts';
import { hasRow, insertPipeline, valuesOf } from '#test/support/inserted-rows.ts';
import { createTenant } from '#test/support/tenants.ts';

// What happens to an index of a pipeline happens to no index of another pipeline.

const db = openDatabase(env.DB);
const ctx = createContext(env, { waitUntil() {} });
let key: string;
let pipeline: string;
/** Another pipeline of the same project. */
let other: string;

beforeEach(async () => {
  const tenant = await createTenant();
  key = tenant.key;
  pipeline = await insertPipeline(tenant.projectId);
  other = await insertPipeline(tenant.projectId);
});

async function insertIndex(
  pipelineId: string,
  columns: Partial<typeof pipelineIndexes.$inferInsert> = {},
): Promise<PipelineIndex> {
  const id = columns.id ?? crypto.randomUUID();
  const row = { id, pipelineId, configHash: 'c', state: 'live' as const };
  await db.insert(pipelineIndexes).values({ ...row, ...columns });
  return readIndex(id);
}

const readIndex = async (id: string) =>
  (await ctx.db.query.pipelineIndexes.findFirst({ where: (each, { eq }) => eq(each.id, id) }))!;

describe('an index that is complete', () => {
  it('replaces the live index of its pipeline', async () => {
    const rows = [
      await insertIndex(pipeline, { state: 'building' }),
      await insertIndex(pipeline, { state: 'live' }),
      await insertIndex(pipeline, { state: 'retired' }),
      await insertIndex(other, { state: 'live' }),
      await insertIndex(other, { state: 'building' }),
    ];
    await promoteIndex(ctx, rows[0]!);
    const states = await Promise.all(rows.map(async ({ id }) => (await readIndex(id)).state));
    expect(states).toEqual(['live', 'retired', 'retired', 'live', 'building']);
  });
});

describe('an index that was replaced', () => {
  const ago = (seconds: number) => new Date(Date.now() - seconds * 1000);

  it('is deleted after a minute, and no other index', async () => {
    const retired = { state: 'retired' as const };
    const gone = await insertIndex(pipeline, { ...retired, updatedAt: ago(61) });
    const kept = [
      await insertIndex(pipeline, { ...retired, updatedAt: ago(30) }),
      await insertIndex(pipeline, { state: 'live', updatedAt: ago(1000) }),
      await insertIndex(pipeline, { state: 'building', updatedAt: ago(1000) }),
      await insertIndex(other, { ...retired, updatedAt: ago(1000) }),
    ];
    expect(await dropRetired(ctx, pipeline)).toBe(true);
    expect(await hasRow('pipeline_indexes', gone.id)).toBe(false);
    const left = await Promise.all(kept.map(({ id }) => hasRow('pipeline_indexes', id)));
    expect(left).toEqual([true, true, true, true]);
  });

  it('is not waited for if it belongs to another pipeline', async () => {
    await insertIndex(pipeline);
    await insertIndex(other, { state: 'retired' });
    expect(await dropRetired(ctx, pipeline)).toBe(false);
  });
});

describe('documents that leave a pipeline', () => {
  const insertEntry = (indexId: string, documentId: string, contentFingerprint = 'hash:rest') =>
    db.insert(indexedDocuments).values({
      ...{ indexId, documentId, contentFingerprint, metadataFingerprint: '' },
      ...{ shard: 0, lastShard: 0, version: 1, chunkCount: 1 },
    });
  const entriesOf = async ({ id }: PipelineIndex) =>
    (await valuesOf('indexed_documents', 'document_id', `index_id = '${id}'`)).toSorted();

  it('leave all of its indexes, and no index of another pipeline', async () => {
    const [live, building, elsewhere] = [
      await insertIndex(pipeline),
      await insertIndex(pipeline, { state: 'building' }),
      await insertIndex(other),
    ];
    for (const { id } of [live, building, elsewhere])
      for (const document of ['gone', 'kept']) await insertEntry(id, document);
    await removeFromIndexes(ctx, pipeline, ['gone']);
    expect([await entriesOf(live), await entriesOf(building)]).toEqual([['kept'], ['kept']]);
    expect(await entriesOf(elsewhere)).toEqual(['gone', 'kept']);
  });

  it('are removed as outdated only if they were made from another content, in this pipeline', async () => {
    const [index, elsewhere] = [await insertIndex(pipeline), await insertIndex(other)];
    await insertEntry(index.id, 'same', 'hash:rest');
    await insertEntry(index.id, 'changed', 'hash2:rest');
    await insertEntry(index.id, 'not asked for', 'hash2:rest');
    await insertEntry(elsewhere.id, 'changed', 'hash2:rest');
    await removeOutdated(ctx, pipeline, 'same', 'hash');
    await removeOutdated(ctx, pipeline, 'changed', 'hash');
    expect(await entriesOf(index)).toEqual(['not asked for', 'same']);
    expect(await entriesOf(elsewhere)).toEqual(['changed']);
  });
});

describe('the changed settings of a data sink', () => {
  const settings = (api_key: string) => ({ api_key, url: 'https://vectors.example', collection_name: 'c' });

  async function createSinkWithIndex(api_key: string) {
    const component = settings(api_key);
    const body = { name: 'vectors', sink_type: 'VENDOR_G', component };
    const sink = await call<{ id: string }>('POST', '/api/v1/data-sinks', { key, body });
    const made = await call<{ id: string }>('POST', '/api/v1/pipelines', {
      key,
      body: { name: crypto.randomUUID(), data_sink_id: sink.body.id },
    });
    const id = crypto.randomUUID();
    await insertIndex(made.body.id, {
      id,
      sink: await sealSinkForIndex(ctx, { type: 'VENDOR_G', component }, id),
    });
    return { sink: sink.body.id, index: id };
  }

  it('reach the indexes of pipelines with this data sink, not of another at the same place', async () => {
    const [changed, same] = [await createSinkWithIndex('first'), await createSinkWithIndex('second')];
    const body = { sink_type: 'VENDOR_G', component: settings('third') };
    const answer = await call('PUT', `/api/v1/data-sinks/${changed.sink}`, { key, body });
    expect(answer.status).toBe(200);
    const keyOf = async (id: string) => (await openIndexSink(ctx, await readIndex(id)))?.component.api_key;
    expect([await keyOf(changed.index), await keyOf(same.index)]).toEqual(['third', 'second']);
  });
});
