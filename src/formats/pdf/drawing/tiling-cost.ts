/** Number of bytes to search for the dictionary before and after the entry that marks a tiling pattern. */
const REACH = 4_096;
const PIECE = 1024 * 1024;
/** Maximum number of patterns that are inspected. */
const MAX_TILINGS = 5_000;
const IS_TILING = /\/PatternType\s+1(?!\d)/g;
const STEP_X = /\/XStep\s*([+-]?[\d.]+)/;
const STEP_Y = /\/YStep\s*([+-]?[\d.]+)/;
const BOX = /\/BBox\s*\[\s*([+-]?[\d.]+)\s+([+-]?[\d.]+)\s+([+-]?[\d.]+)\s+([+-]?[\d.]+)/;
const MATRIX = /\/Matrix\s*\[\s*([+-]?[\d.]+)\s+([+-]?[\d.]+)\s+([+-]?[\d.]+)\s+([+-]?[\d.]+)/;
/** Cost of each pattern cell in pixels, in addition to the pixels that it draws. */
const PIXELS_PER_CELL = 20;

/**
 * A tiling pattern. `stepArea` is the area of one step and `boxArea` the area of one cell, in square points.
 */
export interface Tiling {
  stepArea: number;
  boxArea: number;
}

/**
 * Finds the tiling patterns of a file. They are streams, and dictionaries of streams are neither compressed
 * nor encrypted.
 */
export function findTilings(bytes: Uint8Array): Tiling[] {
  const found: Tiling[] = [];
  const decoder = new TextDecoder('latin1');
  let seen = 0;
  for (let from = 0; from < bytes.length; from += PIECE) {
    const start = Math.max(0, from - REACH);
    const text = decoder.decode(bytes.subarray(start, from + PIECE + REACH));
    for (const { index } of text.matchAll(IS_TILING)) {
      // Entries in a neighboring piece are found when that piece is searched.
      if (start + index < from || start + index >= from + PIECE) continue;
      if (++seen > MAX_TILINGS) return found;
      const tiling = readTiling(dictionaryAround(text, index));
      if (tiling) found.push(tiling);
    }
  }
  return found;
}

/** Returns the part of a dictionary near one of its entries. */
function dictionaryAround(text: string, index: number): string {
  const before = text.slice(Math.max(0, index - REACH), index);
  const after = text.slice(index, index + REACH);
  const end = after.indexOf('stream');
  return before.slice(before.lastIndexOf('obj') + 1) + (end < 0 ? after : after.slice(0, end));
}

/** Reads a tiling pattern. Returns `undefined` if its numbers are stored in other objects. */
function readTiling(dictionary: string): Tiling | undefined {
  const readNumbers = (pattern: RegExp) => pattern.exec(dictionary)?.slice(1).map(Number) ?? [];
  const [stepX = 0] = readNumbers(STEP_X);
  const [stepY = 0] = readNumbers(STEP_Y);
  const [a = 1, b = 0, c = 0, d = 1] = readNumbers(MATRIX);
  const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = readNumbers(BOX);
  const stretch = Math.abs(a * d - b * c);
  const stepArea = Math.abs(stepX * stepY) * stretch;
  // PDFium draws nothing for a pattern without steps.
  if (!(stepArea > 0)) return undefined;
  return { stepArea, boxArea: Math.abs((x1 - x0) * (y1 - y0)) * stretch };
}

/**
 * Returns the cost of covering a page with a pattern, in pixels. Each cell is copied to the page, and a cell
 * may be much larger than its step.
 */
export function countTilingPixels(
  { stepArea, boxArea }: Tiling,
  page: { width: number; height: number },
  pixelsPerPoint: number,
): number {
  const pageArea = page.width * page.height;
  const cells = pageArea / stepArea;
  const pixels = Math.min(boxArea, pageArea) * pixelsPerPoint ** 2;
  return cells * (PIXELS_PER_CELL + pixels);
}
