import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { ObjectAlarm } from '#objects/object-alarm.ts';
import { RunLedger } from '#objects/sync/run-ledger.ts';
import { SyncClock, WAIT_FOR_MORE } from '#objects/sync/sync-clock.ts';
import { SyncRun } from '#objects/sync/sync-run.ts';
import { SyncSchedule } from '#objects/sync/sync-schedule.ts';
import { type Context, createContext } from '#src/context/context.ts';
import type { Message, Sender } from '#src/work/messages.ts';
import type { WorkItem } from '#src/work/sync-owner.ts';

const execution = { waitUntil() {}, passThroughOnException() {}, props: {} } as unknown as ExecutionContext;
const small = (n: number): WorkItem => ({ id: `file:${n}`, kind: 'file', fileId: String(n), bytes: 100 });
const some = (count: number, from = 0) => Array.from({ length: count }, (_, n) => small(from + n));

interface Begun {
  ledger: RunLedger;
  run: SyncRun;
  generation: number;
  /** Returns the number of messages sent to each queue since the last call. */
  sent: () => { first: number; rest: number };
}

/** Runs a function with a working run in separate storage, and counts the messages sent to each queue. */
function atWork<T>(use: (begun: Begun) => Promise<T>): Promise<T> {
  const stub = env.JOB_STATE.get(env.JOB_STATE.newUniqueId());
  return runInDurableObject(stub, async (_object, { storage }) => {
    const counted = { first: 0, rest: 0 };
    const queues: Sender = {
      send: async () => {},
      sendAll: async (messages: Message[]) => {
        counted.rest += messages.length;
      },
      sendFirst: async (messages) => {
        counted.first += messages.length;
      },
    };
    const context: Context = { ...createContext(env, execution), queues };
    const ledger = new RunLedger(storage);
    const run = new SyncRun(
      ledger,
      new SyncClock(storage, new ObjectAlarm(storage), ledger, new SyncSchedule(storage)),
      context,
    );
    const scope = { sources: [], fileIds: null };
    const { generation } = ledger.open({ pipelineId: 'p', jobId: 'j', reason: 'request', scope }, Date.now());
    ledger.setRun({ state: 'working' });
    const sent = () => {
      const since = { ...counted };
      Object.assign(counted, { first: 0, rest: 0 });
      return since;
    };
    return use({ ledger, run, generation, sent });
  });
}

describe('the messages of a run', () => {
  it('go to the interactive queue if the run has only a few files', () =>
    atWork(async ({ ledger, run, generation, sent }) => {
      ledger.add(generation, some(20));
      run.onPlanned();
      await run.refill();
      expect(sent()).toEqual({ first: 1, rest: 0 });
    }));

  it('go to the normal queue if the run has many files', () =>
    atWork(async ({ ledger, run, generation, sent }) => {
      ledger.add(generation, some(21));
      run.onPlanned();
      await run.refill();
      expect(sent()).toEqual({ first: 0, rest: 1 });
    }));

  it('go to the interactive queue for files added during the run, even if many items are in flight', () =>
    atWork(async ({ ledger, run, generation, sent }) => {
      ledger.add(generation, some(1500));
      run.onPlanned();
      await run.refill();
      expect(sent()).toEqual({ first: 0, rest: 2 });
      ledger.addFirst(generation, some(2, 5000));
      await run.refill();
      expect(sent()).toEqual({ first: 1, rest: 0 });
      ledger.addFirst(generation, some(200, 6000));
      await run.refill();
      expect(sent()).toEqual({ first: 1, rest: 0 });
      expect(ledger.countInFlight()).toEqual({ messages: 4, items: 1100 });
    }));
});

describe('a run that waits for more changes', () => {
  it('starts after a short pause without changes, and at most a second after the first change', () =>
    atWork(async ({ ledger, run }) => {
      const request = { reason: 'change', patient: true } as const;
      ledger.setRun({ state: 'planning', planSentAt: -1 });
      await run.join(ledger.current()!, request);
      const waiting = ledger.current()!;
      const now = Date.now();
      expect(run.isWaitingForMore(waiting, now)).toBe(true);
      expect(run.isWaitingForMore(waiting, now + WAIT_FOR_MORE.pauseMs)).toBe(false);
      const old = { ...waiting, startedAt: now - WAIT_FOR_MORE.mostMs };
      expect(run.isWaitingForMore(old, now)).toBe(false);
      expect(run.isWaitingForMore({ ...waiting, planSentAt: now }, now)).toBe(false);
    }));
});
