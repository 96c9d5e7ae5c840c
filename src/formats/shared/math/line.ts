/** Longest tail of a line that is compared, in characters. */
const TAIL = 40;

/** A line of text that is built from pieces in linear time. Spaces are pieces of their own. */
export class Line {
  readonly #pieces: string[] = [];

  get isEmpty(): boolean {
    return this.#pieces.length === 0;
  }

  /** Last characters of the line. */
  get tail(): string {
    return this.#pieces.at(-1)?.slice(-TAIL) ?? '';
  }

  add(piece: string): void {
    if (piece !== '') this.#pieces.push(piece);
  }

  /** Removes spaces, including the LaTeX command `\ `, from the end of the line. */
  trimEnd(): void {
    while (this.tail === ' ' || this.tail === '\\ ') this.#pieces.pop();
  }

  toString(): string {
    return this.#pieces.join('');
  }
}
