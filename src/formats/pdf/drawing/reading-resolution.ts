import type { ImageObject } from '../engine/objects.ts';
import type { PageFrame, Rect } from '../geometry.ts';
import { type GrayPicture, measureTextHeight } from './text-height.ts';

/** Dots an inch of the picture that the height of letters is measured in, and its pixels at most. */
const PROBE_DPI = 150;
const MOST_PROBED = 2_500_000;
/** Height in pixels that letters without ascenders should have: usually, and where small print is to be read. */
const LETTER_HEIGHT = { usual: 14, fine: 20 };
/** Share of the letters that may be smaller: a footnote is a small part of its page. */
const SMALLER_SHARE = { usual: 0.2, fine: 0.05 };
/** Dots an inch: usual print is read at least so, and small print at most so. */
const LEAST = { usual: 200, fine: 300 };
const MOST = { usual: 400, fine: 600 };
/** Share of the page that a picture covers at least to be a scan of the page. */
const SCAN_SHARE = 0.3;
/** A scan has no more to show at a higher resolution than so many times its own. */
const MOST_ENLARGED = 2;

interface DrawablePage {
  frame: PageFrame;
  images: readonly ImageObject[];
  /** Draws the whole page in gray at this many pixels per point. */
  drawAt(scale: number): GrayPicture;
}

/**
 * Chooses the resolution at which a page is drawn to be read, in dots an inch, from the height of its letters: they are
 * measured in a small picture of the page. Throws what drawing throws.
 */
export function chooseReadingDpi({ frame, images, drawAt }: DrawablePage, fine: boolean): number {
  const kind = fine ? 'fine' : 'usual';
  const scale = Math.min(PROBE_DPI / 72, Math.sqrt(MOST_PROBED / (frame.width * frame.height)));
  const measured = measureTextHeight(drawAt(scale), SMALLER_SHARE[kind]);
  const wanted = measured === undefined ? LEAST[kind] : (72 * scale * LETTER_HEIGHT[kind]) / measured;
  const most = Math.min(MOST[kind], MOST_ENLARGED * findScanDpi(images, frame));
  return Math.min(Math.max(LEAST[kind], wanted), Math.max(LEAST.usual, most));
}

/** Resolution of the finest picture that covers a large part of the page; infinite without such a picture. */
function findScanDpi(images: readonly ImageObject[], frame: PageFrame): number {
  const area = ({ x0, y0, x1, y1 }: Rect) => (x1 - x0) * (y1 - y0);
  let finest = 0;
  for (const { box, width, height } of images) {
    if (area(box) < SCAN_SHARE * frame.width * frame.height) continue;
    finest = Math.max(finest, 72 * Math.sqrt((width * height) / area(box)));
  }
  return finest === 0 ? Number.POSITIVE_INFINITY : finest;
}
