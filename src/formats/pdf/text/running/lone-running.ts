import { largest } from '#src/lib/extremes.ts';
import { isHorizontal, overlapX, type Rect, union } from '../../geometry.ts';
import type { Line } from '../lines.ts';
import { classifyStamp, isCaption, isLabelled, isPageNumberPhrase } from './phrases.ts';

/** Measures of a page on which running lines are searched without comparing it with other pages. */
export interface LonePage {
  width: number;
  height: number;
  /** Font size of the document's body text in points. */
  bodySize: number;
  rules: readonly Rect[];
  /** True if no neighboring page is known with which the lines could be compared. */
  isSingle: boolean;
}

/** Share of the page height at the top and bottom in which running lines are searched. */
const BAND = 0.13;
const MAX_ROWS = 4;
const MAX_LENGTH = 160;
/** Maximum length of a running line that is only recognized by its form. */
const MAX_PLAIN_LENGTH = 90;
/** Minimum white space between running lines and the text, in body font sizes. */
const MIN_SPACE = 0.8;
const MIN_WIDE_SPACE = 1.6;
/** Running lines that are recognized only by their form are at most this large, in body font sizes. */
const SMALL = 0.93;
/** Larger lines are titles unless their words say otherwise. In body font sizes. */
const LARGE = 1.2;
/** Letters in lines of at least this length count as prose. */
const PROSE_LENGTH = 40;
const MIN_PROSE_LINES = 8;
const MIN_PROSE_SHARE = 0.5;
/** Minimum distance in letter heights between a page number and the text beside it. */
const NUMBER_DISTANCE = 4;

const NUMBER = /^[[(–—-]?\s*(?:\d{1,4}|[ivxlc]{1,7}|[IVXLC]{2,7})\s*[\])–—-]?$/;
const SECTION_NUMBER =
  /^(?:(?:item|section|article|chapter|part|§)\s?)?(?:\d{1,3}(?:\.\d{1,2}){0,4}|[IVX]{1,5}|[A-Z])[.)]?$/i;
