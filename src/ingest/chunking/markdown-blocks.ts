import { findFrontMatterEnd } from '#src/documents/markdown/front-matter.ts';
import { readInline } from '#src/documents/markdown/inline.ts';
import { type MarkdownBlock, type References, readMarkdown } from '#src/documents/markdown/read.ts';
import type { ChunkableDocument, ChunkTools } from './chunker.ts';
import { Pace } from './pace.ts';
import type { Range } from './ranges.ts';

export interface TextBlock extends Range {
  kind: 'heading' | 'table' | 'code' | 'list' | 'text';
  /** Level of a heading from 1 to 6. `title` is the text of the heading without Markdown marks. */
  level?: number;
  title?: string;
}

/**
 * Maximum number of characters of a heading. The limit is needed because every chunk below a heading repeats
 * the heading.
 */
const MAX_HEADING_CHARACTERS = 1_000;
/** Number of characters of Markdown that are read in the time of one work step, as `Pace` counts steps. */
const CHARACTERS_PER_STEP = 25;

const TABLE_ROWS = /^[ \t]*\|/;
const LIST_ITEM = /^[ \t]*(?:[-*+•]|\d{1,9}[.)])[ \t]+\S/;

/**
 * Returns the blocks of a document's Markdown in order. The blocks cover the whole text, and blank lines
 * belong to the preceding block.
 */
export async function readTextBlocks(
  { text, pageStarts }: Pick<ChunkableDocument, 'text' | 'pageStarts'>,
  tools: Pick<ChunkTools, 'pause'>,
): Promise<TextBlock[]> {
  const pace = new Pace(tools);
  const references: References = {};
  const headings: { block: TextBlock; content: string }[] = [];
  const bodyStart = findFrontMatterEnd(text);
  const blocks: TextBlock[] = bodyStart > 0 ? [{ kind: 'text', start: 0, end: bodyStart }] : [];
  const isPageEnd = createPageEndTest(text, pageStarts);
  // Offset of the end of the last opened HTML table. The search for end tags stops once the text contains no
  // further one.
  let tableEnd = -1;
  let hasTableEnd = true;
  for (const block of readMarkdown(text.slice(bodyStart), references)) {
    const [start, end] = [block.start + bodyStart, block.end + bodyStart];
    if (pace.isDue(1 + Math.floor((end - start) / CHARACTERS_PER_STEP))) await pace.pause();
    // Blocks inside an HTML table are skipped. Blank lines divide the table into several Markdown blocks.
    if (start <= tableEnd) continue;
    const kind = classifyBlock(block, text.slice(start, start + MAX_HEADING_CHARACTERS), () =>
      isPageEnd(end),
    );
    const own: TextBlock = { kind, start, end };
    const last = blocks.at(-1);
    if (last) last.end = start;
    blocks.push(own);
    if (kind === 'heading') {
      const { level, content } = block.leaves[0]!;
      own.level = level!;
      headings.push({ block: own, content: content.slice(0, 4 * MAX_HEADING_CHARACTERS) });
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
    block.title = title.slice(0, MAX_HEADING_CHARACTERS).toWellFormed();
  }
  return blocks;
}

/**
 * Returns the kind of the Markdown block that begins with `head`. Lists and tables are also recognized in
 * plain text that is not Markdown.
 */
function classifyBlock(
  { kind, leaves, underlined, fenced }: MarkdownBlock,
  head: string,
  isPageEnd: () => boolean,
): TextBlock['kind'] {
  switch (kind) {
    case 'table':
    case 'list':
      return kind;
    case 'heading':
      // A line of dashes between two paragraphs or pages separates them. It does not turn the text above it
      // into a heading.
      return underlined && (leaves[0]!.content.includes('\n') || isPageEnd()) ? 'text' : 'heading';
    case 'html':
      return /^[ \t]*<table\b/i.test(head) ? 'table' : 'text';
    case 'code':
      return fenced ? 'code' : classifyPlainBlock(head, leaves[0]!.content);
    case 'paragraph':
      return classifyPlainBlock(head, leaves[0]!.content);
    default:
      return 'text';
  }
}

function classifyPlainBlock(head: string, content: string): TextBlock['kind'] {
  if (LIST_ITEM.test(head)) return 'list';
  if (!TABLE_ROWS.test(head)) return 'text';
  return content.split('\n').every((line) => TABLE_ROWS.test(line)) ? 'table' : 'text';
}

/**
 * Returns a function that tells whether only white space follows an offset before the next page. The function
 * must be called with ascending offsets.
 */
function createPageEndTest(text: string, pageStarts: readonly number[]): (offset: number) => boolean {
  let page = 0;
  return (offset) => {
    while (page < pageStarts.length && pageStarts[page]! < offset) page++;
    const start = pageStarts[page];
    return start !== undefined && start - offset < 100 && text.slice(offset, start).trim() === '';
  };
}
