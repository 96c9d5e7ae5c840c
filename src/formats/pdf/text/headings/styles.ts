import { largest, smallest } from '#src/lib/extremes.ts';
import type { ScannedWords } from '../../scan.ts';
import { detectBodyType } from '../body.ts';

/** Maximum length of a line that is counted as a heading. */
const MAX_LENGTH = 120;
/** Maximum length of a numbered line that the outline contains without its number. */
const MAX_NUMBERED_LENGTH = 80;
/** Maximum number of characters of a line of which the beginning is compared with numberings. */
const MAX_NUMBERING_LENGTH = 40;
/** Headings in the size of the text are bold, and others are larger than this. In body font sizes. */
const MIN_SIZE = 1.12;
const LARGE = 1.35;
const HUGE = 1.7;
const MIN_BOLD_SIZE = 0.94;
/** Font sizes that differ less than this are one style. */
const SAME_SIZE = 0.04;
/** Minimum number of headings, and share of a style's headings, that determine a level. */
const MIN_HEADINGS = 2;
const MIN_SHARE = 0.6;
const DEEPEST = 6;
/** Maximum number of styles. Each heading is compared with all of them. */
const MAX_STYLES = 200;

const DECIMAL = /^(?:§\s?)?(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s+(?=\p{Lu}|\p{Lo})/u;
/** Parts of Chinese, Japanese and Korean documents by their depth. */
const CJK =
  /^[第제]\s?[\d〇一二三四五六七八九十百]{1,6}\s?(?:([編编部篇편])|([章장])|([節节절])|([條条조]))/u;
/** Share of the numbers in a style that are larger than the number before. Page numbers in a table of contents vary. */
const MIN_ASCENDING = 0.7;

export const outlineKey = (text: string) => text.replace(/\s+/g, '').toLowerCase();

interface HeadingLine {
  text: string;
  size: number;
  bold: boolean;
  /** Depth of the line in the outline of the file. Undefined if the outline does not contain it. */
  outlined: number | undefined;
}

interface HeadingStyle {
  size: number;
  bold: boolean;
  /** Level of the headings in this style. Undefined if neither the outline nor a numbering tells it. */
  level: number | undefined;
  /** True if the numbers in this style have several depths, so that each heading has the level of its number. */
  isMixed: boolean;
}

interface Numbering {
  /** 1 for "1" and 2 for "1.1". Parts of Chinese documents above the chapter have 0. */
  depth: number;
  value: number | undefined;
}

/** Returns the number of a heading, or `undefined` if it has none that tells its depth. */
export function parseNumbering(text: string): Numbering | undefined {
  const start = text.slice(0, MAX_NUMBERING_LENGTH);
  const decimal = DECIMAL.exec(start)?.[1]?.split('.');
  if (decimal) return { depth: decimal.length, value: Number(decimal[0]) };
  const part = CJK.exec(start);
  return part
    ? { depth: part.slice(1).findIndex((sign) => sign !== undefined), value: undefined }
    : undefined;
}

/** Returns the depth of a heading in the outline of its page. The outline may leave out its number. */
export function findOutlineDepth(outline: ReadonlyMap<string, number>, text: string): number | undefined {
  if (outline.size === 0) return undefined;
  const depth = outline.get(outlineKey(text));
  // The entry of a clause is the whole clause, which is no heading if it is long.
  if (depth !== undefined || text.length > MAX_NUMBERED_LENGTH) return depth;
  return outline.get(outlineKey(text.replace(DECIMAL, '')));
}

/**
 * Levels of headings by their style, learned from some pages of the document. The same style has the same level on
 * all pages, however the document is divided into ranges of pages.
 */
export class HeadingStyles {
  readonly #styles: readonly HeadingStyle[];
  readonly #bodySize: number;
  /** Levels by which headings of the outline are below their depth, because the outline leaves the title out. */
  readonly #titleDepth: 0 | 1;
  /** Level of headings that are numbered "1", minus one. */
  readonly #base: number;

  /** `outlines` are the outline entries of the pages, in the order of `scans`. */
  constructor(scans: readonly ScannedWords[], outlines: readonly ReadonlyMap<string, number>[]) {
    this.#bodySize = detectBodyType(scans).size;
    const pages = scans.map((scan, at) => listHeadingLines(scan, outlines[at]!, this.#bodySize));
    this.#titleDepth = isTitled(pages, [...(outlines[0]?.keys() ?? [])]) ? 1 : 0;
    const lines = pages.flat().map((line) => ({ ...line, outlined: this.findOutlinedLevel(line.outlined) }));
    this.#base = findNumberBase(lines);
    const groups = Map.groupBy(lines, ({ size, bold }) => `${size} ${bold}`);
    const frequent = [...groups.values()].toSorted((a, b) => b.length - a.length).slice(0, MAX_STYLES);
    this.#styles = frequent.map((group) => this.#describe(group));
  }

  /** Returns the level of a heading by its depth in the outline, and `undefined` if the outline does not contain it. */
  findOutlinedLevel(depth: number | undefined): number | undefined {
    return depth === undefined ? undefined : limit(depth + this.#titleDepth);
  }

  /** Returns the level of a heading. `size` is its font size in points. */
  findLevel(text: string, size: number, bold: boolean): number {
    const depth = parseNumbering(text)?.depth;
    const alike = this.#styles.filter((each) => each.bold === bold && isSameSize(each.size, size));
    const style = alike.find((each) => each.size === size) ?? alike[0];
    const isNumbered = depth !== undefined && (depth > 1 || size < LARGE * this.#bodySize);
    if (isNumbered && (style?.isMixed || style?.level === undefined)) return limit(depth + this.#base);
    return limit(style?.level ?? this.#placeBetween(size, bold));
  }

  #describe(lines: readonly HeadingLine[]): HeadingStyle {
    const { size, bold } = lines[0]!;
    const numbers = lines.flatMap(({ text }) => parseNumbering(text) ?? []);
    const depths = isAscending(numbers) ? numbers.map(({ depth }) => depth) : [];
    const isFrequent = (depth: number) => depths.filter((each) => each === depth).length >= MIN_HEADINGS;
    const frequent = [...new Set(depths)].filter(isFrequent);
    const numbered = frequent.length > 0 ? limit(smallest(frequent) + this.#base) : undefined;
    const outlined = findMost(lines.flatMap((line) => line.outlined ?? []));
    const isMixed = frequent.length > 1;
    return { size, bold, level: isMixed ? numbered : (outlined ?? numbered), isMixed };
  }

  /** Returns the level of a style by its size, between the levels of known styles that are larger and smaller. */
  #placeBetween(size: number, bold: boolean): number {
    const ratio = size / this.#bodySize;
    let level = ratio >= HUGE ? 1 : ratio >= LARGE ? 2 : ratio >= MIN_SIZE ? 3 : 4;
    for (const other of this.#styles) {
      if (other.level === undefined || (isSameSize(size, other.size) && bold === other.bold)) continue;
      const isLarger = isSameSize(size, other.size) ? bold : size > other.size;
      if (!isLarger) level = Math.max(level, other.level + 1);
    }
    for (const other of this.#styles) {
      if (other.level === undefined || (isSameSize(size, other.size) && bold === other.bold)) continue;
      const isLarger = isSameSize(size, other.size) ? bold : size > other.size;
      if (isLarger) level = Math.min(level, Math.max(1, other.level - 1));
    }
    return level;
  }
}

/** Returns whether a text consists of words rather than of figures, as rows of a table do. */
export function hasMostlyLetters(text: string): boolean {
  const letters = text.match(/[\p{L}\p{M}]/gu)?.length ?? 0;
  return letters > (text.match(/[\p{N}\p{S}]/gu)?.length ?? 0);
}

const isSameSize = (a: number, b: number) => Math.abs(a - b) < SAME_SIZE * Math.max(a, b);
const limit = (level: number) => Math.max(1, Math.min(DEEPEST, level));

/** Returns whether most numbers of headings follow each other, with restarts in appendices. */
function isAscending(numbers: readonly Numbering[]): boolean {
  const values = numbers.flatMap(({ value }) => value ?? []);
  const steps = values.slice(1).filter((value, at) => value >= values[at]! || value === 1);
  return steps.length >= MIN_ASCENDING * (values.length - 1);
}

/** Returns the most frequent value, provided that it is frequent enough to tell a level. */
function findMost(values: readonly number[]): number | undefined {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const [best] = [...counts].toSorted((a, b) => b[1] - a[1] || a[0] - b[0]);
  return best && best[1] >= MIN_HEADINGS && best[1] >= MIN_SHARE * values.length ? best[0] : undefined;
}

/** Returns whether the first page has a title in larger letters than the outline's entries, which leaves it out. */
function isTitled(
  [first = [], ...others]: readonly (readonly HeadingLine[])[],
  entries: readonly string[],
): boolean {
  const outlined = [...first, ...others.flat()].filter((line) => line.outlined !== undefined);
  const size = largest(outlined.map((line) => line.size));
  // A title of several lines is one entry of the outline.
  const isEntry = (line: HeadingLine) => entries.some((entry) => entry.includes(outlineKey(line.text)));
  const isTitle = (line: HeadingLine) => line.size > size && !isSameSize(line.size, size) && !isEntry(line);
  return outlined.length >= MIN_HEADINGS && first.some(isTitle);
}

/** Returns how much deeper numbered headings are in the outline than their number tells. One without an outline. */
function findNumberBase(lines: readonly HeadingLine[]): number {
  const differences = lines.flatMap(({ text, outlined }) => {
    const depth = parseNumbering(text)?.depth;
    return depth === undefined || outlined === undefined ? [] : [outlined - depth];
  });
  return findMost(differences) ?? 1;
}

/** Returns the lines of a page that may be headings by their size, weight and length. */
function listHeadingLines(
  scan: ScannedWords,
  outline: ReadonlyMap<string, number>,
  bodySize: number,
): HeadingLine[] {
  const found: HeadingLine[] = [];
  let line = { size: 0, bottom: Number.NaN, text: '', letters: 0, bold: 0 };
  const endLine = () => {
    const bold = line.bold > 0.8 * line.letters;
    const isStyled = line.size >= MIN_SIZE * bodySize || (bold && line.size >= MIN_BOLD_SIZE * bodySize);
    const text = line.text.trim();
    if (!isStyled || text.length > MAX_LENGTH || !hasMostlyLetters(text)) return;
    found.push({ text, size: line.size, bold, outlined: findOutlineDepth(outline, text) });
  };
  for (const { size, text, style, y1, turns } of scan.words) {
    // Words of rotated lines end at different heights, and stamps in the margin are no headings.
    if (turns !== 0) continue;
    const key = Math.round(size * 2) / 2;
    if (key !== line.size || !(Math.abs(y1 - line.bottom) < 0.3 * size)) {
      endLine();
      line = { size: key, bottom: y1, text: '', letters: 0, bold: 0 };
    }
    if (line.text.length <= MAX_LENGTH) line.text += `${text} `;
    line.letters += text.length;
    if (style.bold) line.bold += text.length;
  }
  endLine();
  return found;
}
