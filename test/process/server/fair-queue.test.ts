import { expect, it } from 'vitest';
import { FairQueue, SLOW_MS } from '#server/queue-broker/fair-queue.ts';

function queueWith(batchSize: number, ...keys: string[]) {
  const queue = new FairQueue<{ key: string; id: number }>(batchSize);
  for (const [id, key] of keys.entries()) queue.add({ key, id });
  return queue;
}

const takeAll = (queue: FairQueue<{ key: string; id: number }>, now = 0) => {
  const taken: string[] = [];
  for (let batch = queue.take(now); batch; batch = queue.take(now)) {
    taken.push(batch.messages.map(({ key, id }) => `${key}${id}`).join(' '));
  }
  return taken;
};

it('delivers messages of one key together up to the batch size', () => {
  expect(takeAll(queueWith(2, 'a', 'a', 'a', 'b'))).toEqual(['a0 a1', 'b3', 'a2']);
});

it('limits a key to two active batches', () => {
  const queue = queueWith(1, 'a', 'a', 'a', 'a', 'b');
  expect(takeAll(queue)).toEqual(['a0', 'b4', 'a1']);
  expect(queue.backlog).toBe(2);
});

it('delivers more messages of a key after a batch is done', () => {
  const queue = queueWith(1, 'a', 'a', 'a');
  const first = queue.take(0)!;
  queue.take(0);
  expect(queue.take(0)).toBeUndefined();
  first.done();
  expect(queue.take(0)?.messages).toEqual([{ key: 'a', id: 2 }]);
});

it('stops after eight quick batches and continues beside slow ones', () => {
  const keys = Array.from({ length: 20 }, (_, index) => `k${index}-`);
  const queue = queueWith(1, ...keys);
  expect(takeAll(queue, 0)).toHaveLength(8);
  expect(takeAll(queue, SLOW_MS - 1)).toHaveLength(0);
  expect(takeAll(queue, SLOW_MS)).toHaveLength(8);
});

it('never has more than 64 active batches', () => {
  const queue = queueWith(1, ...Array.from({ length: 100 }, (_, index) => `k${index}-`));
  let taken = 0;
  for (let round = 0; round < 20; round++) taken += takeAll(queue, round * SLOW_MS).length;
  expect(taken).toBe(64);
});
