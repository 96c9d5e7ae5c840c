import { expect, it } from 'vitest';
import { Lanes, SLOW_MS } from '#server/queue-broker/lanes.ts';

function lanesWith(batchSize: number, ...keys: string[]) {
  const lanes = new Lanes<{ key: string; id: number }>(batchSize);
  for (const [id, key] of keys.entries()) lanes.add({ key, id });
  return lanes;
}

const takeAll = (lanes: Lanes<{ key: string; id: number }>, now = 0) => {
  const taken: string[] = [];
  for (let batch = lanes.take(now); batch; batch = lanes.take(now)) {
    taken.push(batch.messages.map(({ key, id }) => `${key}${id}`).join(' '));
  }
  return taken;
};

it('delivers messages of one key together, up to the size of a batch', () => {
  expect(takeAll(lanesWith(2, 'a', 'a', 'a', 'b'))).toEqual(['a0 a1', 'b3', 'a2']);
});

it('keeps a key that has two batches at work from taking more', () => {
  const lanes = lanesWith(1, 'a', 'a', 'a', 'a', 'b');
  expect(takeAll(lanes)).toEqual(['a0', 'b4', 'a1']);
  expect(lanes.backlog).toBe(2);
});

it('delivers more of a key once a batch is done', () => {
  const lanes = lanesWith(1, 'a', 'a', 'a');
  const first = lanes.take(0)!;
  lanes.take(0);
  expect(lanes.take(0)).toBeUndefined();
  first.done();
  expect(lanes.take(0)?.messages).toEqual([{ key: 'a', id: 2 }]);
});

it('holds back after eight quick batches, and goes on beside slow ones', () => {
  const keys = Array.from({ length: 20 }, (_, index) => `k${index}-`);
  const lanes = lanesWith(1, ...keys);
  expect(takeAll(lanes, 0)).toHaveLength(8);
  expect(takeAll(lanes, SLOW_MS - 1)).toHaveLength(0);
  expect(takeAll(lanes, SLOW_MS)).toHaveLength(8);
});

it('never has more than 64 batches at work', () => {
  const lanes = lanesWith(1, ...Array.from({ length: 100 }, (_, index) => `k${index}-`));
  let taken = 0;
  for (let round = 0; round < 20; round++) taken += takeAll(lanes, round * SLOW_MS).length;
  expect(taken).toBe(64);
});
