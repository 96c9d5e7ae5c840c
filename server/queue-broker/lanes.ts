/** A message that waits for its delivery. */
export interface Keyed {
  /** Whose work it is; see `keyOf`. */
  key: string;
}

/** Batches of one key that may be delivered at the same time. */
const BATCHES_PER_KEY = 2;
/** Batches of a queue at the same time that are less old than `SLOW_MS`. */
const QUICK_BATCHES = 8;
/** Batches of a queue at the same time. */
const MOST_BATCHES = 64;
/** A batch that takes longer waits for somebody else rather than for this thread, in milliseconds. */
export const SLOW_MS = 3_000;

interface Batch {
  key: string;
  begun: number;
}

/**
 * Chooses which messages are delivered next. Keys take turns and each has few batches at a time, so the work of one
 * pipeline that hangs leaves room for that of the others.
 */
export class Lanes<Message extends Keyed> {
  readonly #batchSize: number;
  /** Waiting messages by key. A key that was served goes to the end. */
  readonly #waiting = new Map<string, Message[]>();
  readonly #running = new Set<Batch>();

  constructor(batchSize: number) {
    this.#batchSize = batchSize;
  }

  add(message: Message): void {
    const messages = this.#waiting.get(message.key);
    if (messages) messages.push(message);
    else this.#waiting.set(message.key, [message]);
  }

  /** Number of messages that wait. */
  get backlog(): number {
    let count = 0;
    for (const messages of this.#waiting.values()) count += messages.length;
    return count;
  }

  /** Milliseconds until `take` may give something because a batch has become slow; `undefined` if nothing waits. */
  get retryInMs(): number | undefined {
    if (this.#waiting.size === 0 || this.#running.size === 0) return undefined;
    const newest = Math.max(...[...this.#running].map(({ begun }) => begun));
    return Math.max(1, newest + SLOW_MS - Date.now());
  }

  /** Takes the next batch, all of one key; `done` frees its place. Returns `undefined` if nothing may be delivered. */
  take(now = Date.now()): { messages: Message[]; done: () => void } | undefined {
    if (this.#running.size >= MOST_BATCHES) return undefined;
    const counts = new Map<string, number>();
    let quick = 0;
    for (const { key, begun } of this.#running) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      if (now - begun < SLOW_MS) quick += 1;
    }
    if (quick >= QUICK_BATCHES) return undefined;
    for (const [key, waiting] of this.#waiting) {
      if ((counts.get(key) ?? 0) >= BATCHES_PER_KEY) continue;
      const messages = waiting.splice(0, this.#batchSize);
      this.#waiting.delete(key);
      if (waiting.length > 0) this.#waiting.set(key, waiting);
      const batch = { key, begun: now };
      this.#running.add(batch);
      return { messages, done: () => void this.#running.delete(batch) };
    }
    return undefined;
  }
}
