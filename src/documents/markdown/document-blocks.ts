import type { Block, Link } from '#src/documents/document.ts';
import { readingInline } from './inline.ts';
import { type Leaf, type MarkdownBlock, type References, readMarkdown } from './read.ts';
import { rowCells } from './table-rows.ts';

/** Splits Markdown into blocks with their unchanged source. Rules and link definitions have no text. */
export function splitMarkdown(source: string): Block[] {
  return [...documentBlocks(source)].flatMap((read) => read?.block ?? []);
}

export interface DocumentBlock {
  block: Block;
  links: Link[];
  /** Number of blank lines above this block. */
  blankLines: number;
}

/**
 * Yields the blocks with their links and the number of blank lines above them, one by one. Yields undefined
 * within a long block, so that callers can pause.
 */
export function* documentBlocks(source: string): Generator<DocumentBlock | undefined, void, undefined> {
  const references: References = {};
  // Link targets may be defined below a link, so everything is read first.
  const blocks = [...readMarkdown(source, references)];
  let above = 0;
  for (const block of blocks) {
    const links: Link[] = [];
    const blankLines = countLines(source, above, block.start) - 1;
    above = block.end;
    const markdown = source.slice(block.start, block.end);
    yield { block: yield* documentBlock(block, markdown, references, links), links, blankLines };
  }
}

function* documentBlock(
  block: MarkdownBlock,
  markdown: string,
  references: References,
  links: Link[],
): Pausing<Block> {
  const [first] = block.leaves;
  const read = function* (content: string) {
    const inline = yield* readingInline(content, references);
    for (const link of inline.links) links.push(link);
    return inline;
  };
  switch (block.kind) {
    case 'heading': {
      const { text } = yield* read(first!.content);
      // An empty heading becomes a paragraph.
      if (text === '') return { type: 'paragraph', text, markdown };
      return { type: 'heading', text: text.replace(/\s+/g, ' '), markdown, level: first!.level! };
    }
    case 'paragraph': {
      const { text, isPicture } = yield* read(first!.content);
      return { type: isPicture ? 'figure' : 'paragraph', text, markdown };
    }
    case 'code':
      return {
        type: 'code',
        text: yield* leafText(first!, read),
        markdown: block.fenced ? closed(markdown, first!.content) : markdown,
      };
    case 'table':
      return { type: 'table', text: yield* leafText(first!, read), markdown };
    default: {
      const type = block.kind === 'list' ? 'list' : 'paragraph';
      return { type, text: yield* nestedText(block.leaves, read), markdown };
    }
  }
}

function countLines(source: string, from: number, to: number): number {
  let lines = 0;
  for (let at = source.indexOf('\n', from); at !== -1 && at < to; at = source.indexOf('\n', at + 1)) lines++;
  return lines;
}

/** Closes a code block that its page leaves open, so that it does not absorb other pages. */
function closed(markdown: string, content: string): string {
  const isOpen = countLines(markdown, 0, markdown.length) < 1 + countLines(content, 0, content.length);
  const fence = /^[ \t]*(`{3,}|~{3,})/.exec(markdown)?.[1] ?? '';
  return isOpen ? `${markdown}\n${fence}` : markdown;
}

/** Generator that returns its value and yields only to pause. */
type Pausing<Value> = Generator<undefined, Value, undefined>;
type Read = (content: string) => Pausing<{ text: string }>;

/** Table rows or list items that are read without a pause, which takes about ten milliseconds. */
const AT_A_STRETCH = 2_000;

function* leafText({ kind, content }: Leaf, read: Read): Pausing<string> {
  switch (kind) {
    case 'code':
      return content.replace(/\n$/, '');
    case 'rule':
      return '';
    case 'html':
      return /^\s*<(?:script|style)\b/i.test(content) ? '' : nonBlankLines((yield* read(content)).text);
    case 'table':
      return yield* tableText(content, read);
    default:
      return (yield* read(content)).text;
  }
}

function* tableText(content: string, read: Read): Pausing<string> {
  const rows: string[] = [];
  for (const [at, row] of content.split('\n').entries()) {
    if (at === 1) continue;
    const cells: string[] = [];
    for (const cell of rowCells(row)) cells.push((yield* read(cell)).text);
    rows.push(cells.join('\t'));
    if (rows.length % AT_A_STRETCH === 0) yield;
  }
  return rows.join('\n');
}

const nonBlankLines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');

/** Numbers stay and bullets are dropped. Nested lists are indented. */
function* nestedText(leaves: Leaf[], read: Read): Pausing<string> {
  const texts: string[] = [];
  for (const [at, leaf] of leaves.entries()) {
    if ((at + 1) % AT_A_STRETCH === 0) yield;
    const indent = '  '.repeat(
      Math.max(0, leaf.inside.filter((container) => container === 'list').length - 1),
    );
    const number = leaf.marker !== undefined && /^\d/.test(leaf.marker) ? `${leaf.marker} ` : '';
    const text = yield* leafText(leaf, read);
    if (number + text !== '') texts.push(indent + number + text.replaceAll('\n', `\n${indent}`));
  }
  return texts.join('\n').trim();
}
