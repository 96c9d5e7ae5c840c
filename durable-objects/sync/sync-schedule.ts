import type { ScheduledSource } from '#src/services/sync/schedules.ts';

export interface Appointment extends ScheduledSource {
  /** Milliseconds. */
  nextAt: number;
}

const KEY = 'schedule';

/** Up to a tenth of the interval, so that pipelines of one interval do not all come at once. */
const JITTER = 0.1;
const LONGEST_JITTER_MS = 10 * 60_000;

/** When which data source is to be read next, kept in the object: it outlives every restart. */
export class SyncSchedule {
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  async read(): Promise<Appointment[]> {
    return (await this.#storage.get<Appointment[]>(KEY)) ?? [];
  }

  /** Takes over what was agreed; an unchanged interval keeps its appointment. */
  async replace(sources: ScheduledSource[], now: number): Promise<void> {
    const known = new Map((await this.read()).map((each) => [each.dataSourceId, each]));
    const appointments = sources.map((source) => {
      const before = known.get(source.dataSourceId);
      const isSame = before?.intervalMs === source.intervalMs;
      return isSame ? before : { ...source, nextAt: nextAfter(now, source.intervalMs) };
    });
    await this.#storage.put(KEY, appointments);
  }

  async nextAt(): Promise<number | undefined> {
    const all = await this.read();
    return all.length === 0 ? undefined : Math.min(...all.map((each) => each.nextAt));
  }

  /** The sources whose time has come, each with its next appointment made. */
  async takeDue(now: number): Promise<string[]> {
    const all = await this.read();
    const due = all.filter((each) => each.nextAt <= now);
    if (due.length === 0) return [];
    await this.#storage.put(
      KEY,
      all.map((each) => (each.nextAt <= now ? { ...each, nextAt: nextAfter(now, each.intervalMs) } : each)),
    );
    return due.map((each) => each.dataSourceId);
  }
}

/** Never before the interval is over. */
function nextAfter(now: number, intervalMs: number): number {
  return Math.ceil(now + intervalMs + Math.random() * Math.min(JITTER * intervalMs, LONGEST_JITTER_MS));
}
