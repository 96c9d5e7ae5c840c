import type { Block, Link } from '#src/documents/document.ts';
import { readInlineInParts } from './inline.ts';
import { type Leaf, type MarkdownBlock, type References, readMarkdown } from './read.ts';
import { splitRowCells } from './table-rows.ts';

/**
 * Splits Markdown into blocks, each with its unchanged source text. Horizontal rules and link definitions get
 * an empty text.
 */
export function splitMarkdown(source: string): Block[] {
  return [...readDocumentBlocks(source)].flatMap((read) => read?.block ?? []);
}

export interface DocumentBlock {
  block: Block;
  links: Link[];
  /** Number of blank lines above this block. */
  blankLines: number;
}

/**
 * Yields the blocks of a Markdown text one by one, with their links and the number of blank lines above.
 * Yields `undefined` inside a long block, so that callers can pause.
 */
export function* readDocumentBlocks(source: string): Generator<DocumentBlock | undefined, void, undefined> {
  const references: References = {};
  // Links may refer to definitions further down, so the whole text is read before the first block is yielded.
  const blocks = [...readMarkdown(source, references)];
  let above = 0;
  for (const block of blocks) {
    const links: Link[] = [];
    const blankLines = countLines(source, above, block.start) - 1;
    above = block.end;
    const markdown = source.slice(block.start, block.end);
    yield { block: yield* toDocumentBlock(block, markdown, references, links), links, blankLines };
  }
}

function* toDocumentBlock(
  block: MarkdownBlock,
  markdown: string,
  references: References,
  links: Link[],
): PausingGenerator<Block> {
  const [first] = block.leaves;
  const read = function* (content: string) {
    const inline = yield* readInlineInParts(content, references);
    for (const link of inline.links) links.push(link);
    return inline;
  };
  switch (block.kind) {
    case 'heading': {
      const { text } = yield* read(first!.content);
      // A heading without text is treated as a paragraph.
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
        text: yield* readLeafText(first!, read),
        markdown: block.fenced ? closeFence(markdown, first!.content) : markdown,
      };
    case 'table':
      return { type: 'table', text: yield* readLeafText(first!, read), markdown };
    default: {
      const type = block.kind === 'list' ? 'list' : 'paragraph';
      return { type, text: yield* readNestedText(block.leaves, read), markdown };
    }
  }
}

function countLines(source: string, from: number, to: number): number {
  let lines = 0;
  for (let at = source.indexOf('\n', from); at !== -1 && at < to; at = source.indexOf('\n', at + 1)) lines++;
  return lines;
}

/**
 * Closes a code block that is still open at the end of a page. Otherwise the following pages would become
 * part of the code.
 */
function closeFence(markdown: string, content: string): string {
  const isOpen = countLines(markdown, 0, markdown.length) < 1 + countLines(content, 0, content.length);
  const fence = /^[ \t]*(`{3,}|~{3,})/.exec(markdown)?.[1] ?? '';
  return isOpen ? `${markdown}\n${fence}` : markdown;
}

/** Generator that computes a value. Each `yield` only gives the caller a chance to pause. */
type PausingGenerator<Value> = Generator<undefined, Value, undefined>;
type Read = (content: string) => PausingGenerator<{ text: string }>;

/**
 * Number of table rows or list items that are read between two pauses, which takes about ten milliseconds.
 */
const ITEMS_BETWEEN_YIELDS = 2_000;

function* readLeafText({ kind, content }: Leaf, read: Read): PausingGenerator<string> {
  switch (kind) {
    case 'code':
      return content.replace(/\n$/, '');
    case 'rule':
      return '';
    case 'html':
      return /^\s*<(?:script|style)\b/i.test(content) ? '' : nonBlankLines((yield* read(content)).text);
    case 'table':
      return yield* readTableText(content, read);
    default:
      return (yield* read(content)).text;
  }
}

function* readTableText(content: string, read: Read): PausingGenerator<string> {
  const rows: string[] = [];
  for (const [at, row] of content.split('\n').entries()) {
    if (at === 1) continue;
    const cells: string[] = [];
    for (const cell of splitRowCells(row)) cells.push((yield* read(cell)).text);
    rows.push(cells.join('\t'));
    if (rows.length % ITEMS_BETWEEN_YIELDS === 0) yield;
  }
  return rows.join('\n');
}

const nonBlankLines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');

/**
 * Returns the text of a list or quote. Item numbers are kept, bullets are removed, and nested lists are
 * indented.
 */
function* readNestedText(leaves: Leaf[], read: Read): PausingGenerator<string> {
  const texts: string[] = [];
  for (const [at, leaf] of leaves.entries()) {
    if ((at + 1) % ITEMS_BETWEEN_YIELDS === 0) yield;
    const indent = '  '.repeat(
      Math.max(0, leaf.containers.filter((container) => container === 'list').length - 1),
    );
    const number = leaf.marker !== undefined && /^\d/.test(leaf.marker) ? `${leaf.marker} ` : '';
    const text = yield* readLeafText(leaf, read);
    if (number + text !== '') texts.push(indent + number + text.replaceAll('\n', `\n${indent}`));
  }
  return texts.join('\n').trim();
}
