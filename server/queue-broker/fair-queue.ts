export interface KeyedMessage {
  /** Id of the pipeline, project or job that the message belongs to. Messages take turns by this key. */
  key: string;
}

/** Maximum number of batches that are delivered at the same time for one key. */
const BATCHES_PER_KEY = 2;
/** Maximum number of batches in progress that started less than `SLOW_MS` ago, per queue. */
const MAX_QUICK_BATCHES = 8;
/** Maximum number of batches in progress, per queue. */
const MAX_BATCHES = 64;
/**
 * Time in milliseconds after which a batch counts as slow. A slow batch is assumed to wait for another system
 * without using this thread.
 */
export const SLOW_MS = 3_000;

interface Batch {
  key: string;
  startedAt: number;
}

/**
 * Chooses which messages are delivered next. Keys take turns and each has a limited number of batches, so a
 * pipeline that hangs does not block the others.
 */
export class FairQueue<Message extends KeyedMessage> {
  readonly #batchSize: number;
  /** Waiting messages by key. A key that was served moves to the end. */
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

  get backlog(): number {
    let count = 0;
    for (const messages of this.#waiting.values()) count += messages.length;
    return count;
  }

  /**
   * Time in milliseconds until the newest running batch counts as slow, so that `take` may return another
   * batch. `undefined` if no message waits or no batch runs.
   */
  get retryInMs(): number | undefined {
    if (this.#waiting.size === 0 || this.#running.size === 0) return undefined;
    const newest = Math.max(...[...this.#running].map(({ startedAt }) => startedAt));
    return Math.max(1, newest + SLOW_MS - Date.now());
  }

  /**
   * Returns the next batch, whose messages share one key. The caller must call `done` after the batch was
   * delivered. Returns `undefined` if no batch may be delivered now.
   */
  take(now = Date.now()): { messages: Message[]; done: () => void } | undefined {
    if (this.#running.size >= MAX_BATCHES) return undefined;
    const counts = new Map<string, number>();
    let quick = 0;
    for (const { key, startedAt } of this.#running) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
      if (now - startedAt < SLOW_MS) quick += 1;
    }
    if (quick >= MAX_QUICK_BATCHES) return undefined;
    for (const [key, waiting] of this.#waiting) {
      if ((counts.get(key) ?? 0) >= BATCHES_PER_KEY) continue;
      const messages = waiting.splice(0, this.#batchSize);
      this.#waiting.delete(key);
      if (waiting.length > 0) this.#waiting.set(key, waiting);
      const batch = { key, startedAt: now };
      this.#running.add(batch);
      return { messages, done: () => void this.#running.delete(batch) };
    }
    return undefined;
  }
}
