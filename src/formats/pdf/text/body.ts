import { largest } from '#src/lib/extremes.ts';
import type { ScannedWords } from '../scan.ts';

/** Lines of at least this many letters are prose, if lines of the same size stand above or below them. */
const MIN_PROSE_LETTERS = 40;
/** Number of letters of prose from which on other letters are not counted. */
const MIN_PROSE = 400;
/** The body has at least this share of the prose letters of the most frequent size. */
const MIN_BODY_SHARE = 0.5;
/** Lines of references begin with a number in brackets, or contain a year in parentheses. */
const REFERENCE = /^\[\d{1,3}\]$|^\((?:19|20)\d\d[a-z]?\)[.,:]?$/;
/** Share of the weight that a page of references keeps. */
const REFERENCES_WEIGHT = 0.25;
const MIN_REFERENCES = 12;

/** Number of letters on a page by font size, in total and in prose, and the letters in monospaced fonts. */
interface LetterCounts {
  sizes: Map<number, number>;
  prose: Map<number, number>;
  letters: number;
  monospace: number;
}

const countsByPage = new WeakMap<ScannedWords, LetterCounts>();

function addCount(counts: Map<number, number>, size: number, count: number): void {
  counts.set(size, (counts.get(size) ?? 0) + count);
}

/** Counts the letters of a page. The result is cached, because each neighboring page asks for it. */
function countLetterSizes(scan: ScannedWords): LetterCounts {
  const before = countsByPage.get(scan);
  if (before) return before;
  const census: LetterCounts = { sizes: new Map(), prose: new Map(), letters: 0, monospace: 0 };
  let references = 0;
  let line = { size: 0, bottom: Number.NaN, letters: 0, bold: 0 };
  let isProseAbove = false;
  const endLine = () => {
    const isLong = line.letters >= MIN_PROSE_LETTERS && line.bold < 0.5 * line.letters;
    addCount(census.sizes, line.size, line.letters);
    if (isLong) addCount(census.prose, line.size, line.letters);
    isProseAbove = isLong;
  };
  for (const { size, text, style, y1 } of scan.words) {
    const key = Math.round(size * 2) / 2;
    if (key !== line.size || !(Math.abs(y1 - line.bottom) < 0.3 * size)) {
      if (line.letters > 0) endLine();
      // The last line of a paragraph is short, but it belongs to the prose above it.
      const isRest = isProseAbove && key === line.size;
      line = { size: key, bottom: y1, letters: isRest ? MIN_PROSE_LETTERS / 2 : 0, bold: 0 };
    }
    line.letters += text.length;
    if (style.bold) line.bold += text.length;
    census.letters += text.length;
    if (style.monospace) census.monospace += text.length;
    if ((text.startsWith('[') || text.startsWith('(')) && REFERENCE.test(text)) references += 1;
  }
  if (line.letters > 0) endLine();
  if (references >= MIN_REFERENCES)
    for (const [size, count] of census.prose) census.prose.set(size, count * REFERENCES_WEIGHT);
  countsByPage.set(scan, census);
  return census;
}

/**
 * Returns the font size of the running prose on the given pages, and whether most letters are monospaced.
 * Headings differ from this type. If two sizes have a similar number of letters, the larger one is the body
 * and the smaller one is used for notes and references.
 */
export function detectBodyType(scans: readonly ScannedWords[]): { size: number; monospace: boolean } {
  const sizes = new Map<number, number>();
  const prose = new Map<number, number>();
  let letters = 0;
  let monospace = 0;
  for (const census of scans.map(countLetterSizes)) {
    for (const [size, count] of census.sizes) addCount(sizes, size, count);
    for (const [size, count] of census.prose) addCount(prose, size, count);
    letters += census.letters;
    monospace += census.monospace;
  }
  const isProse = largest([...prose.values()], 0) >= MIN_PROSE;
  const size = isProse ? findLargestSize(prose, MIN_BODY_SHARE) : findLargestSize(sizes, 1);
  return { size: size || 10, monospace: letters > 0 && monospace > letters * 0.6 };
}

/** Returns the largest font size that has at least the given share of the most frequent size's letters. */
function findLargestSize(counts: ReadonlyMap<number, number>, share: number): number {
  const most = largest([...counts.values()], 0);
  let best = 0;
  for (const [size, count] of counts) if (size > best && count >= share * most) best = size;
  return best;
}
