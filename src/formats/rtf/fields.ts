/** Maximum number of fields inside each other. */
const MAX_FIELDS = 1_000;

/** Tracks the links of an RTF document. A link is a field whose instruction names the target. */
export class RtfFields {
  readonly #targets: (string | undefined)[] = [];
  #instruction = '';

  startField(): void {
    this.#targets.push(undefined);
    if (this.#targets.length > MAX_FIELDS) this.#targets.shift();
  }

  startInstruction(): void {
    this.#instruction = '';
  }

  addInstruction(text: string): void {
    this.#instruction += text;
  }

  endInstruction(): void {
    if (this.#targets.length === 0) return;
    this.#targets[this.#targets.length - 1] = /HYPERLINK\s+"([^"]+)"/.exec(this.#instruction)?.[1];
  }

  /** Returns the target of the innermost field, or `undefined` if the field is no link. */
  takeTarget(): string | undefined {
    return this.#targets.pop();
  }
}
