import type { ObjectAlarm } from '../object-alarm.ts';

/**
 * Shares the single alarm of a Durable Object between several tasks. The alarm is set to the earliest time
 * that any of them requested.
 */
export class AlarmClock {
  readonly #storage: DurableObjectStorage;
  readonly #alarm: ObjectAlarm;
  /**
   * Time of the alarm. The time is `null` if no alarm is set, and `undefined` if it has not been read from
   * storage yet.
   */
  #at: number | null | undefined;

  constructor(storage: DurableObjectStorage, alarm: ObjectAlarm) {
    this.#storage = storage;
    this.#alarm = alarm;
  }

  markFired(): void {
    this.#at = null;
  }

  /** Returns true if the alarm is set and will fire at or before the given time. */
  async isSetBy(at: number): Promise<boolean> {
    if (this.#at === undefined) this.#at = await this.#storage.getAlarm();
    return this.#at !== null && this.#at <= at;
  }

  async setNoLaterThan(at: number): Promise<void> {
    if (await this.isSetBy(at)) return;
    this.#at = at;
    await this.#alarm.setAt(at);
  }

  async clear(): Promise<void> {
    this.#at = null;
    await this.#storage.deleteAlarm();
  }
}
