import type { ObjectAlarm } from '../object-alarm.ts';
import type { RunLedger } from './run-ledger.ts';
import type { SyncSchedule } from './sync-schedule.ts';

/** How often a run that is on is looked at. */
const TICK_MS = 5_000;
export const FIRST_TICK_MS = 1_000;
/** A run that waits for more of the same begins when so long nothing came, and after a second in any case. */
export const PATIENCE = { pauseMs: 150, mostMs: 1_000 };
/** When a replaced index is to be dropped. */
const CLEANUP_MS = 65_000;
/** Under this name the object remembers its tidying. */
const CLEANUP = 'cleanup';

/** When the owner of a sync looks next: its one alarm, set to whatever comes first. */
export class SyncClock {
  readonly #storage: DurableObjectStorage;
  readonly #alarm: ObjectAlarm;
  readonly #ledger: RunLedger;
  readonly #schedule: SyncSchedule;

  constructor(storage: DurableObjectStorage, alarm: ObjectAlarm, ledger: RunLedger, schedule: SyncSchedule) {
    this.#storage = storage;
    this.#alarm = alarm;
    this.#ledger = ledger;
    this.#schedule = schedule;
  }

  /** The run's next look, an appointment, tidying. */
  async arm(tick = TICK_MS): Promise<void> {
    const now = Date.now();
    const run = this.#ledger.current();
    const isOn = run !== null && (run.state !== 'done' || run.again !== null);
    const isWaiting = run?.state === 'planning' && run.planSentAt < 0;
    const next = isWaiting ? Math.min(tick, PATIENCE.pauseMs) : tick;
    const sending = isOn ? this.#ledger.nextSending(now) : null;
    const times = [
      ...(isOn ? [now + next, Math.max(sending ?? Number.POSITIVE_INFINITY, run.pausedUntil)] : []),
      (await this.#schedule.nextAt()) ?? Number.POSITIVE_INFINITY,
      (await this.#cleanupAt()) ?? Number.POSITIVE_INFINITY,
    ];
    const first = Math.min(...times);
    if (Number.isFinite(first)) await this.#alarm.setAt(Math.max(first, now));
  }

  #cleanupAt(): Promise<number | undefined> {
    return this.#storage.get<number>(CLEANUP);
  }

  async isCleanupDue(): Promise<boolean> {
    const at = await this.#cleanupAt();
    return at !== undefined && at <= Date.now();
  }

  async cleanUpLater(): Promise<void> {
    await this.#storage.put(CLEANUP, Date.now() + CLEANUP_MS);
  }

  async cleanedUp(): Promise<void> {
    await this.#storage.delete(CLEANUP);
  }
}
