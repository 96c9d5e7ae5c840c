import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { ObjectAlarm } from '#objects/object-alarm.ts';
import { RunLedger } from '#objects/sync/run-ledger.ts';
import { PATIENCE, SyncClock } from '#objects/sync/sync-clock.ts';
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
  /** How many messages went where since this was last asked. */
  sent: () => { first: number; rest: number };
}

/** A run at work in the storage of an object that nothing else uses, whose queues count what they are given. */
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

describe('what a run sends', () => {
  it('goes past large syncs when it is all of a few files', () =>
    atWork(async ({ ledger, run, generation, sent }) => {
      ledger.add(generation, some(20));
      run.planned();
      await run.refill();
      expect(sent()).toEqual({ first: 1, rest: 0 });
    }));

  it('takes its turn when it is many', () =>
    atWork(async ({ ledger, run, generation, sent }) => {
      ledger.add(generation, some(21));
      run.planned();
      await run.refill();
      expect(sent()).toEqual({ first: 0, rest: 1 });
    }));

  it('goes past its own run when it came while that was on, however much of it is under way', () =>
    atWork(async ({ ledger, run, generation, sent }) => {
      ledger.add(generation, some(1500));
      run.planned();
      await run.refill();
      expect(sent()).toEqual({ first: 0, rest: 2 });
      ledger.addFirst(generation, some(2, 5000));
      await run.refill();
      expect(sent()).toEqual({ first: 1, rest: 0 });
      ledger.addFirst(generation, some(200, 6000));
      await run.refill();
      expect(sent()).toEqual({ first: 1, rest: 0 });
      expect(ledger.inFlight()).toEqual({ messages: 4, items: 1100 });
    }));
});

describe('a run that waits for more of the same', () => {
  it('begins when nothing came for a moment, and after a second in any case', () =>
    atWork(async ({ ledger, run }) => {
      const request = { reason: 'change', patient: true } as const;
      ledger.setRun({ state: 'planning', planSentAt: -1 });
      await run.join(ledger.current()!, request);
      const waiting = ledger.current()!;
      const now = Date.now();
      expect(run.waitsForMore(waiting, now)).toBe(true);
      expect(run.waitsForMore(waiting, now + PATIENCE.pauseMs)).toBe(false);
      const old = { ...waiting, startedAt: now - PATIENCE.mostMs };
      expect(run.waitsForMore(old, now)).toBe(false);
      expect(run.waitsForMore({ ...waiting, planSentAt: now }, now)).toBe(false);
    }));
});
