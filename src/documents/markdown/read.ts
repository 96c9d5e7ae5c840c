import type { Token } from 'markdown-it';
import { ParseError } from '#src/documents/errors.ts';
import { readBlock, StreamingBlockState } from './grammar.ts';

/** Kinds of the lists and quotes that contain a block, from the outermost to the innermost. */
export type ContainerPath = readonly ('list' | 'quote')[];

/** Markdown block that contains no other blocks, such as a heading or table. */
export interface Leaf {
  kind: 'heading' | 'text' | 'code' | 'table' | 'html' | 'rule';
  /**
   * Content of the block without block markers such as `#`, `>` or bullets. Inline formatting such as `**` is
   * kept.
   */
  content: string;
  /** Heading level from 1 to 6. */
  level?: number;
  containers: ContainerPath;
  /** Marker of a list item, such as `-` or `3.`. Set only on the first block of the item. */
  marker?: string;
}

/**
 * Markdown block that is not inside a list or quote. `start` and `end` are offsets in UTF-16 code units,
 * without the final line break.
 */
export interface MarkdownBlock {
  kind: 'heading' | 'paragraph' | 'code' | 'table' | 'html' | 'rule' | 'list' | 'quote' | 'definition';
  start: number;
  end: number;
  leaves: Leaf[];
  /**
   * True for a heading that is marked by a line of `=` or `-` below it. `fenced` is true for a code block
   * between fences such as ```.
   */
  underlined?: boolean;
  fenced?: boolean;
}

/** Link definitions of a Markdown text by label. */
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
 * Yields the top-level blocks of a Markdown text in order, in linear time. Lines between blocks are blank.
 * `references` collects the link definitions and is complete at the end.
 */
export function* readMarkdown(
  source: string,
  references: References = {},
): Generator<MarkdownBlock, void, undefined> {
  checkLines(source);
  const collector = new BlockCollector();
  const state = new StreamingBlockState(normalizeLineBreaks(source), { references }, (token) =>
    collector.addToken(token),
  );
  let line = state.skipEmptyLines(0);
  while (line < state.lineMax) {
    const next = readBlock(state, line, state.lineMax);
    state.flush();
    let last = next - 1;
    while (last > line && state.isEmpty(last)) last--;
    yield collector.finishBlock(state.bMarks[line]!, state.eMarks[last]!);
    line = state.skipEmptyLines(next);
  }
}

/**
 * Maximum number of lines in a Markdown text. The limit saves memory, because the parser stores five numbers
 * per line.
 */
const MAX_LINES = 1_500_000;

function checkLines(source: string): void {
  let lines = 0;
  for (let at = source.indexOf('\n'); at !== -1; at = source.indexOf('\n', at + 1)) lines++;
  if (lines > MAX_LINES) {
    throw new ParseError('DOCUMENT_TOO_LARGE', `The file has more than ${MAX_LINES} lines of text.`);
  }
}

/**
 * Converts carriage returns to line feeds or spaces, so that every line ends with a line feed. The length of
 * the text stays the same.
 */
function normalizeLineBreaks(source: string): string {
  return source.includes('\r') ? source.replaceAll('\r\n', ' \n').replaceAll('\r', '\n') : source;
}

class BlockCollector {
  #leaves: Leaf[] = [];
  #outermost: Token | undefined;
  #containers: ContainerPath = [];
  /** For each open list and quote, the lists and quotes that contain it. */
  readonly #outerPaths: ContainerPath[] = [];
  #heading: number | undefined;
  #marker: string | undefined;

  addToken(token: Token): void {
    const { type, level, content } = token;
    if (level === 0) this.#outermost ??= token;
    const container = CONTAINERS[type];
    const leaf = LEAVES[type];
    if (container) {
      this.#outerPaths.push(this.#containers);
      this.#containers = [...this.#containers, container];
    } else if (/^(?:bullet_list|ordered_list|blockquote)_close$/.test(type)) {
      this.#containers = this.#outerPaths.pop() ?? [];
    } else if (type === 'list_item_open') this.#marker = token.info + token.markup;
    else if (type === 'heading_open') this.#heading = Number(token.tag[1]);
    else if (leaf) {
      const marker = this.#marker === undefined ? {} : { marker: this.#marker };
      const isHeading = this.#heading !== undefined;
      const level = isHeading ? { level: this.#heading! } : {};
      const kind = isHeading ? 'heading' : leaf;
      this.#leaves.push({ kind, content, containers: this.#containers, ...level, ...marker });
      this.#heading = undefined;
      this.#marker = undefined;
    }
  }

  finishBlock(start: number, end: number): MarkdownBlock {
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
