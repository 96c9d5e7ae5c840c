import type { Box, Page } from '#src/documents/document.ts';
import { splitMarkdown } from '#src/documents/markdown/document-blocks.ts';
import { readMarkdown } from '#src/documents/markdown/read.ts';
import { placeBlocks } from '../place-blocks.ts';
import type { PictureText } from './read-pictures.ts';

/**
 * A range of a page's Markdown and its box on the page. Offsets are in UTF-16 code units, and `end` is
 * exclusive.
 */
export interface PlacedPart {
  start: number;
  end: number;
  box?: Box;
}

export interface PicturePart extends PlacedPart {
  kind: PictureText['kind'];
}

export interface MarkdownWithPictures {
  markdown: string;
  parts: PicturePart[];
  /** Parts of the page with known boxes. Their ranges are shifted by the lengths of the inserted texts. */
  places: PlacedPart[];
}

interface Insertion {
  /**
   * Start of the range of the original Markdown that is replaced by the picture's text. If `from` equals
   * `to`, the text is only inserted.
   */
  from: number;
  to: number;
  read: PictureText;
}

/**
 * Inserts texts that a model read from pictures into the Markdown of the page. A text is inserted at the link
 * of its picture. Without a link, the text follows the content that is printed above the picture.
 */
export function insertPictures(
  markdown: string,
  page: Page,
  pictures: readonly PictureText[],
  places: readonly PlacedPart[] = [],
): MarkdownWithPictures {
  if (pictures.length === 0) return { markdown, parts: [], places: [...places] };
  const blocks = listPlacedBlocks(markdown, page);
  const insertions = pictures
    .map((read): Insertion => {
      const own = blocks.find(({ source }) => read.part.link && source.includes(`](${read.part.link})`));
      if (own && read.kind === 'description' && own.isFigure) return { from: own.start, to: own.end, read };
      const at = own ? own.end : findInsertionOffset(read.part.box, blocks);
      return { from: at, to: at, read };
    })
    .sort((a, b) => a.from - b.from);
  const written: MarkdownWithPictures = { markdown: '', parts: [], places: [] };
  const shifts: { from: number; by: number }[] = [];
  let at = 0;
  for (const { from, to, read } of insertions) {
    written.markdown += markdown.slice(at, from);
    at = Math.max(at, to);
    if (from === to && written.markdown !== '') written.markdown += '\n\n';
    const start = written.markdown.length;
    written.markdown += read.markdown;
    const { box } = read.part;
    written.parts.push({ start, end: written.markdown.length, kind: read.kind, ...(box && { box }) });
    if (from === to && written.markdown !== '' && at === 0 && markdown !== '') written.markdown += '\n\n';
    shifts.push({ from: at, by: written.markdown.length - at });
  }
  written.markdown += markdown.slice(at);
  written.places = places.map(({ start, end, box }) => {
    const by = shifts.findLast(({ from }) => from <= start)?.by ?? 0;
    return { start: start + by, end: end + by, ...(box && { box }) };
  });
  return written;
}

interface PlacedBlock extends PlacedPart {
  source: string;
  isFigure: boolean;
}

function listPlacedBlocks(markdown: string, page: Page): PlacedBlock[] {
  const placed = placeBlocks(splitMarkdown(markdown), page);
  return [...readMarkdown(markdown, {})].map(({ start, end }, at) => ({
    ...{ start, end, source: markdown.slice(start, end) },
    isFigure: placed[at]?.type === 'figure',
    ...(placed[at]?.box && { box: placed[at].box }),
  }));
}

/**
 * Returns the offset in the Markdown after the last block above the picture in the same column. Returns the
 * end of the Markdown if the picture has no box.
 */
function findInsertionOffset(box: Box | undefined, blocks: readonly PlacedBlock[]): number {
  if (!box) return blocks.at(-1)?.end ?? 0;
  let at = 0;
  for (const { box: own, end } of blocks) {
    if (!own) continue;
    const sharesColumn = Math.min(own.x + own.w, box.x + box.w) > Math.max(own.x, box.x);
    if (sharesColumn && own.y + own.h / 2 < box.y + box.h / 2) at = end;
  }
  return at;
}
