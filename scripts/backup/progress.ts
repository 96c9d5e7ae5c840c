const INTERVAL_MS = 1000;

/** Prints at most one line per second, so that logs stay readable, and one line at the end of each step. */
export class Progress {
  #last = 0;

  update(text: string): void {
    const now = Date.now();
    if (now - this.#last < INTERVAL_MS) return;
    this.#last = now;
    console.log(text);
  }

  done(text: string): void {
    this.#last = 0;
    console.log(text);
  }
}