/** Maximum distance in letter heights between the number of a section and its title. */
const MAX_HEADING_GAP = 6;
const FOOTNOTE_MARK = /^(?:[*†‡§¶]|\d{1,3}\s|\d{1,3}\p{L}|\(\d{1,2}\)|[a-z]\s\p{Lu})/u;
const SENTENCE = /\p{Ll}{2}[.!?]["”’)]?$/u;

/**
 * Finds running headers and footers by their place, size and words, without comparing pages. `rows` are the
 * rows of the page from top to bottom. Lines in `known` are running lines already. Returns an empty
 * set if no text would remain on the page.
 */
export function findLoneRunningLines(
  rows: readonly Line[][],
  page: LonePage,
  known: ReadonlySet<Line>,
): Set<Line> {
  const found = new Set<Line>();
  const isProse = isProsePage(rows.flat());
  for (const inward of [rows, rows.toReversed()]) {
    const end = new PageEnd(inward, page, known, isProse, inward === rows);
    for (const line of end.find()) found.add(line);
  }
  const remains = rows.some((row) => row.some((line) => !found.has(line) && !known.has(line)));
  return remains ? found : new Set();
}

/** Returns whether a row begins with the number of a section, which its title follows. */
export function isNumberedHeading(row: readonly Line[]): boolean {
  const [first, second] = row.toSorted((a, b) => a.x0 - b.x0);
  if (!first || !second || !SECTION_NUMBER.test(first.text.trim()) || !/\p{L}{2}/u.test(second.text))
    return false;
  return second.x0 - first.x1 < MAX_HEADING_GAP * first.size;
}

/** Returns whether most letters of a page stand in long lines, as in articles and books. */
export function isProsePage(lines: readonly Line[]): boolean {
  let [letters, prose, long] = [0, 0, 0];
  for (const line of lines) {
    letters += line.text.length;
    if (line.text.length < PROSE_LENGTH) continue;
    prose += line.text.length;
    long += 1;
  }
  return long >= MIN_PROSE_LINES && prose >= MIN_PROSE_SHARE * letters;
}

/** Lines of a row that are running lines if the row stands apart from the text. */
interface Candidate {
  lines: readonly Line[];
  /** Minimum white space between the row and the text, in body font sizes. */
  minSpace: number;
  isApart: boolean;
}

/** Searches the rows at the top or bottom of a page, from the outermost row inward. */
class PageEnd {
  readonly #rows: readonly Line[][];
  readonly #page: LonePage;
  readonly #known: ReadonlySet<Line>;
  readonly #isProse: boolean;
  readonly #isTop: boolean;

  constructor(
    rows: readonly Line[][],
    page: LonePage,
    known: ReadonlySet<Line>,
    isProse: boolean,
    isTop: boolean,
  ) {
    this.#rows = rows;
    this.#page = page;
    this.#known = known;
    this.#isProse = isProse;
    this.#isTop = isTop;
  }

  find(): Line[] {
    const candidates: Candidate[] = [];
    for (let at = 0; at < MAX_ROWS; at++) {
      const row = this.#rows[at];
      if (!row || !this.#isInBand(row)) break;
      const open = row.filter((line) => !this.#known.has(line));
      const candidate = this.#judgeRow(row, open);
      if (!candidate) break;
      const space = this.#hasRule(row, at) ? Number.POSITIVE_INFINITY : this.#measureSpace(row, at);
      candidates.push({ ...candidate, isApart: space > candidate.minSpace * this.#page.bodySize });
      if (candidate.lines.length < open.length) break;
    }
    // Rows of a running header may stand close together, but the last one is separated from the text.
    return candidates
      .slice(0, candidates.findLastIndex(({ isApart }) => isApart) + 1)
      .flatMap(({ lines }) => lines);
  }

  #isInBand(row: readonly Line[]): boolean {
    const { y0, y1 } = union(row);
    const middle = (y0 + y1) / 2 / this.#page.height;
    return this.#isTop ? middle < BAND : middle > 1 - BAND;
  }

  /** Returns the running lines of a row, provided that enough white space separates them from the text. */
  #judgeRow(row: readonly Line[], open: readonly Line[]): Omit<Candidate, 'isApart'> | undefined {
    if (open.length === 0) return { lines: [], minSpace: MIN_SPACE };
    const length = open.reduce((sum, line) => sum + line.text.length, 0);
    if (length > MAX_LENGTH || isNumberedHeading(row)) return undefined;
    const kinds = open.map((line) => classifyStamp(line.text.trim(), this.#isTop));
    if (kinds.every((kind) => kind === 'always')) return { lines: open, minSpace: Number.NEGATIVE_INFINITY };
    const stamps = open.filter((line, at) => kinds[at] !== undefined || isPageNumberPhrase(line.text.trim()));
    if (stamps.length > 0 || (open.length < row.length && this.#isProse)) {
      const lines = this.#addCompanions(open, stamps);
      return lines.length > 0 ? { lines, minSpace: MIN_SPACE } : undefined;
    }
    if (!this.#isProse || open.some((line) => line.size > LARGE * this.#page.bodySize)) return undefined;
    if (this.#hasPageNumber(open)) return { lines: open, minSpace: MIN_SPACE };
    return this.#isPlainRunningRow(open) ? { lines: open, minSpace: MIN_WIDE_SPACE } : undefined;
  }

  /** Returns the stamps and the other lines of their row that do not read like text of the document. */
  #addCompanions(open: readonly Line[], stamps: readonly Line[]): Line[] {
    const largestStamp = largest(
      stamps.map(({ size }) => size),
      this.#page.bodySize,
    );
    return open.filter(
      (line) =>
        stamps.includes(line) ||
        (!isLabelled(line.text) &&
          line.text.length <= MAX_PLAIN_LENGTH &&
          line.size <= LARGE * largestStamp &&
          (!this.#isTop || this.#isProse) &&
          !SENTENCE.test(line.text)),
    );
  }

  /** Returns whether a row consists of a title and a page number at one of its ends. */
  #hasPageNumber(row: readonly Line[]): boolean {
    const sorted = row.toSorted((a, b) => a.x0 - b.x0);
    const [first, last] = [sorted[0]!, sorted.at(-1)!];
    if (sorted.length < 2 || sorted.length > 4) return false;
    const isNumber = (line: Line) => NUMBER.test(line.text.trim());
    if (sorted.filter(isNumber).length !== 1 || sorted.some((line) => isLabelled(line.text))) return false;
    // Rows of a table of contents or of figures also end with a number.
    const at = this.#rows.findIndex((each) => each[0]!.row === first.row);
    const next = this.#rows[at + 1]?.toSorted((a, b) => a.x0 - b.x0);
    if (next && (isNumber(next.at(-1)!) || isNumber(next[0]!))) return false;
    const distance = isNumber(first)
      ? sorted[1]!.x0 - first.x1
      : isNumber(last)
        ? last.x0 - sorted.at(-2)!.x1
        : 0;
    return (
      distance > NUMBER_DISTANCE * first.size &&
      sorted.every((line) => line.text.length <= MAX_PLAIN_LENGTH && /[\p{L}\d]/u.test(line.text))
    );
  }

  /** Returns whether a row in small letters stands apart from the text of a page that is the only one. */
  #isPlainRunningRow(row: readonly Line[]): boolean {
    return (
      this.#page.isSingle &&
      row.length <= 4 &&
      row.every(
        (line) =>
          line.size <= SMALL * this.#page.bodySize &&
          line.text.length <= MAX_PLAIN_LENGTH &&
          /\p{L}{3}/u.test(line.text) &&
          !isCaption(line.text) &&
          !isLabelled(line.text) &&
          !FOOTNOTE_MARK.test(line.text) &&
          !SENTENCE.test(line.text),
      )
    );
  }

  /** Returns the white space between a row and the next row inward. */
  #measureSpace(row: readonly Line[], at: number): number {
    const next = this.#rows[at + 1];
    if (!next) return Number.POSITIVE_INFINITY;
    const [a, b] = [union(row), union(next)];
    return Math.max(a.y0 - b.y1, b.y0 - a.y1);
  }

  /** Returns whether a horizontal line is drawn between a row and the next row inward. */
  #hasRule(row: readonly Line[], at: number): boolean {
    const next = this.#rows[at + 1];
    if (!next) return false;
    const [a, b] = [union(row), union(next)];
    const [from, to] = this.#isTop ? [a.y1, b.y0] : [b.y1, a.y0];
    return this.#page.rules.some(
      (rule) =>
        isHorizontal(rule) &&
        rule.x1 - rule.x0 > 0.3 * this.#page.width &&
        overlapX(rule, a) > 0 &&
        rule.y0 > from - 3 &&
        rule.y1 < to + 3,
    );
  }
}
