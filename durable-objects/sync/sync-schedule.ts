import type { ScheduledSource } from '#src/services/sync/schedules.ts';

export interface ScheduledRead extends ScheduledSource {
  /** Time at which the data source is read next, in milliseconds since 1970. */
  nextAt: number;
}

const SCHEDULE_KEY = 'schedule';

/**
 * Maximum random delay of a scheduled read, as a share of its interval. The delay keeps pipelines with the
 * same interval from syncing all at once.
 */
const JITTER_SHARE = 0.1;
const MAX_JITTER_MS = 10 * 60_000;

/**
 * Stores when each data source of a pipeline is read next. The times are in the Durable Object's storage and
 * survive restarts.
 */
export class SyncSchedule {
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  async read(): Promise<ScheduledRead[]> {
    return (await this.#storage.get<ScheduledRead[]>(SCHEDULE_KEY)) ?? [];
  }

  /** Replaces the scheduled data sources. A data source with an unchanged interval keeps its next read. */
  async replace(sources: ScheduledSource[], now: number): Promise<void> {
    const known = new Map((await this.read()).map((each) => [each.dataSourceId, each]));
    const scheduled = sources.map((source) => {
      const before = known.get(source.dataSourceId);
      const isSame = before?.intervalMs === source.intervalMs;
      return isSame ? before : { ...source, nextAt: computeNextRead(now, source.intervalMs) };
    });
    await this.#storage.put(SCHEDULE_KEY, scheduled);
  }

  async nextAt(): Promise<number | undefined> {
    const all = await this.read();
    return all.length === 0 ? undefined : Math.min(...all.map((each) => each.nextAt));
  }

  /** Returns the data sources that are due, and schedules their next reads. */
  async takeDue(now: number): Promise<string[]> {
    const all = await this.read();
    const due = all.filter((each) => each.nextAt <= now);
    if (due.length === 0) return [];
    await this.#storage.put(
      SCHEDULE_KEY,
      all.map((each) =>
        each.nextAt <= now ? { ...each, nextAt: computeNextRead(now, each.intervalMs) } : each,
      ),
    );
    return due.map((each) => each.dataSourceId);
  }
}

/** Returns a time at least one interval after `now`, with random jitter. */
function computeNextRead(now: number, intervalMs: number): number {
  return Math.ceil(now + intervalMs + Math.random() * Math.min(JITTER_SHARE * intervalMs, MAX_JITTER_MS));
}
