import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { createObjects } from '#src/work/objects.ts';
import type { WorkItem } from '#src/work/sync-owner.ts';
import { addFiles, createPipeline, sync } from '#test/support/pipelines.ts';

/** Execution context of a Worker that the tests call directly. */
export const execution = {
  waitUntil() {},
  passThroughOnException() {},
  props: {},
} as unknown as ExecutionContext;

/** Returns the owner of a pipeline's sync, which the test calls directly instead of through a queue. */
export async function getOwner(pipelineId: string) {
  return createObjects(env).pipelineSync(pipelineId);
}

/** The only item of a run of `createRunWithItem`. */
export const ITEM: WorkItem = { id: 'file:1', kind: 'file', fileId: 'file-1' };

/** State of the item. `leaseUntil` is in milliseconds since 1970. */
type Seed = {
  state: 'waiting' | 'sent' | 'claimed';
  attempts?: number;
  consumer?: string;
  leaseUntil?: number;
};

/** Creates a run in its working phase with one item in the given state and without a queued message. */
export async function createRunWithItem(seed: Seed) {
  const pipelineId = await createPipeline();
  await addFiles(pipelineId, { 'a.txt': 'alpha' });
  await sync(pipelineId);
  const owner = await getOwner(pipelineId);
  const { generation } = (await owner.view())!;
  const stub = env.PIPELINE_SYNC.get(env.PIPELINE_SYNC.idFromName(pipelineId));
  const rows = (query: string) =>
    runInDurableObject(stub, (_instance, state) => state.storage.sql.exec(query).toArray());
  await runInDurableObject(stub, (_instance, state) => {
    const sql = state.storage.sql;
    sql.exec("update run set state = 'working', finishedAt = null, progressAt = ?", Date.now());
    sql.exec('delete from item');
    // Set far in the future; tests run the alarm themselves.
    state.storage.setAlarm(Date.now() + 3_600_000);
    sql.exec(
      `insert into item (id, generation, body, state, attempts, consumer, leaseUntil, progressAt)
       values (?, ?, ?, ?, ?, ?, ?, ?)`,
      ITEM.id,
      generation,
      JSON.stringify(ITEM),
      seed.state,
      seed.attempts ?? 0,
      seed.consumer ?? null,
      seed.leaseUntil ?? 0,
      Date.now(),
    );
  });
  return { pipelineId, owner, generation, stub, rows };
}

/** Creates the nth of the small items of `createRunWithSmallItems`. */
export const createSmallItem = (n: number): WorkItem => ({
  id: `file:${n}`,
  kind: 'file',
  fileId: `file-${n}`,
  bytes: 100,
});

/** Creates a run with small items, all sent in the message `together:1`. */
export async function createRunWithSmallItems(count: number) {
  const run = await createRunWithItem({ state: 'waiting' });
  await run.rows('delete from item');
  await run.rows("update run set counters = '{}'");
  await runInDurableObject(run.stub, (_instance, { storage }) => {
    for (let n = 0; n < count; n += 1) {
      const item = createSmallItem(n);
      const columns = '(id, generation, body, bytes, state, sentAs, sentAt, progressAt)';
      storage.sql.exec(
        `insert into item ${columns} values (?, ?, ?, 100, 'sent', 'together:1', 9e15, ?)`,
        ...[item.id, run.generation, JSON.stringify(item), Date.now()],
      );
    }
  });
  const states = () =>
    run.rows('select id, state, attempts, starts, lost, most, sentAs from item order by rowid');
  return { ...run, states };
}
