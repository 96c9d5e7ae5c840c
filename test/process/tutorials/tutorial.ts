import { readFileSync } from 'node:fs';

/** Languages in which a tutorial shows each step. */
export const LANGUAGES = ['curl', 'Python', 'TypeScript'] as const;
export type Language = (typeof LANGUAGES)[number];

/** A fenced code block of a tutorial. */
interface Block {
  /** Text of the bold line directly above the block, such as `curl` or `src/chat.tsx`. Empty if there is none. */
  label: string;
  /** Language of the fence, such as `sh`. Empty if the fence names none. */
  fence: string;
  code: string;
}

const FENCED = /(?:^\*\*`?([^*\n]+?)`?\*\*\n+)?^```(\w*)\n([\s\S]*?)^```$/gm;

/** A page of `docs/tutorials`, as its reader follows it. */
export class Tutorial {
  readonly markdown: string;
  readonly #page: string;
  readonly #blocks: readonly Block[];

  /** `page` is the name of the file without its extension. `markdown` replaces the file's text. */
  constructor(page: string, markdown = readFileSync(`docs/tutorials/${page}.md`, 'utf8')) {
    this.markdown = markdown;
    this.#page = page;
    this.#blocks = [...markdown.matchAll(FENCED)].map(([, label = '', fence, code]) => ({
      label,
      fence: fence!,
      code: code!,
    }));
  }

  /** Returns the program of a language: all of its blocks in the order of the page. */
  program(language: Language): string {
    return this.labelled(language).join('\n');
  }

  /** Returns the code of the blocks with this label. Throws if there is none. */
  labelled(label: string): string[] {
    const found = this.#blocks.filter((block) => block.label === label).map(({ code }) => code);
    if (found.length === 0) throw new Error(`${this.#page}.md has no block with the label **${label}**.`);
    return found;
  }

  /** Returns the files that the reader writes: the blocks whose label is a path. */
  files(): { path: string; content: string }[] {
    const files = this.#blocks.filter(({ label }) => /^[\w./-]+\.\w+$/.test(label));
    return files.map(({ label, code }) => ({ path: label, content: code }));
  }

  /** Returns the lines of each block of `text`: what the page says that a program or a command prints. */
  outputs(): string[][] {
    const shown = this.#blocks.filter(({ fence }) => fence === 'text');
    return shown.map(({ code }) => code.split('\n').filter((line) => line.trim() !== ''));
  }

  /** Returns the lines of all blocks of `text`. */
  output(): string[] {
    return this.outputs().flat();
  }
}

/**
 * Returns the first line of `expected` that `printed` lacks, or `undefined` if it has them all in this order. `…` in an
 * expected line stands for any text.
 */
export function findMissingLine(expected: readonly string[], printed: string): string | undefined {
  const lines = printed.split(/\r?\n/);
  let next = 0;
  for (const line of expected) {
    const pattern = new RegExp(`^${line.trim().split('…').map(escapePattern).join('.*')}$`);
    const at = lines.findIndex((candidate, index) => index >= next && pattern.test(candidate.trim()));
    if (at < 0) return line;
    next = at + 1;
  }
  return undefined;
}

const escapePattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
