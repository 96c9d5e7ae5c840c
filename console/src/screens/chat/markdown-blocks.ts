/** First line of a block that refers to text elsewhere, such as a link definition or a footnote. */
const DEFINITION = /^ {0,3}\[[^\]\n]+\]:/m;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const LIST_ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;

/**
 * Splits Markdown into its top-level blocks, so that each can be parsed on its own. Appending text changes only
 * the last block. A text with definitions of links or footnotes stays one block, because any other block may
 * refer to them.
 */
export function splitIntoBlocks(text: string): string[] {
  if (DEFINITION.test(text)) return [text];
  const blocks: string[] = [];
  let lines: string[] = [];
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
      blocks.push(lines.join('\n'));
      lines = [];
      isList = false;
    }
    if (lines.length === 0) isList = isItem;
    if (marker !== undefined) {
      if (fence === undefined) fence = marker;
      else if (marker.startsWith(fence) && line.trim() === marker) fence = undefined;
    }
    lines.push(line);
    isAfterBlank = line.trim() === '';
  }
  if (lines.join('').trim() !== '' || blocks.length === 0) blocks.push(lines.join('\n'));
  return blocks;
}
