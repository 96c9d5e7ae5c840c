export interface WatchdogSettings {
  /**
   * Sends a request to the watched thread and resolves when the thread answers. The watchdog calls this
   * function again even while earlier calls are unanswered.
   */
  ping: (signal: AbortSignal) => Promise<void>;
  /** Called when the thread has not responded for `limitMs`. Watching continues once the promise resolves. */
  onHang: (silentMs: number) => Promise<void>;
  limitMs: number;
  everyMs?: number;
}

const EVERY_MS = 1_000;
/**
 * If a wait takes more than this many times its planned duration, the machine or this process was suspended.
 */
const LATE_TIMES = 5;

/**
 * Watches a thread by sending it regular requests. Under load, the runtime may delay one request for a long
 * time while it answers others. The watchdog therefore does not wait for an answer before it asks again, and
 * finished work counts as a sign of life.
 */
export class Watchdog {
  readonly #settings: Required<WatchdogSettings>;
  readonly #stopped = new AbortController();
  #lastAnswer = Date.now();

  constructor(settings: WatchdogSettings) {
    this.#settings = { everyMs: EVERY_MS, ...settings };
  }

  start(): void {
    this.#lastAnswer = Date.now();
    void this.#pingRegularly();
    void this.#checkRegularly();
  }

  /** Records that the thread is alive, for example because it has finished some work. */
  reportLife(): void {
    this.#lastAnswer = Date.now();
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #pingRegularly(): Promise<void> {
    const { ping: ask, everyMs, limitMs } = this.#settings;
    while (!this.#stopped.signal.aborted) {
      const limit = AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(limitMs)]);
      ask(limit).then(
        () => this.reportLife(),
        () => {},
      );
      await this.#wait(everyMs);
    }
  }

  async #checkRegularly(): Promise<void> {
    const { everyMs, limitMs, onHang } = this.#settings;
    for (;;) {
      const before = Date.now();
      await this.#wait(everyMs);
      if (this.#stopped.signal.aborted) return;
      // If this process was suspended, so was the watched thread, which therefore could not answer.
      if (Date.now() - before > everyMs * LATE_TIMES) this.#lastAnswer = Date.now();
      const silent = Date.now() - this.#lastAnswer;
      if (silent < limitMs) continue;
      await onHang(silent);
      this.#lastAnswer = Date.now();
    }
  }

  #wait(milliseconds: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, milliseconds);
    const stop = () => {
      clearTimeout(timer);
      resolve();
    };
    this.#stopped.signal.addEventListener('abort', stop, { once: true });
    return promise.finally(() => this.#stopped.signal.removeEventListener('abort', stop));
  }
}
