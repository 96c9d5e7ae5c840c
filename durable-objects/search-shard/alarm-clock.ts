import type { ObjectAlarm } from '../object-alarm.ts';

/** The object's single alarm, set to the earliest requested time. */
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

  /** Records that the alarm has fired. */
  markFired(): void {
    this.#at = null;
  }

  /** Returns whether the alarm fires at or before this time. */
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
