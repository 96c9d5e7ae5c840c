import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type AdmissionLimits,
  AdmissionQueue,
  LEASE_MS,
  type Permit,
} from '#src/lib/admission/admission-queue.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const createQueue = (limits: Partial<AdmissionLimits> = {}) =>
  new AdmissionQueue({ running: 1, waiting: 100, waitMs: 10_000, ...limits });

/** Enters the queue and records in `log` when the entry is admitted or why it is not. */
function enter(queue: AdmissionQueue, name: string, log: string[], signal?: AbortSignal): void {
  const [tenant = '', caller = ''] = name.split('/');
  queue.enter({ tenant, caller }, signal).then(
    (permit) => {
      log.push(name);
      held.push(permit);
    },
    (error: { reason: string }) => void log.push(`${name}: ${error.reason}`),
  );
}

let held: Permit[] = [];
beforeEach(() => {
  held = [];
});

/** Releases one permit after the other until nobody waits. */
async function drain(queue: AdmissionQueue): Promise<void> {
  await settle();
  for (let permit = held.shift(); permit; permit = held.shift()) {
    permit.release();
    await settle();
  }
  expect(queue.waiting).toBe(0);
}

const settle = () => vi.advanceTimersByTimeAsync(0);

describe('an admission queue', () => {
  it('admits up to its limit at once, and then one for each permit that is released', async () => {
    const queue = createQueue({ running: 2 });
    const log: string[] = [];
    for (const name of ['a/1', 'a/2', 'a/3', 'a/4']) enter(queue, name, log);
    await settle();
    expect(log).toEqual(['a/1', 'a/2']);
    expect(queue.tryEnter()).toBeUndefined();
    held.shift()!.release();
    await settle();
    expect(log).toEqual(['a/1', 'a/2', 'a/3']);
    expect(queue.waiting).toBe(1);
  });

  it('lets tenants take turns, and the callers of a tenant', async () => {
    const queue = createQueue();
    const log: string[] = [];
    for (const name of ['a/1', 'a/1', 'a/1', 'a/1', 'a/2', 'b/1', 'b/1']) enter(queue, name, log);
    await drain(queue);
    expect(log).toEqual(['a/1', 'a/1', 'b/1', 'a/2', 'b/1', 'a/1', 'a/1']);
  });

  it('does not let a newcomer pass those that wait', async () => {
    const queue = createQueue();
    const log: string[] = [];
    for (const name of ['a/1', 'a/2']) enter(queue, name, log);
    await settle();
    held.shift()!.release();
    expect(queue.tryEnter()).toBeUndefined();
  });

  it('refuses a caller when it is full, but displaces the newest entry of a tenant that has more', async () => {
    const queue = createQueue({ waiting: 4 });
    const log: string[] = [];
    for (const name of ['a/1', 'a/1', 'a/1', 'a/1', 'a/2', 'a/1', 'b/1', 'b/1', 'b/1'])
      enter(queue, name, log);
    await settle();
    // Of the entries of tenant a, those of caller 1 are displaced first, because it has more of them.
    expect(log.toSorted()).toEqual(['a/1', 'a/1: displaced', 'a/1: displaced', 'a/1: full', 'b/1: full']);
    log.length = 0;
    await drain(queue);
    expect(log).toEqual(['a/1', 'b/1', 'a/2', 'b/1']);
  });

  it('refuses an entry that waits too long', async () => {
    const queue = createQueue({ waitMs: LEASE_MS / 2 });
    const log: string[] = [];
    for (const name of ['a/1', 'a/2']) enter(queue, name, log);
    await vi.advanceTimersByTimeAsync(LEASE_MS / 4);
    expect(log).toEqual(['a/1']);
    await vi.advanceTimersByTimeAsync(LEASE_MS / 4);
    expect(log).toEqual(['a/1', 'a/2: late']);
    expect(queue.waiting).toBe(0);
  });

  it('removes an entry whose client has left', async () => {
    const queue = createQueue();
    const log: string[] = [];
    const client = new AbortController();
    enter(queue, 'a/1', log);
    enter(queue, 'a/2', log, client.signal);
    enter(queue, 'a/3', log);
    await settle();
    client.abort();
    await drain(queue);
    expect(log).toEqual(['a/1', 'a/2: left', 'a/3']);
  });

  it('stops counting a permit that is not released in time', async () => {
    const queue = createQueue();
    const log: string[] = [];
    for (const name of ['a/1', 'a/2']) enter(queue, name, log);
    await vi.advanceTimersByTimeAsync(LEASE_MS);
    expect(log).toEqual(['a/1']);
    await vi.advanceTimersByTimeAsync(LEASE_MS);
    expect(log).toEqual(['a/1', 'a/2']);
  });
});

describe('a paused permit', () => {
  it('lets others run, and counts again afterwards without waiting', async () => {
    const queue = createQueue();
    const log: string[] = [];
    for (const name of ['a/1', 'a/2', 'a/3']) enter(queue, name, log);
    await settle();
    const upstream = Promise.withResolvers<string>();
    const paused = held[0]!.pause(() => upstream.promise);
    await settle();
    expect(log).toEqual(['a/1', 'a/2']);
    upstream.resolve('answer');
    expect(await paused).toBe('answer');
    held[1]!.release();
    await settle();
    // The first request holds its permit again, so the third one still waits.
    expect(log).toEqual(['a/1', 'a/2']);
    held[0]!.release();
    await settle();
    expect(log).toEqual(['a/1', 'a/2', 'a/3']);
  });

  it('stays released if it was released meanwhile', async () => {
    const queue = createQueue();
    const log: string[] = [];
    enter(queue, 'a/1', log);
    await settle();
    await held[0]!.pause(async () => held[0]!.release());
    expect(queue.tryEnter()).toBeDefined();
  });
});
