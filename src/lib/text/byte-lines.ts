const LINE_FEED = 10;

export interface ByteLine {
  /** Content without the line feed. `undefined` if the line is longer than allowed. */
  bytes: Uint8Array | undefined;
  /** Offset in bytes of the next line. */
  end: number;
}

/**
 * Splits bytes into lines as they arrive. A line that is longer than `maxBytes` is dropped while it arrives, so that
 * memory is bounded.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  #parts: Uint8Array[] = [];
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
      this.#add(chunk.subarray(start, at));
      this.#offset += 1;
      lines.push(this.#take());
      start = at + 1;
    }
    this.#add(chunk.subarray(start));
    return lines;
  }

  /** Returns the last line if no line feed ended it. */
  end(): ByteLine[] {
    return this.#length > 0 ? [this.#take()] : [];
  }

  #add(part: Uint8Array): void {
    this.#offset += part.byteLength;
    this.#length += part.byteLength;
    if (this.#length > this.#maxBytes) this.#parts = [];
    else if (part.byteLength > 0) this.#parts.push(part);
  }

  #take(): ByteLine {
    const bytes = this.#length > this.#maxBytes ? undefined : join(this.#parts, this.#length);
    this.#parts = [];
    this.#length = 0;
    return { bytes, end: this.#offset };
  }
}

function join(parts: Uint8Array[], length: number): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.byteLength;
  }
  return bytes;
}
