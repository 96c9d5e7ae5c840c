import { OPERATION_MARK } from '#src/lib/schema/operation-marks.ts';

export interface Operation {
  /** Name of the operation, such as `POST /api/v1/retrievers/retrieve` or `message extract`. */
  what: string;
  /** Start time in milliseconds since 1970. */
  startedAt: number;
}

/**
 * Maximum number of tracked operations. The oldest is dropped beyond it, because an operation whose end was
 * never reported would stay forever.
 */
const MAX_TRACKED = 10_000;

/** Tracks the operations that the service has started and not finished, based on the lines that it prints. */
export class Operations {
  readonly #open = new Map<string, Operation>();
  readonly #onEnd: () => void;

  /** `onEnd` is called whenever an operation has ended. */
  constructor(onEnd: () => void = () => {}) {
    this.#onEnd = onEnd;
  }

  /**
   * Returns true if the line reports the start or end of an operation. The caller should not write such a
   * line to the log.
   */
  read(line: string): boolean {
    const [mark, event, id, ...what] = line.split(' ');
    if (mark !== OPERATION_MARK || !id) return false;
    if (event === 'end') {
      this.#open.delete(id);
      this.#onEnd();
    } else this.#open.set(id, { what: what.join(' '), startedAt: Date.now() });
    if (this.#open.size > MAX_TRACKED) this.#open.delete(this.#open.keys().next().value!);
    return true;
  }

  /**
   * Returns the unfinished operations, newest first. An operation that blocks the thread is the newest one.
   */
  inFlight(most = 20): { what: string; seconds: number }[] {
    const now = Date.now();
    return [...this.#open.values()]
      .reverse()
      .slice(0, most)
      .map(({ what, startedAt }) => ({ what, seconds: Math.round((now - startedAt) / 1000) }));
  }

  /** Removes all operations, because the process that ran them has ended. */
  clear(): void {
    this.#open.clear();
  }
}
