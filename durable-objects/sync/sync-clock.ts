import type { ObjectAlarm } from '../object-alarm.ts';
import type { RunLedger } from './run-ledger.ts';
import type { SyncSchedule } from './sync-schedule.ts';

/** Interval in milliseconds between checks of an active sync run. */
const TICK_MS = 5_000;
export const FIRST_TICK_MS = 1_000;
/**
 * Delays in milliseconds before a sync run starts, so that further requests can join the run. The run starts
 * after `pauseMs` without another request, and after `mostMs` at the latest.
 */
export const WAIT_FOR_MORE = { pauseMs: 150, mostMs: 1_000 };
/** Delay in milliseconds before an index is deleted after a new one has replaced it. */
const CLEANUP_DELAY_MS = 65_000;
/** Storage key of the time at which replaced indexes are deleted. */
const CLEANUP_KEY = 'cleanup';

/**
 * Schedules the object's alarm for whatever is due next: the active run, a scheduled read of a data source,
 * or a cleanup.
 */
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

  /**
   * Sets the alarm to the next check of the sync run, the next scheduled read or the next cleanup, whichever
   * is earliest.
   */
  async arm(tick = TICK_MS): Promise<void> {
    const now = Date.now();
    const run = this.#ledger.current();
    const isOn = run !== null && (run.state !== 'done' || run.again !== null);
    const isWaiting = run?.state === 'planning' && run.planSentAt < 0;
    const next = isWaiting ? Math.min(tick, WAIT_FOR_MORE.pauseMs) : tick;
    const sending = isOn ? this.#ledger.getNextSendTime(now) : null;
    const times = [
      ...(isOn ? [now + next, Math.max(sending ?? Number.POSITIVE_INFINITY, run.pausedUntil)] : []),
      (await this.#schedule.nextAt()) ?? Number.POSITIVE_INFINITY,
      (await this.#cleanupAt()) ?? Number.POSITIVE_INFINITY,
    ];
    const first = Math.min(...times);
    if (Number.isFinite(first)) await this.#alarm.setAt(Math.max(first, now));
  }

  #cleanupAt(): Promise<number | undefined> {
    return this.#storage.get<number>(CLEANUP_KEY);
  }

  async isCleanupDue(): Promise<boolean> {
    const at = await this.#cleanupAt();
    return at !== undefined && at <= Date.now();
  }

  async scheduleCleanup(): Promise<void> {
    await this.#storage.put(CLEANUP_KEY, Date.now() + CLEANUP_DELAY_MS);
  }

  async clearCleanup(): Promise<void> {
    await this.#storage.delete(CLEANUP_KEY);
  }
}
