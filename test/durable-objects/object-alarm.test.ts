import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { ObjectAlarm } from '#objects/object-alarm.ts';
import { RunLedger } from '#objects/sync/run-ledger.ts';
import { SyncClock } from '#objects/sync/sync-clock.ts';
import { SyncSchedule } from '#objects/sync/sync-schedule.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Stubs storage with a lost alarm, which the platform API cannot produce. */
function storageWithAlarmAt(at: number | null) {
  const set: number[] = [];
  const storage = {
    getAlarm: async () => set.at(-1) ?? at,
    setAlarm: async (to: number | Date) => void set.push(Number(to)),
  };
  return { set, alarm: new ObjectAlarm(storage) };
}

describe('the alarm of a Durable Object', () => {
  it('is rounded up to a whole millisecond, so that due work is ready when it fires', async () => {
    const { set, alarm } = storageWithAlarmAt(null);
    const at = Date.now() + MINUTE;
    await alarm.setAt(at + 0.2);
    expect(set).toEqual([at + 1]);
  });

  it('is never set to the current millisecond or earlier', async () => {
    const { set, alarm } = storageWithAlarmAt(null);
    const before = Date.now();
    await alarm.setAt(before);
    await alarm.setAt(before - MINUTE);
    for (const at of set) expect(at).toBeGreaterThan(before);
  });

  it('is restored by a later call if it was lost', async () => {
    const now = Date.now();
    const { set, alarm } = storageWithAlarmAt(now - MINUTE);
    await alarm.recover(now);
    await alarm.recover(now + SECOND);
    expect(set).toHaveLength(1);
    expect(set[0]).toBeGreaterThanOrEqual(now);
  });

  it.each([
    ['is not there', null],
    ['is still to come', MINUTE],
    ['is only a little late', -SECOND],
  ])('is not restored if it %s', async (_, fromNow) => {
    const now = Date.now();
    const { set, alarm } = storageWithAlarmAt(fromNow === null ? null : now + fromNow);
    await alarm.recover(now);
    expect(set).toEqual([]);
  });
});

describe('the alarm of a sync', () => {
  it('fires when an item is due, even if the due time has fractions of a millisecond', async () => {
    const stub = env.PIPELINE_SYNC.get(env.PIPELINE_SYNC.idFromName(crypto.randomUUID()));
    await runInDurableObject(stub, async (_object, { storage }) => {
      const ledger = new RunLedger(storage);
      const clock = new SyncClock(storage, new ObjectAlarm(storage), ledger, new SyncSchedule(storage));
      const scope = { sources: [], fileIds: null };
      const { generation } = ledger.open(
        { pipelineId: 'p', jobId: 'j', reason: 'request', scope },
        Date.now(),
      );
      ledger.setRun({ state: 'working' });
      ledger.add(generation, [{ id: 'file:1', kind: 'file', fileId: '1', bytes: 100 }]);
      const due = Date.now() + SECOND + 0.25;
      ledger.requeue('file:1', due);
      await clock.arm();
      expect(await storage.getAlarm()).toBeGreaterThanOrEqual(due);
      await storage.deleteAlarm();
      await storage.deleteAll();
    });
  });
});
