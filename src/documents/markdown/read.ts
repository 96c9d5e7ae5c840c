import type { Token } from 'markdown-it';
import { ParseError } from '#src/documents/errors.ts';
import { Lines, readBlock } from './grammar.ts';

/** Lists and quotes around a block, outermost first. */
export type Path = readonly ('list' | 'quote')[];

/** Content of a block without nested blocks. */
export interface Leaf {
  kind: 'heading' | 'text' | 'code' | 'table' | 'html' | 'rule';
  /** Content without the marks of the block and of its ancestors. Inline marks stay. */
  content: string;
  /** Heading level from 1 to 6. */
  level?: number;
  inside: Path;
  /** Mark of a list item, `-` or `3.`, on its first block. */
  marker?: string;
}

/**
 * An outermost block: the lines [start, end) of the source in UTF-16 code units, without the last line break.
 */
export interface MarkdownBlock {
  kind: 'heading' | 'paragraph' | 'code' | 'table' | 'html' | 'rule' | 'list' | 'quote' | 'definition';
  start: number;
  end: number;
  leaves: Leaf[];
  /** Whether a heading is underlined, and whether code is fenced. */
  underlined?: boolean;
  fenced?: boolean;
}

/** Link targets of a text, by label. */
export type References = Record<string, { title: string; href: string }>;

const CONTAINERS: Record<string, 'list' | 'quote'> = {
  bullet_list_open: 'list',
  ordered_list_open: 'list',
  blockquote_open: 'quote',
};
const LEAVES: Record<string, Leaf['kind']> = {
  inline: 'text',
  fence: 'code',
  code_block: 'code',
  html_block: 'html',
  hr: 'rule',
  table: 'table',
};
const KINDS: Record<Leaf['kind'], MarkdownBlock['kind']> = {
  heading: 'heading',
  text: 'paragraph',
  code: 'code',
  html: 'html',
  rule: 'rule',
  table: 'table',
};

/**
 * Yields the outermost blocks in order. Lines in no block are blank. Takes linear time. `references` is
 * filled during reading and complete at the end.
 */
export function* readMarkdown(
  source: string,
  references: References = {},
): Generator<MarkdownBlock, void, undefined> {
  checkLines(source);
  const collector = new Collector();
  const state = new Lines(evenLines(source), { references }, (token) => collector.take(token));
  let line = state.skipEmptyLines(0);
  while (line < state.lineMax) {
    const next = readBlock(state, line, state.lineMax);
    state.flush();
    let last = next - 1;
    while (last > line && state.isEmpty(last)) last--;
    yield collector.block(state.bMarks[line]!, state.eMarks[last]!);
    line = state.skipEmptyLines(next);
  }
}

/** Maximum number of lines. Five numbers are stored per line. */
const MOST_LINES = 1_500_000;

function checkLines(source: string): void {
  let lines = 0;
  for (let at = source.indexOf('\n'); at !== -1; at = source.indexOf('\n', at + 1)) lines++;
  if (lines > MOST_LINES) {
    throw new ParseError('DOCUMENT_TOO_LARGE', `The file has more than ${MOST_LINES} lines of text.`);
  }
}

/** Replaces all line breaks by `\n` without changing the length. */
function evenLines(source: string): string {
  return source.includes('\r') ? source.replaceAll('\r\n', ' \n').replaceAll('\r', '\n') : source;
}

class Collector {
  #leaves: Leaf[] = [];
  #outermost: Token | undefined;
  #inside: Path = [];
  /** Path outside each surrounding list and quote. */
  readonly #outside: Path[] = [];
  #heading: number | undefined;
  #marker: string | undefined;

  take(token: Token): void {
    const { type, level, content } = token;
    if (level === 0) this.#outermost ??= token;
    const container = CONTAINERS[type];
    const leaf = LEAVES[type];
    if (container) {
      this.#outside.push(this.#inside);
      this.#inside = [...this.#inside, container];
    } else if (/^(?:bullet_list|ordered_list|blockquote)_close$/.test(type)) {
      this.#inside = this.#outside.pop() ?? [];
    } else if (type === 'list_item_open') this.#marker = token.info + token.markup;
    else if (type === 'heading_open') this.#heading = Number(token.tag[1]);
    else if (leaf) {
      const marker = this.#marker === undefined ? {} : { marker: this.#marker };
      const isHeading = this.#heading !== undefined;
      const level = isHeading ? { level: this.#heading! } : {};
      const kind = isHeading ? 'heading' : leaf;
      this.#leaves.push({ kind, content, inside: this.#inside, ...level, ...marker });
      this.#heading = undefined;
      this.#marker = undefined;
    }
  }

  block(start: number, end: number): MarkdownBlock {
    const token = this.#outermost;
    const leaves = this.#leaves;
    this.#leaves = [];
    this.#outermost = undefined;
    const first = leaves[0];
    const container = token && CONTAINERS[token.type];
    const kind = container ?? (token && first ? KINDS[first.kind] : 'definition');
    return {
      kind,
      start,
      end,
      leaves,
      ...(kind === 'heading' && { underlined: !token!.markup.startsWith('#') }),
      ...(kind === 'code' && { fenced: token!.type === 'fence' }),
    };
  }
}
