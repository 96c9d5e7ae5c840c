import { MAX_BLOCK_CHARACTERS, type MarkdownBlock, splitLargeBlock } from './large-blocks.ts';

/** First line of a block that refers to text elsewhere, such as a link definition or a footnote. */
const DEFINITION = /^ {0,3}\[[^\]\n]+\]:/m;
const LEADING_DEFINITION = /^ {0,3}(?=\[[^\]\n]+\]:)/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const LIST_ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;

/**
 * Splits Markdown into its top-level blocks, and large blocks into parts, so that each can be parsed on its own.
 * Appending text changes only the last block. A short text with definitions of links or footnotes stays one block,
 * because any other block may refer to them. In a longer text, definitions are shown as they are written.
 */
export function splitIntoBlocks(text: string): MarkdownBlock[] {
  if (text.length <= MAX_BLOCK_CHARACTERS && DEFINITION.test(text)) return [{ text, start: 0, prefix: 0 }];
  return listTopLevelBlocks(text).flatMap(([start, block]) =>
    block.length > MAX_BLOCK_CHARACTERS ? splitLargeBlock(block, start) : [escapeDefinition(block, start)],
  );
}

/** Escapes a definition at the beginning of a block, which would otherwise not be shown. */
function escapeDefinition(block: string, start: number): MarkdownBlock {
  const indent = LEADING_DEFINITION.exec(block)?.[0].length;
  if (indent === undefined) return { text: block, start, prefix: 0 };
  return { text: `\\${block.slice(indent)}`, start: start + indent, prefix: 1 };
}

/** Returns the offset and the text of each top-level block. */
function listTopLevelBlocks(text: string): [number, string][] {
  const blocks: [number, string][] = [];
  let start = 0;
  let at = 0;
  let fence: string | undefined;
  let isList = false;
  let isAfterBlank = false;
  for (const line of text.split('\n')) {
    const marker = FENCE.exec(line)?.[1];
    const isIndented = /^\s/.test(line);
    const isItem = LIST_ITEM.test(line);
    // A list goes on after an empty line, with another item or with an indented paragraph of the last item.
    const continuesList = isList && (isItem || isIndented);
    if (isAfterBlank && fence === undefined && line.trim() !== '' && !isIndented && !continuesList) {
      blocks.push([start, text.slice(start, at - 1)]);
      start = at;
      isList = false;
    }
    if (start === at) isList = isItem;
    if (marker !== undefined) {
      if (fence === undefined) fence = marker;
      else if (marker.startsWith(fence) && line.trim() === marker) fence = undefined;
    }
    at += line.length + 1;
    isAfterBlank = line.trim() === '';
  }
  const rest = text.slice(start);
  if (rest.trim() !== '' || blocks.length === 0) blocks.push([start, rest]);
  return blocks;
}
