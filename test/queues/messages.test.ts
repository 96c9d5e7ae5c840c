import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import type { Bindings } from '#src/settings/env.ts';
import { createSender, type Message } from '#src/work/messages.ts';

/** Creates a sender whose queues record the number of messages. */
function recording() {
  const sent: [string, number][] = [];
  const queue = (name: string) =>
    ({
      send: async () => void sent.push([name, 1]),
      sendBatch: async (messages: unknown[]) => void sent.push([name, messages.length]),
    }) as unknown as Queue;
  const queues = { INGESTION_QUEUE: queue('ingestion'), INTERACTIVE_QUEUE: queue('interactive') };
  return { sent, sender: createSender({ ...(env as Bindings), ...queues }) };
}

const items = (count: number): Message<'ingest-file'>[] =>
  Array.from({ length: count }, (_, n) => ({
    type: 'ingest-file',
    pipelineId: 'p',
    generation: 1,
    itemId: `file:${n}`,
  }));

it('sends interactive work to the queue that large syncs do not use', async () => {
  const { sent, sender } = recording();
  await sender.send({ type: 'sync-pipeline', pipelineId: 'p', generation: 1 });
  await sender.sendAll(items(2));
  await sender.sendFirst(items(3));
  expect(sent).toEqual([
    ['interactive', 1],
    ['ingestion', 2],
    ['interactive', 3],
  ]);
});

it('splits messages into batches of at most 100, and sends nothing for an empty list', async () => {
  const { sent, sender } = recording();
  await sender.sendAll(items(0));
  await sender.sendAll(items(201));
  expect(sent.map(([, count]) => count)).toEqual([100, 100, 1]);
});
