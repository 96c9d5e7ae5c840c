import type { Rect } from './geometry.ts';
import { containsCenter } from './geometry.ts';
import type { PageScan } from './scan.ts';
import type { TextWord } from './text/words.ts';

/** Maximum number of words on a stamped scan. Stamps of courts and archives have one or two lines. */
const MAX_STAMP_WORDS = 30;
const MIN_COVERED_SHARE = 0.7;
const EDGE = 0.1;

/**
 * Returns whether the text of a page is contained in its pictures. Such a page has no words, or only words
 * stamped on a scan.
 */
export function hasTextOnlyInPictures(scan: PageScan, words: readonly TextWord[]): boolean {
  if (words.length === 0) return scan.images.length > 0 || scan.hasPaths;
  if (words.length > MAX_STAMP_WORDS) return false;
  const { width, height } = scan.frame;
  const pictures = scan.images.map(({ box }) => box);
  const area = ({ x0, y0, x1, y1 }: Rect) => (x1 - x0) * (y1 - y0);
  // Some scanners store a page as several strips, so their areas are added.
  const covered = pictures.reduce((sum, picture) => sum + area(picture), 0);
  if (covered < MIN_COVERED_SHARE * width * height) return false;
  const inner = {
    x0: EDGE * width,
    y0: EDGE * height,
    x1: (1 - EDGE) * width,
    y1: (1 - EDGE) * height,
  };
  // Invisible words are the result of an earlier OCR, so the page is not read again.
  return words.every(
    (word) =>
      !word.hidden &&
      !(containsCenter(inner, word) && pictures.some((picture) => containsCenter(picture, word))),
  );
}
