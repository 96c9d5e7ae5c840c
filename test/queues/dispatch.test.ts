import { env } from 'cloudflare:workers';
import { afterEach, expect, it, vi } from 'vitest';
import { PipelineSync } from '#objects/pipeline-sync.ts';
import { dispatch } from '#queues/dispatch.ts';

const execution = { waitUntil() {}, passThroughOnException() {}, props: {} } as unknown as ExecutionContext;

/** Messages of other tests may come meanwhile. */
const ITEM = `file:${crypto.randomUUID()}`;

afterEach(() => void vi.restoreAllMocks());

/** What becomes of messages that name these pipelines, the n-th of which is delivered for the (n+1)-th time. */
async function dispatched(pipelineIds: string[]) {
  const events: (string | { delaySeconds: number })[] = [];
  const messages = pipelineIds.map((pipelineId, n) => ({
    id: String(n),
    timestamp: new Date(),
    attempts: n + 1,
    body: { type: 'ingest-file', pipelineId, generation: 1, itemId: ITEM },
    ack: () => {
      events[n] = 'ack';
    },
    retry: (options: { delaySeconds: number }) => {
      events[n] = options;
    },
  }));
  await dispatch({ queue: 'sluice-ingestion', messages } as unknown as MessageBatch, env, execution);
  return events;
}

it('has a message whose consumer throws come again, later each time, and holds up no other', async () => {
  let failures = 2;
  vi.spyOn(PipelineSync.prototype, 'claim').mockImplementation(async (_generation, itemId) => {
    if (itemId === ITEM && failures-- > 0) throw new Error('the object is away');
    return { go: false, why: 'drop' };
  });
  const events = await dispatched(['first', 'second', 'third']);
  expect(events.filter((event) => event === 'ack')).toHaveLength(1);
  const failed = events.flatMap((event, n) => (typeof event === 'object' ? [{ n, ...event }] : []));
  expect(failed).toHaveLength(2);
  for (const { n, delaySeconds } of failed) {
    expect(delaySeconds).toBeGreaterThanOrEqual(2 ** (n + 1) / 2);
    expect(delaySeconds).toBeLessThanOrEqual(Math.ceil(2 ** (n + 1) * 1.5));
  }
});
