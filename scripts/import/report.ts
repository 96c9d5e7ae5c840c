import { printable, type Redactor, sizeOf } from './tell.ts';

export interface Line {
  kind: string;
  name: string;
  why: string;
}

/** How often progress is written, milliseconds: on a terminal, which keeps one line, and into a log. */
const OFTEN_MS = 500;
const SELDOM_MS = 10_000;

/** What was copied, what was not and why; progress on stderr. */
export class Report {
  readonly failed: Line[] = [];
  readonly notes: Line[] = [];
  readonly copied = new Map<string, number>();
  readonly before = new Map<string, number>();
  bytes = 0;
  readonly #redactor: Redactor;
  readonly #out: { write(text: string): unknown; isTTY?: boolean };
  readonly #began = Date.now();
  #ticker: NodeJS.Timeout | undefined;

  constructor(redactor: Redactor, out: { write(text: string): unknown; isTTY?: boolean } = process.stderr) {
    this.#redactor = redactor;
    this.#out = out;
  }

  /** Something is not at the target. */
  fail(kind: string, name: string, why: string): void {
    this.failed.push(this.#line(kind, name, why));
  }

  /** Something is at the target, and differs from what it is a copy of. */
  note(kind: string, name: string, why: string): void {
    this.notes.push(this.#line(kind, name, why));
  }

  /** `now`: by this run; else it was there from an earlier one. */
  count(kind: string, now: boolean, amount = 1): void {
    const counts = now ? this.copied : this.before;
    counts.set(kind, (counts.get(kind) ?? 0) + amount);
  }

  start(): void {
    this.#ticker = setInterval(() => this.#progress(), this.#out.isTTY ? OFTEN_MS : SELDOM_MS);
    this.#ticker.unref();
  }

  /** While a person is asked, whose line progress would wipe. */
  async silently<Result>(act: () => Promise<Result>): Promise<Result> {
    clearInterval(this.#ticker);
    try {
      return await act();
    } finally {
      this.start();
    }
  }

  stop(): void {
    clearInterval(this.#ticker);
    this.#progress();
    if (this.#out.isTTY) this.#out.write('\n');
  }

  summary(): string {
    const kinds = [...new Set([...this.copied.keys(), ...this.before.keys()])].sort();
    const lines = kinds.map((kind) => {
      const earlier = this.before.get(kind) ?? 0;
      return `  ${kind}: ${this.copied.get(kind) ?? 0}${earlier > 0 ? ` (and ${earlier} before)` : ''}`;
    });
    return [
      'Copied:',
      ...(lines.length > 0 ? lines : ['  nothing']),
      ...section('Different from the source:', this.notes),
      ...section('Not copied:', this.failed),
      '',
    ].join('\n');
  }

  #progress(): void {
    const seconds = Math.max((Date.now() - this.#began) / 1000, 0.001);
    const counts = [...this.copied].map(([kind, count]) => `${count} ${kind}`).join(', ') || 'nothing yet';
    const rate = `${sizeOf(this.bytes)}, ${sizeOf(Math.round(this.bytes / seconds))}/s`;
    const text = `${counts}; ${rate}; ${this.failed.length} not copied`;
    this.#out.write(this.#out.isTTY ? `\r\u001b[K${text}` : `${text}\n`);
  }

  #line(kind: string, name: string, why: string): Line {
    const clean = (text: string, length: number) => printable(this.#redactor.clean(text), length);
    return { kind, name: clean(name, 120), why: clean(why, 500) };
  }
}

const section = (title: string, lines: readonly Line[]) =>
  lines.length === 0 ? [] : [title, ...lines.map(({ kind, name, why }) => `  ${kind} ${name}: ${why}`)];
