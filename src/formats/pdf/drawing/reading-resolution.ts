import type { GrayPicture } from '#src/images/ink-shapes.ts';
import type { ImageObject } from '../engine/objects.ts';
import type { PageFrame, Rect } from '../geometry.ts';
import { measureTextHeight } from './text-height.ts';

/**
 * Resolution in dots per inch of the sample picture in which letter heights are measured. MAX_PROBE_PIXELS is
 * its maximum number of pixels.
 */
const PROBE_DPI = 150;
const MAX_PROBE_PIXELS = 2_500_000;
/** Desired x-height of letters in pixels, for usual text and for small print. */
const LETTER_HEIGHT = { usual: 14, fine: 20 };
/** Share of letters that may be smaller than the measured height. A footnote is a small part of its page. */
const SMALLER_SHARE = { usual: 0.2, fine: 0.05 };
/** Minimum and maximum resolution in dots per inch, for usual text and for small print. */
const MIN_DPI = { usual: 200, fine: 300 };
const MAX_DPI = { usual: 400, fine: 600 };
/** Minimum share of the page that a picture must cover to count as a scan. */
const SCAN_SHARE = 0.3;
/** Maximum ratio of the drawing resolution to the resolution of a scan, which contains no further detail. */
const MAX_ENLARGEMENT = 2;

interface DrawablePage {
  frame: PageFrame;
  images: readonly ImageObject[];
  /** Draws the whole page in gray with this many pixels per point. */
  drawAt(scale: number): GrayPicture;
}

/**
 * Chooses the resolution for OCR in dots per inch. It is derived from the heights of letters in a small
 * picture of the page. Rethrows errors of drawing.
 */
export function chooseReadingDpi({ frame, images, drawAt }: DrawablePage, fine: boolean): number {
  const kind = fine ? 'fine' : 'usual';
  const scale = Math.min(PROBE_DPI / 72, Math.sqrt(MAX_PROBE_PIXELS / (frame.width * frame.height)));
  const measured = measureTextHeight(drawAt(scale), SMALLER_SHARE[kind]);
  const wanted = measured === undefined ? MIN_DPI[kind] : (72 * scale * LETTER_HEIGHT[kind]) / measured;
  const most = Math.min(MAX_DPI[kind], MAX_ENLARGEMENT * findScanDpi(images, frame));
  return Math.min(Math.max(MIN_DPI[kind], wanted), Math.max(MIN_DPI.usual, most));
}

/**
 * Returns the highest resolution among pictures that cover a large part of the page, or Infinity if there are
 * none.
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
