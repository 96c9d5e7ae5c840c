/** Part of a Markdown text that is parsed on its own. */
export interface MarkdownBlock {
  /** Markdown to parse: `prefix` added characters, then characters of the whole text. */
  text: string;
  /** Offset of the block in the whole text, in characters. */
  start: number;
  /** Number of characters that were added before the block, such as the repeated header of a table. */
  prefix: number;
  /** Present if the block is a part of a larger block. */
  part?: BlockPart;
}

export interface BlockPart {
  /** True if another part precedes this one. */
  isLater: boolean;
  /** Number of columns if the part consists of rows of a table. */
  columns?: number | undefined;
}

/**
 * Maximum number of characters of a block that is parsed as a whole. Larger blocks, such as long tables, are split,
 * so that a growing answer is parsed again in small parts.
 */
export const MAX_BLOCK_CHARACTERS = 3_000;

/** Number of characters after which a part ends at the next line that can begin another part. */
const PART_CHARACTERS = MAX_BLOCK_CHARACTERS / 2;
/** Maximum length of the header of a table that is repeated in each part. */
const MAX_HEADER = 500;
/** Maximum length of the marks and of the first line of a code block that are repeated in each part. */
const MAX_FENCE_LINE = 100;

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const LIST_ITEM = /^ ?(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;
const TABLE_RULE = /^[\s|:-]+$/;

/**
 * Splits a large block between lines, and long lines between words. Each part of a code block is a code block, and
 * each part of a table repeats the header. Appending text changes only the last part.
 */
export function splitLargeBlock(block: string, offset: number): MarkdownBlock[] {
  const parts: MarkdownBlock[] = [];
  const context = new BlockContext(block);
  let begin = 0;
  let prefix = '';
  let columns: number | undefined;
  const push = (end: number, marker = '') => {
    const part: BlockPart = { isLater: parts.length > 0, columns };
    const own = block.slice(begin, end);
    const suffix = marker && !own.endsWith('\n') ? `\n${marker}` : marker;
    const text = prefix + own + suffix;
    parts.push({ text, start: offset + begin, prefix: prefix.length, part });
  };
  for (const piece of listPieces(block)) {
    const isFull = piece.start - begin >= PART_CHARACTERS && context.canBeginPart(piece);
    if (isFull || (piece.start > begin && piece.end - begin > MAX_BLOCK_CHARACTERS)) {
      push(piece.start, context.marker);
      prefix = context.prefix;
      columns = context.columns;
      begin = piece.start + context.measureIndent(piece);
    }
    context.read(piece);
    // A table that has ended, such as before an empty line, is still in this part.
    columns = context.columns ?? columns;
  }
  push(block.length);
  return parts;
}

/** Line of a block, or a part of a line that is too long for one part. */
interface Piece {
  start: number;
  end: number;
  text: string;
  isLineStart: boolean;
}

function* listPieces(block: string): Generator<Piece> {
  let start = 0;
  for (const line of block.split('\n')) {
    const lineEnd = start + line.length;
    let isLineStart = true;
    while (lineEnd - start > PART_CHARACTERS) {
      const end = start + findLineCut(block.slice(start, start + PART_CHARACTERS));
      yield { start, end, text: block.slice(start, end), isLineStart };
      start = end;
      isLineStart = false;
    }
    yield { start, end: lineEnd, text: block.slice(start, lineEnd), isLineStart };
    start = lineEnd + 1;
  }
}

/** Returns where a part of a long line ends: after a blank if possible, and never within a character. */
function findLineCut(text: string): number {
  const blank = text.lastIndexOf(' ');
  if (blank > text.length / 2) return blank + 1;
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.length - 1 : text.length;
}

/** What the lines of a block that were read so far have opened: a code block, a table or a list. */
class BlockContext {
  readonly #isList: boolean;
  #fence: { line: string; marker: string } | undefined;
  #table: { header: string; columns: number } | undefined;
  #lastLine = '';

  constructor(block: string) {
    this.#isList = LIST_ITEM.test(block);
  }

  /** Line that closes the open code block. Empty if no code block is open. */
  get marker(): string {
    return this.#fence?.marker ?? '';
  }

  /** Text with which the next part begins. */
  get prefix(): string {
    return this.#fence ? `${this.#fence.line}\n` : (this.#table?.header ?? '');
  }

  /** Number of columns of the open table. */
  get columns(): number | undefined {
    return this.#table?.columns;
  }

  canBeginPart({ text, isLineStart }: Piece): boolean {
    if (!isLineStart) return false;
    return this.#fence !== undefined || !this.#isList || LIST_ITEM.test(text);
  }

  /** Returns the length of the indentation that would turn a paragraph of a list item into code. */
  measureIndent({ text }: Piece): number {
    if (this.#fence || !this.#isList) return 0;
    return text.length - text.trimStart().length;
  }

  read({ text, isLineStart }: Piece): void {
    if (!isLineStart) return;
    const marker = FENCE.exec(text)?.[1];
    if (marker !== undefined && marker.length <= MAX_FENCE_LINE) this.#readFence(text, marker);
    else if (!this.#fence) this.#readRow(text);
    this.#lastLine = text;
  }

  #readFence(text: string, marker: string): void {
    this.#table = undefined;
    if (!this.#fence) this.#fence = { line: text.length > MAX_FENCE_LINE ? marker : text, marker };
    else if (marker.startsWith(this.#fence.marker) && text.trim() === marker) this.#fence = undefined;
  }

  #readRow(text: string): void {
    if (text.trim() === '') this.#table = undefined;
    else if (!this.#table && TABLE_RULE.test(text) && text.includes('-') && this.#lastLine.includes('|')) {
      const header = `${this.#lastLine}\n${text}\n`;
      const columns = text.split('|').filter((cell) => cell.includes('-')).length;
      if (header.length <= MAX_HEADER) this.#table = { header, columns };
    }
  }
}
