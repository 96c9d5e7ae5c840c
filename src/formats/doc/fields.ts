/** Fields hold a code that is not shown ("HYPERLINK", "PAGE") and a result that is. */
export class Fields {
  readonly #open: { code: string; inResult: boolean; href?: string | undefined }[] = [];
  /** Of fields inside more fields than anyone writes. */
  #ignored = 0;

  begin(): void {
    if (this.#open.length < MAX_DEPTH) this.#open.push({ code: '', inResult: false });
    else this.#ignored++;
  }

  separate(): void {
    const field = this.#open.at(-1);
    if (!field || this.#ignored > 0) return;
    field.inResult = true;
    field.href = /^\s*HYPERLINK\s+"([^"]+)"/.exec(field.code)?.[1];
  }

  end(): void {
    if (this.#ignored > 0) this.#ignored--;
    else this.#open.pop();
  }

  /** Takes what is code; false for what is shown. */
  takes(text: string): boolean {
    const hiding = this.#open.find((field) => !field.inResult);
    if (!hiding) return false;
    const last = this.#open.at(-1)!;
    if (!last.inResult && last.code.length < MAX_CODE) last.code += text;
    return true;
  }

  get href(): string | undefined {
    return this.#open.findLast((field) => field.href !== undefined)?.href;
  }
}

const MAX_DEPTH = 50;
const MAX_CODE = 4_000;
