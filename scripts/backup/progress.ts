const INTERVAL_MS = 1000;

/** A line a second at most, so that a log stays readable, and one at the end of each part. */
export class Progress {
  #last = 0;

  tell(text: string): void {
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
