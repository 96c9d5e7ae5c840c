/** Milliseconds after which an overdue alarm counts as lost. */
const LOST_MS = 30_000;
/** Minimum time in milliseconds between two checks for a lost alarm. */
const LOOK_EVERY_MS = 10_000;

/**
 * Wraps the alarm of a Durable Object. The runtime drops an alarm that its handler sets to the exact
 * millisecond of the current alarm. This class therefore always sets the next alarm to a later millisecond.
 */
export class ObjectAlarm {
  readonly #storage: Pick<DurableObjectStorage, 'getAlarm' | 'setAlarm'>;
  #lookedAt = 0;

  constructor(storage: Pick<DurableObjectStorage, 'getAlarm' | 'setAlarm'>) {
    this.#storage = storage;
  }

  /**
   * Sets the alarm to a time in milliseconds since 1970, rounded up. A time in the past becomes the next
   * millisecond.
   */
  async setAt(at: number): Promise<void> {
    await this.#storage.setAlarm(Math.max(Math.ceil(at), Date.now() + 1));
  }

  /** Restarts a lost alarm. Releases before 0.3.0 could lose one. */
  async recover(now = Date.now()): Promise<void> {
    if (now - this.#lookedAt < LOOK_EVERY_MS) return;
    this.#lookedAt = now;
    const current = await this.#storage.getAlarm();
    if (current !== null && current < now - LOST_MS) await this.setAt(now);
  }
}
