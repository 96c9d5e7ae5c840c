export interface WatchdogSettings {
  /** Asks the watched thread for a sign of life. Resolves when there is one. Called again while earlier calls wait. */
  ask: (signal: AbortSignal) => Promise<void>;
  /** Called when no sign of life came for `limitMs`. Watching goes on once it resolves. */
  onHang: (silentMs: number) => Promise<void>;
  limitMs: number;
  everyMs?: number;
}

const EVERY_MS = 1_000;
/** A timer that is this many times later than asked for means that the machine slept, or that this process did. */
const LATE_TIMES = 5;

/**
 * Watches a thread by asking it regularly for a sign of life. Under load the runtime may let one request wait for a long
 * time while it answers others, so the watchdog asks again without waiting, and work that ends is a sign of life too.
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
    void this.#askRegularly();
    void this.#look();
  }

  /** Called when the thread showed otherwise that it is alive. */
  reportLife(): void {
    this.#lastAnswer = Date.now();
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #askRegularly(): Promise<void> {
    const { ask, everyMs, limitMs } = this.#settings;
    while (!this.#stopped.signal.aborted) {
      const limit = AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(limitMs)]);
      ask(limit).then(
        () => this.reportLife(),
        () => {},
      );
      await this.#wait(everyMs);
    }
  }

  async #look(): Promise<void> {
    const { everyMs, limitMs, onHang } = this.#settings;
    for (;;) {
      const before = Date.now();
      await this.#wait(everyMs);
      if (this.#stopped.signal.aborted) return;
      // The watched thread had no time to answer either.
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
