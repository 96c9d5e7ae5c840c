import type { Block, Box, Page } from '#src/documents/document.ts';
import { splitMarkdown } from '#src/documents/markdown/document-blocks.ts';
import { readMarkdown } from '#src/documents/markdown/read.ts';
import { placeBlocks } from '../place-blocks.ts';
import type { PlacedPart } from './write-pictures.ts';

/**
 * Returns the blocks of the Markdown with boxes: the stated position, unless the block's words are printed
 * elsewhere; that of the image; or that of the block's words.
 */
export function placeOnPage(markdown: string, page: Page, places: readonly PlacedPart[]): Block[] {
  const blocks = placeBlocks(splitMarkdown(markdown), page);
  const starts = [...readMarkdown(markdown, {})].map(({ start }) => start);
  return blocks.map((block, at) => {
    const box =
      saidOf(starts[at]!, places, block) ??
      block.box ??
      (block.type === 'figure' ? imageOf(block, page) : undefined);
    return box ? { ...block, box } : block;
  });
}

function saidOf(start: number, places: readonly PlacedPart[], { box: printed }: Block): Box | undefined {
  const said = places.find((part) => part.start <= start && start < part.end)?.box;
  return said && (!printed || meet(said, printed)) ? said : undefined;
}

/** A link ends with the image's name, wherever the image is served. */
const imageOf = ({ markdown }: Block, { figures }: Page) =>
  figures.find(({ name }) => markdown.includes(`${name})`))?.box;

const meet = (a: Box, b: Box) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
