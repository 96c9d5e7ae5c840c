import { expect, it } from 'vitest';
import { EXTRA_PROCESSES, TurnQueue } from '#server/parsers/queue.ts';

const background = (tenant: string) => ({ tenant, isUrgent: false });
const urgent = (tenant: string) => ({ tenant, isUrgent: true });

it('limits a project to its share of processes', () => {
  const queue = new TurnQueue(1);
  queue.add(background('a'));
  expect(queue.take([{ tenant: 'a' }])).toBeUndefined();
  expect(queue.take([])).toEqual(background('a'));
});

it('runs another project beside one that uses its share', () => {
  const queue = new TurnQueue(1);
  queue.add(background('a'));
  queue.add(background('b'));
  expect(queue.take([{ tenant: 'a' }])).toEqual(background('b'));
});

it('lets an urgent call exceed the share of its project by one', () => {
  const queue = new TurnQueue(1);
  queue.add(urgent('a'));
  expect(queue.take([{ tenant: 'a' }])).toEqual(urgent('a'));
  queue.add(urgent('a'));
  expect(queue.take([{ tenant: 'a' }, { tenant: 'a' }])).toBeUndefined();
});

it('prefers urgent calls to earlier background work', () => {
  const queue = new TurnQueue(2);
  queue.add(background('a'));
  queue.add(urgent('a'));
  expect(queue.take([])).toEqual(urgent('a'));
});

it('alternates between projects', () => {
  const queue = new TurnQueue(1);
  for (const tenant of ['a', 'a', 'b', 'a', 'b']) queue.add(background(tenant));
  const order: string[] = [];
  for (let call = queue.take([]); call; call = queue.take([])) order.push(call.tenant);
  expect(order).toEqual(['a', 'b', 'a', 'b', 'a']);
});

it('never runs more calls than processes', () => {
  const share = 2;
  const queue = new TurnQueue(share);
  queue.add(urgent('z'));
  const running = Array.from({ length: share + EXTRA_PROCESSES }, (_, index) => ({ tenant: String(index) }));
  expect(queue.take(running)).toBeUndefined();
  expect(queue.take(running.slice(1))).toEqual(urgent('z'));
});

it('skips a removed call', () => {
  const queue = new TurnQueue(1);
  const call = background('a');
  queue.add(call);
  queue.remove(call);
  expect(queue.take([])).toBeUndefined();
});
