import { env } from 'cloudflare:workers';
import { afterEach, expect, it, vi } from 'vitest';
import { ingestFile } from '#queues/ingest-file.ts';
import { createContext } from '#src/context/context.ts';
import { prepareTargetIndex } from '#src/services/indexes/lifecycle.ts';
import { HEARTBEAT_MS } from '#src/work/lease.ts';
import type { SyncOwner } from '#src/work/sync-owner.ts';
import { addFiles, createPipeline, retrieve } from '#test/support/pipelines.ts';

const execution = { waitUntil() {}, passThroughOnException() {}, props: {} };

afterEach(() => void vi.useRealTimers());

it('stops when the owner has reclaimed the item, and reports nothing', async () => {
  const pipelineId = await createPipeline();
  const [fileId] = await addFiles(pipelineId, { 'gull.txt': 'The gull eats herring.' });
  const real = createContext(env, execution);
  const pipeline = await real.db.query.pipelines.findFirst({
    where: (row, { eq }) => eq(row.id, pipelineId),
  });
  await prepareTargetIndex(real, pipeline!, 1);
  vi.useFakeTimers({ toFake: ['Date'] });
  const item = { id: `file:${fileId}`, kind: 'file', fileId: fileId! } as const;
  const items = [{ item, attempt: 1 }];
  const granted = { go: true as const, items, generation: 1, jobId: 'j', version: Date.now() };
  const isWanted = vi.fn(async () => false);
  const told = vi.fn();
  const owner: Partial<SyncOwner> = {
    claim: async () => granted,
    heartbeat: isWanted,
    report: told,
  };
  const ctx = {
    ...real,
    objects: { ...real.objects, pipelineSync: () => owner as SyncOwner },
    /** Each database access advances the clock so far that a heartbeat is due. */
    get db() {
      vi.setSystemTime(Date.now() + HEARTBEAT_MS + 1);
      return real.db;
    },
  };
  await ingestFile(ctx, { type: 'ingest-file', pipelineId, generation: 1, itemId: item.id });
  expect(isWanted).toHaveBeenCalled();
  expect(told).not.toHaveBeenCalled();
  vi.useRealTimers();
  expect(await retrieve(pipelineId, 'herring')).toEqual([]);
});
