import { OPERATION_MARK } from '#src/lib/schema/operation-marks.ts';

export interface Operation {
  /** For example `POST /api/v1/retrievers/retrieve` or `message extract`. */
  what: string;
  /** When it began, in milliseconds since 1970. */
  begun: number;
}

/** Operations that were begun but never ended are forgotten when more than this many are known. */
const MOST_KNOWN = 10_000;

/** Keeps the operations that the service has begun and not ended, from the lines that it prints. */
export class Operations {
  readonly #open = new Map<string, Operation>();
  readonly #onEnd: () => void;

  /** `onEnd` is called whenever an operation has ended. */
  constructor(onEnd: () => void = () => {}) {
    this.#onEnd = onEnd;
  }

  /** Returns whether the line was a mark of an operation, and so nothing for the log. */
  read(line: string): boolean {
    const [mark, event, id, ...what] = line.split(' ');
    if (mark !== OPERATION_MARK || !id) return false;
    if (event === 'end') {
      this.#open.delete(id);
      this.#onEnd();
    } else this.#open.set(id, { what: what.join(' '), begun: Date.now() });
    if (this.#open.size > MOST_KNOWN) this.#open.delete(this.#open.keys().next().value!);
    return true;
  }

  /** The operations that have not ended, the newest first: one that hangs the thread is the last that began. */
  inFlight(most = 20): { what: string; seconds: number }[] {
    const now = Date.now();
    return [...this.#open.values()]
      .reverse()
      .slice(0, most)
      .map(({ what, begun }) => ({ what, seconds: Math.round((now - begun) / 1000) }));
  }

  /** Forgets everything, because the process that ran the operations is gone. */
  clear(): void {
    this.#open.clear();
  }
}
