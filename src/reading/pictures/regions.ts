import type { Box, Page } from '#src/documents/document.ts';

/** A picture on a page: an image from the file, vector graphics, or both combined. */
export interface PictureRegion {
  name?: string;
  /** Target of the link that shows the picture in the page's Markdown. */
  link?: string;
  /** Box of the picture on the page. Undefined for file formats that store no positions. */
  box?: Box;
}

const MAX_PICTURES = 16;
/**
 * Share of the page's area, from 0 to 1, above which a picture is a background. Only applies to pages with
 * more than `BACKGROUND_MIN_CHARACTERS` characters of text.
 */
const BACKGROUND_SHARE = 0.85;
const BACKGROUND_MIN_CHARACTERS = 200;

/**
 * Returns the pictures of a page from top to bottom. Omits noise and backgrounds. An image and the vector
 * graphics on top of it count as one picture.
 */
export function listPictures(page: Page): PictureRegion[] {
  const parts: PictureRegion[] = page.figures
    .filter((figure) => !figure.isLikelyNoise && !isBackground(page, figure.box))
    .map(({ name, box }) => ({
      name,
      link: findLinkTarget(page, name),
      ...(box && { box: clipTo(box, page.area) }),
    }));
  for (const drawing of page.drawings ?? []) {
    const covered = parts.find(
      ({ box }) => box && getOverlapArea(box, drawing) > 0.5 * Math.min(area(box), area(drawing)),
    );
    if (covered?.box) covered.box = uniteBoxes(covered.box, drawing);
    else if (!isBackground(page, drawing)) parts.push({ box: drawing });
  }
  return parts.sort((a, b) => (a.box?.y ?? 0) - (b.box?.y ?? 0)).slice(0, MAX_PICTURES);
}

function findLinkTarget({ blocks }: Page, name: string): string {
  const ends = [`${name})`, `${encodeURIComponent(name)})`];
  const line = blocks.find(
    ({ type, markdown }) => type === 'figure' && ends.some((end) => markdown.endsWith(end)),
  );
  return line ? line.markdown.slice(line.markdown.lastIndexOf('](') + 2, -1) : name;
}

function clipTo(box: Box, limits: Box | undefined): Box {
  if (!limits) return box;
  const [x, y] = [Math.max(box.x, limits.x), Math.max(box.y, limits.y)];
  const right = Math.min(box.x + box.w, limits.x + limits.w);
  const bottom = Math.min(box.y + box.h, limits.y + limits.h);
  return { x, y, w: Math.max(0, right - x), h: Math.max(0, bottom - y) };
}

const area = ({ w, h }: Box) => w * h;

function isBackground({ width, height, text }: Page, box: Box | undefined): boolean {
  return (
    box !== undefined &&
    area(box) > BACKGROUND_SHARE * width * height &&
    text.length > BACKGROUND_MIN_CHARACTERS
  );
}

function getOverlapArea(a: Box, b: Box): number {
  const width = Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y);
  return Math.max(0, width) * Math.max(0, height);
}

function uniteBoxes(a: Box, b: Box): Box {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  return { x, y, w: Math.max(a.x + a.w, b.x + b.w) - x, h: Math.max(a.y + a.h, b.y + b.h) - y };
}
