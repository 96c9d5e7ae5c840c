import type { Block, Box, Page } from '#src/documents/document.ts';
import { splitMarkdown } from '#src/documents/markdown/document-blocks.ts';
import { readMarkdown } from '#src/documents/markdown/read.ts';
import { placeBlocks } from '../place-blocks.ts';
import type { PlacedPart } from './insert-pictures.ts';

/**
 * Splits the Markdown of a page into blocks with boxes. The box of a known range is used unless the block's
 * words are printed elsewhere. Otherwise the box of the printed words or of the picture is used.
 */
export function placeMarkdown(markdown: string, page: Page, places: readonly PlacedPart[]): Block[] {
  const blocks = placeBlocks(splitMarkdown(markdown), page);
  const starts = [...readMarkdown(markdown, {})].map(({ start }) => start);
  return blocks.map((block, at) => {
    const box =
      findStatedBox(starts[at]!, places, block) ??
      block.box ??
      (block.type === 'figure' ? findFigureBox(block, page) : undefined);
    return box ? { ...block, box } : block;
  });
}

function findStatedBox(
  start: number,
  places: readonly PlacedPart[],
  { box: printed }: Block,
): Box | undefined {
  const stated = places.find((part) => part.start <= start && start < part.end)?.box;
  return stated && (!printed || overlap(stated, printed)) ? stated : undefined;
}

/** Finds a picture by the end of its link, because the address before the picture's name may vary. */
const findFigureBox = ({ markdown }: Block, { figures }: Page) =>
  figures.find(({ name }) => markdown.includes(`${name})`))?.box;

const overlap = (a: Box, b: Box) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
