/** An alarm that is overdue by this many milliseconds does not come any more. */
const LOST_MS = 30_000;
/** How often a call may look whether the alarm was lost, in milliseconds. */
const LOOK_EVERY_MS = 10_000;

/**
 * The alarm of an object. While an alarm is being handled, setting it to the very millisecond for which it was scheduled
 * changes nothing in the storage, and the runtime then drops it at the end of the handler: the object still has its
 * time, but nothing comes any more. Therefore the next alarm is always later than the present millisecond.
 */
export class ObjectAlarm {
  readonly #storage: Pick<DurableObjectStorage, 'getAlarm' | 'setAlarm'>;
  #lookedAt = 0;

  constructor(storage: Pick<DurableObjectStorage, 'getAlarm' | 'setAlarm'>) {
    this.#storage = storage;
  }

  /** Sets the alarm to a time in milliseconds, rounded up, or to the next millisecond if that time has come. */
  async setAt(at: number): Promise<void> {
    await this.#storage.setAlarm(Math.max(Math.ceil(at), Date.now() + 1));
  }

  /** Has an alarm that was lost start now. Releases before 0.3.0 could lose one. */
  async recover(now = Date.now()): Promise<void> {
    if (now - this.#lookedAt < LOOK_EVERY_MS) return;
    this.#lookedAt = now;
    const current = await this.#storage.getAlarm();
    if (current !== null && current < now - LOST_MS) await this.setAt(now);
  }
}
