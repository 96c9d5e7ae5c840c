import type { PageScan } from '../scan.ts';

/** Number of letters on a page by font size, in total and in monospaced fonts. */
interface LetterCounts {
  sizes: Map<number, number>;
  letters: number;
  monospace: number;
}

const countsByPage = new WeakMap<PageScan, LetterCounts>();

/** Counts the letters of a page. The result is cached, because each neighboring page asks for it. */
function countLetterSizes(scan: PageScan): LetterCounts {
  const before = countsByPage.get(scan);
  if (before) return before;
  const census: LetterCounts = { sizes: new Map(), letters: 0, monospace: 0 };
  for (const { size, text, style } of scan.words) {
    const key = Math.round(size * 2) / 2;
    census.sizes.set(key, (census.sizes.get(key) ?? 0) + text.length);
    census.letters += text.length;
    if (style.monospace) census.monospace += text.length;
  }
  countsByPage.set(scan, census);
  return census;
}

/**
 * Returns the font size of most letters on the given pages, and whether most letters are monospaced. Headings
 * differ from this type.
 */
export function detectBodyType(scans: readonly PageScan[]): { size: number; monospace: boolean } {
  const sizes = new Map<number, number>();
  let letters = 0;
  let monospace = 0;
  for (const census of scans.map(countLetterSizes)) {
    for (const [size, count] of census.sizes) sizes.set(size, (sizes.get(size) ?? 0) + count);
    letters += census.letters;
    monospace += census.monospace;
  }
  let best = 10;
  let most = 0;
  for (const [size, count] of sizes) {
    if (count > most) {
      best = size;
      most = count;
    }
  }
  return { size: best || 10, monospace: letters > 0 && monospace > letters * 0.6 };
}
