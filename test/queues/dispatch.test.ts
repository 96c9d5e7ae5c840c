import { env } from 'cloudflare:workers';
import { afterEach, expect, it, vi } from 'vitest';
import { PipelineSync } from '#objects/pipeline-sync.ts';
import { dispatch } from '#queues/dispatch.ts';

const execution = { waitUntil() {}, passThroughOnException() {}, props: {} } as unknown as ExecutionContext;

/** Item id that distinguishes these messages from messages of other tests. */
const ITEM = `file:${crypto.randomUUID()}`;

afterEach(() => void vi.restoreAllMocks());

const ingestMessage = (pipelineId: string) => ({
  type: 'ingest-file',
  pipelineId,
  generation: 1,
  itemId: ITEM,
});

/** Dispatches messages and returns what happened to each. The n-th message has n + 1 delivery attempts. */
async function dispatched(bodies: unknown[]) {
  const events: (string | { delaySeconds: number })[] = [];
  const messages = bodies.map((body, n) => ({
    id: String(n),
    timestamp: new Date(),
    attempts: n + 1,
    body,
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

it('retries a message whose consumer throws, with growing delays, and acknowledges the others', async () => {
  let failures = 2;
  vi.spyOn(PipelineSync.prototype, 'claim').mockImplementation(async (_generation, itemId) => {
    if (itemId === ITEM && failures-- > 0) throw new Error('the object is away');
    return { go: false, why: 'drop' };
  });
  const events = await dispatched(['first', 'second', 'third'].map(ingestMessage));
  expect(events.filter((event) => event === 'ack')).toHaveLength(1);
  const failed = events.flatMap((event, n) => (typeof event === 'object' ? [{ n, ...event }] : []));
  expect(failed).toHaveLength(2);
  for (const { n, delaySeconds } of failed) {
    expect(delaySeconds).toBeGreaterThanOrEqual(2 ** (n + 1) / 2);
    expect(delaySeconds).toBeLessThanOrEqual(Math.ceil(2 ** (n + 1) * 1.5));
  }
});

it('retries a message of an unknown type, because a newer release may read it', async () => {
  const events = await dispatched([{ type: 'reindex-shard', shard: 1 }, { type: 'ingest-file' }, null]);
  expect(events).toEqual(Array.from({ length: 3 }, () => ({ delaySeconds: expect.any(Number) })));
});
