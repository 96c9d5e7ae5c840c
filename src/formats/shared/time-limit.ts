import { ParseError } from '#src/documents/errors.ts';

/** How long work on a document may take; what others do for it, and it waits for, does not count. */
export class TimeLimit {
  readonly #what: string;
  readonly #milliseconds: number;
  #end: number;

  /** `what` begins the error's sentence, like "Page 3". */
  constructor(what: string, milliseconds: number) {
    this.#what = what;
    this.#milliseconds = milliseconds;
    this.#end = Date.now() + milliseconds;
  }

  /** Lets timers and other requests run, which is also when a Worker's clock moves; rejects once the time is over. */
  async turn(): Promise<void> {
    await scheduler.wait(0);
    this.check();
  }

  check(): void {
    if (Date.now() <= this.#end) return;
    const seconds = this.#milliseconds / 1000;
    throw new ParseError('TIMEOUT', `${this.#what} takes longer than the ${seconds} s there are for it.`);
  }

  async uncounted<Value>(work: () => Promise<Value>): Promise<Value> {
    const start = Date.now();
    try {
      return await work();
    } finally {
      this.#end += Date.now() - start;
    }
  }
}
