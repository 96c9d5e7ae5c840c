import { formatSize, type Redactor, toPrintable } from './output.ts';

export interface Line {
  kind: string;
  name: string;
  why: string;
}

/**
 * Interval between progress updates in milliseconds: on a terminal, where one line is updated, and in a log.
 */
const TERMINAL_INTERVAL_MS = 500;
const LOG_INTERVAL_MS = 10_000;

/**
 * Counts copied objects, lists the objects that were not copied with the reasons, and prints progress to
 * stderr.
 */
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

  /** Records an object that could not be copied to the target. */
  fail(kind: string, name: string, why: string): void {
    this.failed.push(this.#line(kind, name, why));
  }

  /** Records that a copy differs from its original, with the reason. */
  note(kind: string, name: string, why: string): void {
    this.notes.push(this.#line(kind, name, why));
  }

  /** Counts copied objects. `now` is true if this run copied them and false if an earlier run did. */
  count(kind: string, now: boolean, amount = 1): void {
    const counts = now ? this.copied : this.before;
    counts.set(kind, (counts.get(kind) ?? 0) + amount);
  }

  start(): void {
    this.#ticker = setInterval(
      () => this.#progress(),
      this.#out.isTTY ? TERMINAL_INTERVAL_MS : LOG_INTERVAL_MS,
    );
    this.#ticker.unref();
  }

  /** Pauses the progress output while a person is asked, because it would overwrite the question. */
  async withoutProgress<Result>(act: () => Promise<Result>): Promise<Result> {
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
      return `  ${kind}: ${this.copied.get(kind) ?? 0}${earlier > 0 ? ` (and ${earlier} in earlier runs)` : ''}`;
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
    const counts = [...this.copied].map(([kind, count]) => `${kind}: ${count}`).join(', ') || 'nothing yet';
    const rate = `${formatSize(this.bytes)}, ${formatSize(Math.round(this.bytes / seconds))}/s`;
    const text = `${counts}; ${rate}; not copied: ${this.failed.length}`;
    this.#out.write(this.#out.isTTY ? `\r\u001b[K${text}` : `${text}\n`);
  }

  #line(kind: string, name: string, why: string): Line {
    const clean = (text: string, length: number) => toPrintable(this.#redactor.clean(text), length);
    return { kind, name: clean(name, 120), why: clean(why, 500) };
  }
}

const section = (title: string, lines: readonly Line[]) =>
  lines.length === 0 ? [] : [title, ...lines.map(({ kind, name, why }) => `  ${kind} ${name}: ${why}`)];
