import type { Range } from './ranges.ts';

export interface MarkdownBlock extends Range {
  kind: 'heading' | 'table' | 'code' | 'list' | 'text';
  /** Of headings: 1..6 and the text without its marks. */
  level?: number;
  title?: string;
}

/** Enough of a line to know what it is; a line may be megabytes long. */
const LINE_HEAD = 300;
const HEADING = /^ {0,3}(#{1,6})\s+(\S.*?)\s*#*\s*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const TABLE_ROW = /^\s*\|/;
const TABLE_RULE = /^\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)+\|?\s*$/;
const LIST_ITEM = /^\s*([-*+•]|\d{1,3}[.)])\s+\S/;

/** The blocks of a Markdown text in order; they tile it, blank lines belonging to the block before. */
export function markdownBlocks(text: string): MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  let open: MarkdownBlock | undefined;
  let fence: string | undefined;
  let html = false;
  let afterBlank = true;

  const begin = (kind: MarkdownBlock['kind'], start: number, extra: Partial<MarkdownBlock> = {}) => {
    if (open) open.end = start;
    open = { kind, start, end: start, ...extra };
    blocks.push(open);
  };

  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const next = newline < 0 ? text.length : newline + 1;
    const line = text.slice(start, Math.min(newline < 0 ? text.length : newline, start + LINE_HEAD));
    const blank = line.trim() === '';
    const marks = FENCE.exec(line)?.[1];

    if (fence !== undefined) {
      if (marks?.startsWith(fence)) fence = undefined;
    } else if (html) {
      html = !text.slice(start, next).includes('</table>');
    } else if (blank) {
      // Stays with the block above.
    } else if (marks) {
      fence = marks;
      begin('code', start);
    } else if (/^\s*<table\b/i.test(line)) {
      begin('table', start);
      html = !text.slice(start, next).includes('</table>');
    } else {
      const heading = HEADING.exec(line);
      const following = text.slice(next, next + LINE_HEAD).split('\n', 1)[0] ?? '';
      if (heading) {
        begin('heading', start, { level: heading[1]!.length, title: heading[2]! });
      } else if (TABLE_ROW.test(line) || (line.includes('|') && TABLE_RULE.test(following))) {
        if (open?.kind !== 'table' || afterBlank) begin('table', start);
      } else if (LIST_ITEM.test(line)) {
        if (open?.kind !== 'list') begin('list', start);
      } else if (afterBlank || !open || open.kind === 'heading') {
        // An indented line after a blank one continues its list item.
        if (!(open?.kind === 'list' && /^\s{2,}\S/.test(line))) begin('text', start);
      } else if (open.kind === 'table' && !line.includes('|')) {
        begin('text', start);
      }
    }
    if (fence === undefined && marks && open?.kind === 'code') {
      open.end = next;
      afterBlank = true;
    } else {
      afterBlank = blank && fence === undefined && !html;
    }
    start = next;
  }
  if (open) (open as MarkdownBlock).end = text.length;
  const first = blocks[0];
  if (first) first.start = 0;
  return blocks;
}
