const LINE_FEED = 10;

export interface ByteLine {
  /** Content without the line feed. `undefined` if the line is longer than allowed. */
  bytes: Uint8Array | undefined;
  /** Offset in bytes of the next line. */
  end: number;
}

/**
 * Splits bytes into lines as they arrive. A line that is longer than `maxBytes` is dropped while it arrives, so that
 * memory is bounded, also if the bytes arrive one by one.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  /** Beginning of the line that has not ended yet, followed by free space. */
  #buffer = new Uint8Array(0);
  /** Length of the line that has not ended yet. It also grows while a line that is too long is dropped. */
  #length = 0;
  #offset = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the lines that end in `chunk`. */
  push(chunk: Uint8Array): ByteLine[] {
    const lines: ByteLine[] = [];
    let start = 0;
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, start)) {
      lines.push(this.#endLine(chunk.subarray(start, at), 1));
      start = at + 1;
    }
    this.#add(chunk.subarray(start));
    return lines;
  }

  /** Returns the last line if no line feed ended it. */
  end(): ByteLine[] {
    return this.#length > 0 ? [this.#endLine(new Uint8Array(0), 0)] : [];
  }

  #endLine(rest: Uint8Array, lineFeed: number): ByteLine {
    // A line within one chunk needs no copy.
    const isWhole = this.#length === 0 && rest.byteLength <= this.#maxBytes;
    if (isWhole) this.#offset += rest.byteLength;
    else this.#add(rest);
    this.#offset += lineFeed;
    const isTooLong = this.#length > this.#maxBytes;
    const bytes = isWhole ? rest : isTooLong ? undefined : this.#buffer.subarray(0, this.#length);
    if (!isWhole) this.#buffer = new Uint8Array(0);
    this.#length = 0;
    return { bytes, end: this.#offset };
  }

  #add(part: Uint8Array): void {
    const length = this.#length + part.byteLength;
    if (length > this.#maxBytes) this.#buffer = new Uint8Array(0);
    else {
      this.#reserve(length);
      this.#buffer.set(part, this.#length);
    }
    this.#offset += part.byteLength;
    this.#length = length;
  }

  /** Doubles the buffer when it is full, so that a line is copied a few times at most, however it arrives. */
  #reserve(length: number): void {
    if (length <= this.#buffer.byteLength) return;
    const larger = new Uint8Array(Math.min(this.#maxBytes, Math.max(length, 2 * this.#buffer.byteLength)));
    larger.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = larger;
  }
}
