import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { describe, expect, it, vi } from 'vitest';
import { type Context, createContext } from '#src/context/context.ts';
import { whereFile } from '#src/db/pipeline-members.ts';
import { pipelineIndexes, pipelines, syncRuns } from '#src/db/schema/index.ts';
import { DocumentSuperseded } from '#src/ingest/index.ts';
import { createIndexEmbedder } from '#src/services/indexes/embedding.ts';
import { prepareTargetIndex } from '#src/services/indexes/lifecycle.ts';
import { deleteFromIndexes } from '#src/services/indexes/removal.ts';
import { markPlanned } from '#src/services/pipelines/member-statuses.ts';
import { performItems } from '#src/services/sync/perform-items.ts';
import { concludeRun } from '#src/services/sync/runs.ts';
import type { Claim, Run } from '#src/work/sync-owner.ts';
import { call } from '#test/support/client.ts';
import { addFiles, createPipeline, retrieve, statusOf, sync } from '#test/support/pipelines.ts';

const execution = { waitUntil() {}, passThroughOnException() {}, props: {} };
const context = () => createContext(env, execution);

const createClaim = (fileId: string): Extract<Claim, { go: true }> => ({
  go: true,
  items: [{ item: { id: `file:${fileId}`, kind: 'file', fileId }, attempt: 1 }],
  generation: 1,
  jobId: crypto.randomUUID(),
  version: Date.now(),
});

async function syncedFile(text = 'The gull eats herring.') {
  const id = await createPipeline();
  const [fileId] = (await addFiles(id, { 'gull.txt': text })) as [string];
  await sync(id);
  return { id, fileId };
}

const getRun = async (id: string) =>
  (await context().db.query.syncRuns.findFirst({ where: eq(syncRuns.pipelineId, id) }))!;

describe('a file that is removed and added again while it is indexed', () => {
  it('does not count as indexed', async () => {
    const { id, fileId } = await syncedFile();
    await call('DELETE', `/api/v1/pipelines/${id}/files/${fileId}`);
    const path = `/api/v1/pipelines/${id}/files`;
    await call('PUT', path, { body: [{ file_id: fileId }] });
    let isMoved = false;
    const work = performItems(context(), id, createClaim(fileId), async () => {
      if (isMoved) return;
      isMoved = true;
      await call('DELETE', `${path}/${fileId}`);
      await call('PUT', path, { body: [{ file_id: fileId }] });
    });
    expect(await work).toMatchObject([{ status: 'rejected', reason: expect.any(DocumentSuperseded) }]);
    expect((await statusOf(id)).counts?.SUCCESS).toBeUndefined();
    expect(await sync(id)).toMatchObject({ status: 'SUCCESS', counts: { SUCCESS: 1 } });
    expect(await retrieve(id, 'herring')).toHaveLength(1);
  });
});

describe('a deletion from the index', () => {
  /** Creates a context whose index fails at these calls of `remove`, counted from 1. */
  function failing(failAt: number[], start = vi.fn(async () => ({}))): Context {
    const real = context();
    let calls = 0;
    return {
      ...real,
      objects: {
        ...real.objects,
        pipelineSync: () => ({ start }) as never,
        searchShard: (index, shard) =>
          ({
            remove: async (ids: string[], version: number) => {
              calls += 1;
              if (failAt.includes(calls)) throw new Error('the index is away');
              return real.objects.searchShard(index, shard).remove(ids, version);
            },
          }) as never,
      },
    };
  }

  it('keeps the rows if the index fails, so that it can be repeated', async () => {
    const { id, fileId } = await syncedFile();
    const forget = vi.fn(async () => 'done');
    await expect(deleteFromIndexes(failing([1]), [id], [fileId], forget)).rejects.toThrow('away');
    expect(forget).not.toHaveBeenCalled();
    expect(await deleteFromIndexes(failing([]), [id], [fileId], forget)).toBe('done');
    expect(await retrieve(id, 'herring')).toEqual([]);
  });

  it('starts a run if it fails after its rows are deleted', async () => {
    const { id, fileId } = await syncedFile();
    const start = vi.fn(async () => ({}));
    const deletion = deleteFromIndexes(failing([2], start), [id], [fileId], async () => 'done');
    await expect(deletion).rejects.toThrow('away');
    expect(start).toHaveBeenCalledWith(id, { reason: 'change' });
  });
});

