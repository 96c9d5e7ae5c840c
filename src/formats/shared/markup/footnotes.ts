import type { Flow } from '../flow/flow.ts';
import type { Run } from '../flow/runs.ts';

/** Footnotes of a document in plain text markup. They are numbered in the order of their first mark. */
export class Footnotes {
  readonly #numbers = new Map<string, number>();
  readonly #counts = new Map<string, number>();
  /** Texts by number. A document may give several texts for one name, and all of them are kept. */
  readonly #texts = new Map<number, Run[][]>();

  /**
   * Returns the name of a footnote. Footnotes with the name `#` or `*` are numbered in order, so that the first
   * mark belongs to the first text. Marks and texts are counted separately.
   */
  resolve(name: string, side: 'mark' | 'text'): string {
    if (name !== '#' && name !== '*') return name.replace(/^#/, '');
    const key = `${side}${name}`;
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return `${name}${count}`;
  }

  /** Returns the mark of a footnote. Marks with the same name show the same footnote. */
  mark(name?: string): Run {
    const known = name === undefined ? undefined : this.#numbers.get(name);
    const number = known ?? this.#numbers.size + 1;
    this.#numbers.set(name ?? `\0${number}`, number);
    return { text: '', markdown: `[^${number}]` };
  }

  /** Returns the mark of a footnote whose text stands at the mark. */
  add(runs: Run[], name?: string): Run {
    const mark = this.mark(name);
    const number = Number(mark.markdown?.slice(2, -1));
    const texts = this.#texts.get(number) ?? [];
    texts.push(runs);
    this.#texts.set(number, texts);
    return mark;
  }

  /** Adds the footnotes at the end of the document. */
  write(flow: Flow): void {
    for (const [number, texts] of [...this.#texts].toSorted(([a], [b]) => a - b)) {
      const runs = texts.flatMap((text, at) => (at === 0 ? text : [{ text: ' ' }, ...text]));
      const { text, markdown } = flow.render(runs);
      if (markdown !== '') flow.block({ type: 'paragraph', text, markdown: `[^${number}]: ${markdown}` });
    }
  }
}
