import type { Block, Link } from '#src/parsing/document.ts';
import { readInline } from './inline.ts';
import { type Leaf, type MarkdownBlock, type References, readMarkdown } from './read.ts';
import { rowCells } from './table-rows.ts';

/** The blocks of a Markdown text, each with its source unchanged. Rules and definitions have no text of their own. */
export function splitMarkdown(source: string): Block[] {
  return [...documentBlocks(source)].map(({ block }) => block);
}

export interface DocumentBlock {
  block: Block;
  links: Link[];
  /** Between the block above and this one. */
  blankLines: number;
}

/** The same with what else a document wants to know, one by one: a caller may pause between two. */
export function* documentBlocks(source: string): Generator<DocumentBlock, void, undefined> {
  const references: References = {};
  // A link's target may be defined below it.
  const blocks = [...readMarkdown(source, references)];
  let above = 0;
  for (const block of blocks) {
    const links: Link[] = [];
    const blankLines = countLines(source, above, block.start) - 1;
    above = block.end;
    yield {
      block: documentBlock(block, source.slice(block.start, block.end), references, links),
      links,
      blankLines,
    };
  }
}

function documentBlock(block: MarkdownBlock, markdown: string, references: References, links: Link[]): Block {
  const [first] = block.leaves;
  const read = (content: string) => {
    const inline = readInline(content, references);
    for (const link of inline.links) links.push(link);
    return inline;
  };
  switch (block.kind) {
    case 'heading': {
      const { text } = read(first!.content);
      // A heading that says nothing heads nothing.
      if (text === '') return { type: 'paragraph', text, markdown };
      return { type: 'heading', text: text.replace(/\s+/g, ' '), markdown, level: first!.level! };
    }
    case 'paragraph': {
      const { text, isPicture } = read(first!.content);
      return { type: isPicture ? 'figure' : 'paragraph', text, markdown };
    }
    case 'code':
      return {
        type: 'code',
        text: leafText(first!, read),
        markdown: block.fenced ? closed(markdown, first!.content) : markdown,
      };
    case 'table':
      return { type: 'table', text: leafText(first!, read), markdown };
    default: {
      const type = block.kind === 'list' ? 'list' : 'paragraph';
      return { type, text: nestedText(block.leaves, read), markdown };
    }
  }
}

function countLines(source: string, from: number, to: number): number {
  let lines = 0;
  for (let at = source.indexOf('\n', from); at !== -1 && at < to; at = source.indexOf('\n', at + 1)) lines++;
  return lines;
}

/** Code that nothing closes ends with its page, and takes no other into itself. */
function closed(markdown: string, content: string): string {
  const isOpen = countLines(markdown, 0, markdown.length) < 1 + countLines(content, 0, content.length);
  const fence = /^[ \t]*(`{3,}|~{3,})/.exec(markdown)?.[1] ?? '';
  return isOpen ? `${markdown}\n${fence}` : markdown;
}

type Read = (content: string) => { text: string };

function leafText({ kind, content }: Leaf, read: Read): string {
  switch (kind) {
    case 'code':
      return content.replace(/\n$/, '');
    case 'rule':
      return '';
    case 'html':
      return /^\s*<(?:script|style)\b/i.test(content) ? '' : nonBlankLines(read(content).text);
    case 'table':
      return content
        .split('\n')
        .filter((_, row) => row !== 1)
        .map((row) =>
          rowCells(row)
            .map((cell) => read(cell).text)
            .join('\t'),
        )
        .join('\n');
    default:
      return read(content).text;
  }
}

const nonBlankLines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');

/** Numbers stay, bullets go; each list inside another is indented. */
function nestedText(leaves: Leaf[], read: Read): string {
  const texts: string[] = [];
  for (const leaf of leaves) {
    const indent = '  '.repeat(
      Math.max(0, leaf.inside.filter((container) => container === 'list').length - 1),
    );
    const number = leaf.marker !== undefined && /^\d/.test(leaf.marker) ? `${leaf.marker} ` : '';
    const text = leafText(leaf, read);
    if (number + text !== '') texts.push(indent + number + text.replaceAll('\n', `\n${indent}`));
  }
  return texts.join('\n').trim();
}
