import type { Rect } from './geometry.ts';
import { containsCenter } from './geometry.ts';
import type { PageScan } from './scan.ts';
import type { TextWord } from './text/words.ts';

/** Stamps of courts and archives are a line or two. */
const MOST_STAMPED = 30;
const LEAST_COVERED = 0.7;
const EDGE = 0.1;

/** Whether what the page says stands in its pictures: it has no words, or only those stamped on a scan. */
export function isUnread(scan: PageScan, words: readonly TextWord[]): boolean {
  if (words.length === 0) return scan.images.length > 0 || scan.hasPaths;
  if (words.length > MOST_STAMPED) return false;
  const { width, height } = scan.frame;
  const pictures = scan.images.map(({ box }) => box);
  const area = ({ x0, y0, x1, y1 }: Rect) => (x1 - x0) * (y1 - y0);
  // Some scanners store a page in strips.
  const covered = pictures.reduce((sum, picture) => sum + area(picture), 0);
  if (covered < LEAST_COVERED * width * height) return false;
  const inner = {
    x0: EDGE * width,
    y0: EDGE * height,
    x1: (1 - EDGE) * width,
    y1: (1 - EDGE) * height,
  };
  // Invisible words are what somebody has read in the picture already.
  return words.every(
    (word) =>
      !word.hidden &&
      !(containsCenter(inner, word) && pictures.some((picture) => containsCenter(picture, word))),
  );
}
