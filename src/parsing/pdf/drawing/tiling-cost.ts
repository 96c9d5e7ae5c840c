/** Bytes of a dictionary on either side of the entry that makes it a tiling pattern. */
const REACH = 4_096;
const PIECE = 1024 * 1024;
const IS_TILING = /\/PatternType\s+1(?!\d)/g;
const NUMBER = '([+-]?[\\d.]+)';
/** Work that a cell costs beside its pixels, counted in pixels. */
const PIXELS_A_CELL = 20;

/** A tiling pattern: the sides of its cells and steps, in points of the page. */
export interface Tiling {
  stepArea: number;
  boxArea: number;
}

/**
 * Finds the tiling patterns of a file. They are streams, whose dictionaries stand in the file as they are: neither
 * compression nor encryption hides their numbers.
 */
export function findTilings(bytes: Uint8Array): Tiling[] {
  const found: Tiling[] = [];
  const decoder = new TextDecoder('latin1');
  for (let from = 0; from < bytes.length; from += PIECE) {
    const start = Math.max(0, from - REACH);
    const text = decoder.decode(bytes.subarray(start, from + PIECE + REACH));
    for (const { index } of text.matchAll(IS_TILING)) {
      // What begins in a neighbouring piece is found there.
      if (start + index < from || start + index >= from + PIECE) continue;
      const tiling = readTiling(dictionaryAround(text, index));
      if (tiling) found.push(tiling);
    }
  }
  return found;
}

function dictionaryAround(text: string, index: number): string {
  const begin = Math.max(text.lastIndexOf('obj', index), index - REACH, 0);
  const end = text.indexOf('stream', index);
  return text.slice(begin, end < 0 ? index + REACH : Math.min(end, index + REACH));
}

/** Undefined for a dictionary whose numbers stand elsewhere. */
function readTiling(dictionary: string): Tiling | undefined {
  const numberOf = (name: string) => Number(new RegExp(`/${name}\\s*${NUMBER}`).exec(dictionary)?.[1]);
  const listOf = (name: string, count: number) =>
    new RegExp(`/${name}\\s*\\[\\s*${new Array(count).fill(NUMBER).join('\\s+')}`)
      .exec(dictionary)
      ?.slice(1)
      .map(Number);
  const [a = 1, b = 0, c = 0, d = 1] = listOf('Matrix', 4) ?? [];
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = listOf('BBox', 4) ?? [];
  const stretch = Math.abs(a * d - b * c);
  const stepArea = Math.abs(numberOf('XStep') * numberOf('YStep')) * stretch;
  // PDFium draws nothing for a pattern without steps.
  if (!(stepArea > 0)) return undefined;
  return { stepArea, boxArea: Math.abs((x1 - x0) * (y1 - y0)) * stretch };
}

/**
 * Returns the work to cover a page with a pattern, in pixels: each cell is copied onto the page, and cells may be far
 * larger than the steps between them.
 */
export function countTilingPixels(
  { stepArea, boxArea }: Tiling,
  page: { width: number; height: number },
  pixelsPerPoint: number,
): number {
  const pageArea = page.width * page.height;
  const cells = pageArea / stepArea;
  const pixels = Math.min(boxArea, pageArea) * pixelsPerPoint ** 2;
  return cells * (PIXELS_A_CELL + pixels);
}
