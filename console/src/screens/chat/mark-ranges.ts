import type { Element, ElementContent, Root, RootContent, Text } from 'hast';

/** Range of characters in a text. `end` is exclusive. */
export interface TextRange {
  start: number;
  end: number;
}

/** Maximum number of characters of Markdown, such as those of an entity, between two characters of the shown text. */
const MAX_GAP = 40;

/**
 * Rehype plugin that puts the parts of the shown text that come from `ranges` of the Markdown into `mark` elements.
 * It uses the positions that the parser gives to texts. Texts of code have none, so those of their code are used.
 */
export const markRanges =
  ({ ranges, source }: { ranges: readonly TextRange[]; source: string }) =>
  (tree: Root) =>
    markChildren(tree, ranges, source);

function markChildren(
  parent: Root | Element,
  ranges: readonly TextRange[],
  source: string,
  around?: TextRange,
): void {
  parent.children = (parent.children as ElementContent[]).flatMap((child): ElementContent[] => {
    const range = readPosition(child) ?? around;
    if (!range) {
      if (child.type === 'element') markChildren(child, ranges, source);
      return [child];
    }
    if (!ranges.some(({ start, end }) => start < range.end && end > range.start)) return [child];
    if (child.type === 'element') {
      markChildren(child, ranges, source, child.tagName === 'code' ? range : undefined);
    }
    // HTML in Markdown is shown as text.
    const isText = child.type === 'text' || child.type === ('raw' as string);
    return isText ? splitText((child as Text).value, range, ranges, source) : [child];
  });
}

function readPosition({ position }: RootContent): TextRange | undefined {
  const [start, end] = [position?.start.offset, position?.end.offset];
  return start === undefined || end === undefined ? undefined : { start, end };
}

/** Splits a text into marked and other parts. */
function splitText(
  value: string,
  range: TextRange,
  ranges: readonly TextRange[],
  source: string,
): ElementContent[] {
  const parts: { text: string; isMarked: boolean }[] = [];
  let from = range.start;
  for (const letter of value) {
    // The Markdown of a text may have further characters, such as backslashes or the beginning of a quoted line.
    const gap = source.slice(from, Math.min(range.end, from + MAX_GAP)).indexOf(letter);
    const at = gap < 0 ? from : from + gap;
    const isMarked = ranges.some(({ start, end }) => start <= at && at < end);
    const last = parts.at(-1);
    if (last?.isMarked === isMarked) last.text += letter;
    else parts.push({ text: letter, isMarked });
    if (gap >= 0) from = at + letter.length;
  }
  return parts.map(({ text, isMarked }) => {
    const content: Text = { type: 'text', value: text };
    return isMarked ? { type: 'element', tagName: 'mark', properties: {}, children: [content] } : content;
  });
}
