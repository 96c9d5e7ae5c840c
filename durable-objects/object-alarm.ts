const LOST_AFTER_MS = 30_000;
/** Minimum interval in milliseconds between two checks for a lost alarm. */
const CHECK_INTERVAL_MS = 10_000;

/**
 * Sets and reads the alarm of a Durable Object. Cloudflare drops an alarm if its handler sets the next one to
 * the same millisecond. This class therefore always chooses a later millisecond.
 */
export class ObjectAlarm {
  readonly #storage: Pick<DurableObjectStorage, 'getAlarm' | 'setAlarm'>;
  #checkedAt = 0;

  constructor(storage: Pick<DurableObjectStorage, 'getAlarm' | 'setAlarm'>) {
    this.#storage = storage;
  }

  /**
   * Sets the alarm to a time in milliseconds since 1970, rounded up. A time in the past is replaced by the
   * next millisecond.
   */
  async setAt(at: number): Promise<void> {
    await this.#storage.setAlarm(Math.max(Math.ceil(at), Date.now() + 1));
  }

  /** Sets the alarm again if it is overdue and therefore lost. Releases before 0.3.0 could lose alarms. */
  async recover(now = Date.now()): Promise<void> {
    if (now - this.#checkedAt < CHECK_INTERVAL_MS) return;
    this.#checkedAt = now;
    const current = await this.#storage.getAlarm();
    if (current !== null && current < now - LOST_AFTER_MS) await this.setAt(now);
  }
}