describe('a late plan', () => {
  it('does not mark files that its run has finished, or files of an ended run', async () => {
    const { id, fileId } = await syncedFile();
    const { db } = context();
    const run = await getRun(id);
    const member = (await db.query.pipelineMembers.findFirst({ where: whereFile(id, fileId) }))!;
    const mark = () => markPlanned(context(), run.id, [member]);
    await mark();
    expect((await statusOf(id)).counts).toEqual({ SUCCESS: 1 });
    await db.update(syncRuns).set({ status: 'IN_PROGRESS' }).where(eq(syncRuns.id, run.id));
    await mark();
    expect((await statusOf(id)).counts).toEqual({ SUCCESS: 1 });
    const later = new Date(Date.now() + 60_000);
    await db.update(syncRuns).set({ startedAt: later }).where(eq(syncRuns.id, run.id));
    await mark();
    expect((await statusOf(id)).counts).toEqual({ IN_PROGRESS: 1 });
  });
});

describe('the end of a run', () => {
  const ending = async (id: string, jobId: string): Promise<Run> =>
    ({
      pipelineId: id,
      jobId,
      generation: 9,
      reason: 'request',
      verdict: null,
      counters: {},
      startedAt: Date.now(),
    }) as unknown as Run;

  it('is recorded even if its start could not be', async () => {
    const { id } = await syncedFile();
    const jobId = crypto.randomUUID();
    await concludeRun(context(), await ending(id, jobId));
    const row = await context().db.query.syncRuns.findFirst({ where: eq(syncRuns.id, jobId) });
    expect(row).toMatchObject({ status: 'SUCCESS', pipelineId: id });
  });

  it('requests another run if a file was added while a new index was built', async () => {
    const { id } = await syncedFile();
    const { db } = context();
    await db.update(pipelines).set({ transformConfigHash: 'another' }).where(eq(pipelines.id, id));
    const pipeline = (await db.query.pipelines.findFirst({ where: eq(pipelines.id, id) }))!;
    await prepareTargetIndex(context(), pipeline, 9);
    const jobId = crypto.randomUUID();
    expect(await concludeRun(context(), await ending(id, jobId))).toMatchObject({ isBehind: true });
    const states = await db.select().from(pipelineIndexes).where(eq(pipelineIndexes.pipelineId, id));
    expect(states.map(({ state }) => state).sort()).toEqual(['building', 'live']);
  });

  it('leaves no file in progress', async () => {
    const { id } = await syncedFile();
    await env.DB.prepare("update pipeline_members set status = 'IN_PROGRESS' where pipeline_id = ?")
      .bind(id)
      .run();
    await concludeRun(context(), await ending(id, crypto.randomUUID()));
    expect(await statusOf(id)).toMatchObject({ counts: { ERROR: 1 } });
  });
});

describe('an embedding model that changes while a file is indexed', () => {
  const config = (model_name: string) => ({
    embedding_config: {
      type: 'PROVIDER_G_EMBEDDING',
      component: { api_base: 'https://models.example/v1', api_key: 'sk-test', model_name },
    },
  });

  it('does not apply to the existing index', async () => {
    const body = { name: 'shared', ...config('first') };
    const shared = await call<{ id: string }>('POST', '/api/v1/embedding-model-configs', { body });
    const id = await createPipeline({ embedding_model_config_id: shared.body.id });
    const { db } = context();
    // The consumer reads the pipeline before the change and uses it afterwards.
    const pipeline = (await db.query.pipelines.findFirst({ where: eq(pipelines.id, id) }))!;
    const index = await prepareTargetIndex(context(), pipeline, 1);
    const path = `/api/v1/embedding-model-configs/${shared.body.id}`;
    expect((await call('PUT', path, { body: config('second') })).status).toBe(200);
    const { modelId } = await createIndexEmbedder(context(), pipeline, index);
    expect(modelId).toBe('first@https://models.example/v1');
  });
});
