import type { ObjectAlarm } from '../object-alarm.ts';

/** The object's one alarm, set to whatever comes first. */
export class AlarmClock {
  readonly #storage: DurableObjectStorage;
  readonly #alarm: ObjectAlarm;
  /** Null: not set. Undefined: this instance has not looked yet. */
  #at: number | null | undefined;

  constructor(storage: DurableObjectStorage, alarm: ObjectAlarm) {
    this.#storage = storage;
    this.#alarm = alarm;
  }

  /** What was set has rung. */
  rang(): void {
    this.#at = null;
  }

  /** Whether it rings by then. */
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
