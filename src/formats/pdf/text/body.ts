import type { PageScan } from '../scan.ts';

/** Letters of a page by their size, and how many there are in all and in one width. */
interface Census {
  sizes: Map<number, number>;
  letters: number;
  monospace: number;
}

const known = new WeakMap<PageScan, Census>();

/** Each page is asked for by all its neighbours. */
function censusOf(scan: PageScan): Census {
  const before = known.get(scan);
  if (before) return before;
  const census: Census = { sizes: new Map(), letters: 0, monospace: 0 };
  for (const { size, text, style } of scan.words) {
    const key = Math.round(size * 2) / 2;
    census.sizes.set(key, (census.sizes.get(key) ?? 0) + text.length);
    census.letters += text.length;
    if (style.monospace) census.monospace += text.length;
  }
  known.set(scan, census);
  return census;
}

/** The type most letters are set in, over the pages at hand: headings are what stands out from it. */
export function bodyType(scans: readonly PageScan[]): { size: number; monospace: boolean } {
  const sizes = new Map<number, number>();
  let letters = 0;
  let monospace = 0;
  for (const census of scans.map(censusOf)) {
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
