import type { Box, Page } from '#src/documents/document.ts';
import type { PlacedPart } from './pictures/write-pictures.ts';

/** Maximum number of blocks of a page that the prompt lists. */
const MOST = 300;
const FIRST_WORDS = 60;

/** Mark by which a model says which block of the layout follows. */
const MARK = /^[ \t]*<!-- *block +(\d{1,4}) *-->[ \t]*\n?/gm;

export const LAYOUT_RULE =
  'The layout of the page lists its blocks in reading order: number, kind, box (left, top, right, bottom, in ' +
  'thousandths of the picture), first words. Follow it: keep its order and its kinds where the page does not show ' +
  'otherwise, and write <!-- block 3 --> alone on a line above what stands in block 3, and so for each block.';

/**
 * Describes the blocks of the parser's layout for the prompt. `seen` is the part of the page in the model's
 * picture.
 */
export function layoutTold(
  { blocks, width, height }: Page,
  seen: Box = { x: 0, y: 0, w: width, h: height },
): string {
  const share = (value: number, from: number, size: number) =>
    Math.min(1000, Math.max(0, Math.round((1000 * (value - from)) / size)));
  const lines = blocks.slice(0, MOST).map(({ type, text, box }, at) => {
    const edges = box && [
      share(box.x, seen.x, seen.w),
      share(box.y, seen.y, seen.h),
      share(box.x + box.w, seen.x, seen.w),
      share(box.y + box.h, seen.y, seen.h),
    ];
    const words = text.replace(/\s+/g, ' ').slice(0, FIRST_WORDS);
    return [at + 1, type, edges ? `[${edges.join(', ')}]` : '', words]
      .filter((part) => part !== '')
      .join(' ');
  });
  return lines.join('\n');
}

/**
 * Removes the block marks from an answer. Returns the Markdown and the positions of the parts below each
 * mark.
 */
export function takeMarks(answer: string, { blocks }: Page): { markdown: string; places: PlacedPart[] } {
  const places: PlacedPart[] = [];
  let markdown = '';
  let at = 0;
  const end = () => {
    const last = places.at(-1);
    if (last) last.end = markdown.length;
  };
  for (const mark of answer.matchAll(MARK)) {
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
