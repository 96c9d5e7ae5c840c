import { ParseError } from '#src/documents/errors.ts';

/**
 * Time limit for work on a document. Time spent inside `excludeTime`, such as waiting for an OCR engine, does
 * not count.
 */
export class TimeLimit {
  readonly #activity: string;
  readonly #milliseconds: number;
  #end: number;

  /** `what` is the subject of the timeout message, such as "Page 3". */
  constructor(what: string, milliseconds: number) {
    this.#activity = what;
    this.#milliseconds = milliseconds;
    this.#end = Date.now() + milliseconds;
  }

  /**
   * Pauses so that timers and other requests can run. A Worker's clock advances only during such a pause.
   * Rejects with ParseError TIMEOUT if the time limit is exceeded.
   */
  async yieldAndCheck(): Promise<void> {
    await scheduler.wait(0);
    this.check();
  }

  check(): void {
    if (Date.now() <= this.#end) return;
    const seconds = this.#milliseconds / 1000;
    throw new ParseError('TIMEOUT', `${this.#activity} took longer than the limit of ${seconds} s.`);
  }

  async excludeTime<Value>(work: () => Promise<Value>): Promise<Value> {
    const start = Date.now();
    try {
      return await work();
    } finally {
      this.#end += Date.now() - start;
    }
  }
}
