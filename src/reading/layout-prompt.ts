import type { Box, Page } from '#src/documents/document.ts';
import type { PlacedPart } from './pictures/insert-pictures.ts';

const MAX_LISTED_BLOCKS = 300;
const MAX_PREVIEW_CHARACTERS = 60;

/**
 * Matches the HTML comment that the model writes above each block. The comment contains the number of the
 * block in the parser's layout.
 */
const BLOCK_MARK = /^[ \t]*<!-- *block +(\d{1,4}) *-->[ \t]*\n?/gm;

export const LAYOUT_RULE =
  'The layout of the page lists its blocks in reading order: number, kind, box (left, top, right, bottom, in ' +
  'thousandths of the picture), first words. Follow it: keep its order and its kinds where the page does not show ' +
  'otherwise, and write <!-- block 3 --> alone on a line above what stands in block 3, and so for each block.';

/**
 * Describes the parser's layout for the prompt, with one block per line. Boxes are relative to `visibleArea`,
 * the part of the page that the picture shows.
 */
export function describeLayout(
  { blocks, width, height }: Page,
  visibleArea: Box = { x: 0, y: 0, w: width, h: height },
): string {
  const share = (value: number, from: number, size: number) =>
    Math.min(1000, Math.max(0, Math.round((1000 * (value - from)) / size)));
  const lines = blocks.slice(0, MAX_LISTED_BLOCKS).map(({ type, text, box }, at) => {
    const edges = box && [
      share(box.x, visibleArea.x, visibleArea.w),
      share(box.y, visibleArea.y, visibleArea.h),
      share(box.x + box.w, visibleArea.x, visibleArea.w),
      share(box.y + box.h, visibleArea.y, visibleArea.h),
    ];
    const words = text.replace(/\s+/g, ' ').slice(0, MAX_PREVIEW_CHARACTERS);
    return [at + 1, type, edges ? `[${edges.join(', ')}]` : '', words]
      .filter((part) => part !== '')
      .join(' ');
  });
  return lines.join('\n');
}

/**
 * Removes the comments with block numbers from a model's answer. Returns the Markdown and, for each block
 * with a box, the range of its text in the Markdown.
 */
export function extractBlockMarks(
  answer: string,
  { blocks }: Page,
): { markdown: string; places: PlacedPart[] } {
  const places: PlacedPart[] = [];
  let markdown = '';
  let at = 0;
  const end = () => {
    const last = places.at(-1);
    if (last) last.end = markdown.length;
  };
  for (const mark of answer.matchAll(BLOCK_MARK)) {
    markdown += answer.slice(at, mark.index);
    at = mark.index + mark[0].length;
    end();
    const box = blocks[Number(mark[1]) - 1]?.box;
    places.push({ start: markdown.length, end: markdown.length, ...(box && { box }) });
  }
  markdown += answer.slice(at);
  end();
  const from = markdown.length - markdown.trimStart().length;
  return {
    markdown: markdown.trim(),
    places: places.flatMap(({ start, end: last, box }) =>
      box ? [{ start: Math.max(0, start - from), end: last - from, box }] : [],
    ),
  };
}
