import { frontMatterEnd } from '#src/documents/markdown/front-matter.ts';
import { readInline } from '#src/documents/markdown/inline.ts';
import { type MarkdownBlock, type References, readMarkdown } from '#src/documents/markdown/read.ts';
import type { ChunkableDocument, ChunkTools } from './chunker.ts';
import { Pace } from './pace.ts';
import type { Range } from './ranges.ts';

/** A block with the kind that chunking distinguishes. */
export interface TextBlock extends Range {
  kind: 'heading' | 'table' | 'code' | 'list' | 'text';
  /** Level from 1 to 6 and text without marks, for headings. */
  level?: number;
  title?: string;
}

/** Maximum characters of a heading. Every chunk below a heading repeats it. */
const LONGEST_HEADING = 1_000;
/** Characters read in the time of one step of `Pace`. */
const CHARACTERS_A_STEP = 25;

const TABLE_ROWS = /^[ \t]*\|/;
const LIST_ITEM = /^[ \t]*(?:[-*+•]|\d{1,9}[.)])[ \t]+\S/;

/**
 * Returns the blocks of a document's Markdown in order. They cover the text; blank lines belong to the
 * preceding block.
 */
export async function textBlocks(
  { text, pageStarts }: Pick<ChunkableDocument, 'text' | 'pageStarts'>,
  tools: Pick<ChunkTools, 'pause'>,
): Promise<TextBlock[]> {
  const pace = new Pace(tools);
  const references: References = {};
  const headings: { block: TextBlock; content: string }[] = [];
  const behind = frontMatterEnd(text);
  const blocks: TextBlock[] = behind > 0 ? [{ kind: 'text', start: 0, end: behind }] : [];
  const isPageEnd = endsPage(text, pageStarts);
  // End of the last opened HTML table. Once no end remains, none is searched for.
  let tableEnd = -1;
  let hasTableEnd = true;
  for (const block of readMarkdown(text.slice(behind), references)) {
    const [start, end] = [block.start + behind, block.end + behind];
    if (pace.isDue(1 + Math.floor((end - start) / CHARACTERS_A_STEP))) await pace.pause();
    // Blank lines divide an HTML table into several blocks.
    if (start <= tableEnd) continue;
    const kind = kindOf(block, text.slice(start, start + LONGEST_HEADING), () => isPageEnd(end));
    const own: TextBlock = { kind, start, end };
    const last = blocks.at(-1);
    if (last) last.end = start;
    blocks.push(own);
    if (kind === 'heading') {
      const { level, content } = block.leaves[0]!;
      own.level = level!;
      headings.push({ block: own, content: content.slice(0, 4 * LONGEST_HEADING) });
    } else if (kind === 'table' && block.kind === 'html' && hasTableEnd) {
      tableEnd = text.indexOf('</table>', start);
      hasTableEnd = tableEnd !== -1;
    }
  }
  const [first, last] = [blocks[0], blocks.at(-1)];
  if (first) first.start = 0;
  if (last) last.end = text.length;
  for (const { block, content } of headings) {
    if (pace.isDue()) await pace.pause();
    const title = readInline(content, references).text.replace(/\s+/g, ' ');
    block.title = title.slice(0, LONGEST_HEADING).toWellFormed();
  }
  return blocks;
}

/**
 * Returns the kind of a block that begins with `head`. Texts that are no Markdown have their own lists and
 * tables.
 */
function kindOf(
  { kind, leaves, underlined, fenced }: MarkdownBlock,
  head: string,
  isPageEnd: () => boolean,
): TextBlock['kind'] {
  switch (kind) {
    case 'table':
    case 'list':
      return kind;
    case 'heading':
      // A line between two paragraphs or pages does not make the text above it a heading.
      return underlined && (leaves[0]!.content.includes('\n') || isPageEnd()) ? 'text' : 'heading';
    case 'html':
      return /^[ \t]*<table\b/i.test(head) ? 'table' : 'text';
    case 'code':
      return fenced ? 'code' : looseKind(head, leaves[0]!.content);
    case 'paragraph':
      return looseKind(head, leaves[0]!.content);
    default:
      return 'text';
  }
}

function looseKind(head: string, content: string): TextBlock['kind'] {
  if (LIST_ITEM.test(head)) return 'list';
  if (!TABLE_ROWS.test(head)) return 'text';
  return content.split('\n').every((line) => TABLE_ROWS.test(line)) ? 'table' : 'text';
}

/** Returns a test whether only white space follows an offset before the next page. Offsets must ascend. */
function endsPage(text: string, pageStarts: readonly number[]): (offset: number) => boolean {
  let page = 0;
  return (offset) => {
    while (page < pageStarts.length && pageStarts[page]! < offset) page++;
    const start = pageStarts[page];
    return start !== undefined && start - offset < 100 && text.slice(offset, start).trim() === '';
  };
}
