import type { ObjectAlarm } from '../object-alarm.ts';

/** The object's single alarm, set to the earliest requested time. */
export class AlarmClock {
  readonly #storage: DurableObjectStorage;
  readonly #alarm: ObjectAlarm;
  /** Null: not set. Undefined: not read from storage yet. */
  #at: number | null | undefined;

  constructor(storage: DurableObjectStorage, alarm: ObjectAlarm) {
    this.#storage = storage;
    this.#alarm = alarm;
  }

  /** Records that the alarm has fired. */
  rang(): void {
    this.#at = null;
  }

  /** Returns whether the alarm fires by then. */
  async ringsBy(at: number): Promise<boolean> {
    if (this.#at === undefined) this.#at = await this.#storage.getAlarm();
    return this.#at !== null && this.#at <= at;
  }

  async setBy(at: number): Promise<void> {
    if (await this.ringsBy(at)) return;
    this.#at = at;
    await this.#alarm.setAt(at);
  }

  async clear(): Promise<void> {
    this.#at = null;
    await this.#storage.deleteAlarm();
  }
}
