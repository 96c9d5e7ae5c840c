import type { ImageObject } from '../engine/objects.ts';
import type { PageFrame, Rect } from '../geometry.ts';
import { type GrayPicture, measureTextHeight } from './text-height.ts';

/**
 * Resolution in dots per inch, and maximum number of pixels, of the picture in which letter heights are
 * measured.
 */
const PROBE_DPI = 150;
const MOST_PROBED = 2_500_000;
/** Desired x-height of letters in pixels, for usual and for small print. */
const LETTER_HEIGHT = { usual: 14, fine: 20 };
/** Share of letters that may be smaller. A footnote is a small part of its page. */
const SMALLER_SHARE = { usual: 0.2, fine: 0.05 };
/** Minimum and maximum resolution in dots per inch, for usual and for small print. */
const LEAST = { usual: 200, fine: 300 };
const MOST = { usual: 400, fine: 600 };
/** Minimum share of the page for a picture to count as its scan. */
const SCAN_SHARE = 0.3;
/** Maximum ratio of the drawing resolution to that of a scan, because a scan contains no further detail. */
const MOST_ENLARGED = 2;

interface DrawablePage {
  frame: PageFrame;
  images: readonly ImageObject[];
  /** Draws the whole page in gray with this many pixels per point. */
  drawAt(scale: number): GrayPicture;
}

/**
 * Chooses the resolution for reading a page, in dots per inch, from the heights of letters in a small picture
 * of the page. Rethrows errors of drawing.
 */
export function chooseReadingDpi({ frame, images, drawAt }: DrawablePage, fine: boolean): number {
  const kind = fine ? 'fine' : 'usual';
  const scale = Math.min(PROBE_DPI / 72, Math.sqrt(MOST_PROBED / (frame.width * frame.height)));
  const measured = measureTextHeight(drawAt(scale), SMALLER_SHARE[kind]);
  const wanted = measured === undefined ? LEAST[kind] : (72 * scale * LETTER_HEIGHT[kind]) / measured;
  const most = Math.min(MOST[kind], MOST_ENLARGED * findScanDpi(images, frame));
  return Math.min(Math.max(LEAST[kind], wanted), Math.max(LEAST.usual, most));
}

/**
 * Returns the resolution of the finest picture that covers a large part of the page; Infinity without one.
 */
function findScanDpi(images: readonly ImageObject[], frame: PageFrame): number {
  const area = ({ x0, y0, x1, y1 }: Rect) => (x1 - x0) * (y1 - y0);
  let finest = 0;
  for (const { box, width, height } of images) {
    if (area(box) < SCAN_SHARE * frame.width * frame.height) continue;
    finest = Math.max(finest, 72 * Math.sqrt((width * height) / area(box)));
  }
  return finest === 0 ? Number.POSITIVE_INFINITY : finest;
}
