import type { Box, Page } from '#src/documents/document.ts';

/** A picture of a page: an image of the file, vector graphics, or both. */
export interface PagePart {
  /** Name of the image; absent for vector graphics. */
  name?: string;
  /** Link target in the page's Markdown. */
  link?: string;
  /** Box on the page; absent in formats whose images have no position. */
  box?: Box;
}

/** Maximum number of pictures of a page that are read individually. */
const MOST = 16;
/**
 * Share of the page above which a picture is a scan or a background, and the characters of text that make it
 * a background.
 */
const WHOLE = 0.85;
const FULL_OF_TEXT = 200;

/**
 * Returns the pictures of a page that a reader would want, from top to bottom. Images and the drawings over
 * them are one picture.
 */
export function picturesOf(page: Page): PagePart[] {
  const parts: PagePart[] = page.figures
    .filter((figure) => !figure.isLikelyNoise && !isBackground(page, figure.box))
    .map(({ name, box }) => ({
      name,
      link: linkOf(page, name),
      ...(box && { box: within(box, page.area) }),
    }));
  for (const drawing of page.drawings ?? []) {
    const covered = parts.find(
      ({ box }) => box && shared(box, drawing) > 0.5 * Math.min(area(box), area(drawing)),
    );
    if (covered?.box) covered.box = around(covered.box, drawing);
    else if (!isBackground(page, drawing)) parts.push({ box: drawing });
  }
  return parts.sort((a, b) => (a.box?.y ?? 0) - (b.box?.y ?? 0)).slice(0, MOST);
}

function linkOf({ blocks }: Page, name: string): string {
  const ends = [`${name})`, `${encodeURIComponent(name)})`];
  const line = blocks.find(
    ({ type, markdown }) => type === 'figure' && ends.some((end) => markdown.endsWith(end)),
  );
  return line ? line.markdown.slice(line.markdown.lastIndexOf('](') + 2, -1) : name;
}

function within(box: Box, limits: Box | undefined): Box {
  if (!limits) return box;
  const [x, y] = [Math.max(box.x, limits.x), Math.max(box.y, limits.y)];
  const right = Math.min(box.x + box.w, limits.x + limits.w);
  const bottom = Math.min(box.y + box.h, limits.y + limits.h);
  return { x, y, w: Math.max(0, right - x), h: Math.max(0, bottom - y) };
}

const area = ({ w, h }: Box) => w * h;

function isBackground({ width, height, text }: Page, box: Box | undefined): boolean {
  return box !== undefined && area(box) > WHOLE * width * height && text.length > FULL_OF_TEXT;
}

function shared(a: Box, b: Box): number {
  const width = Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y);
  return Math.max(0, width) * Math.max(0, height);
}

function around(a: Box, b: Box): Box {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  return { x, y, w: Math.max(a.x + a.w, b.x + b.w) - x, h: Math.max(a.y + a.h, b.y + b.h) - y };
}
