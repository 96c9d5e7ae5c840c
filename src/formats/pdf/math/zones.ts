import { isKnownFunction } from '#src/formats/shared/math/symbols.ts';
import { DisjointSets } from '#src/lib/disjoint-sets.ts';
import { overlapX, overlapY, type Rect, union } from '../geometry.ts';
import { type Line, splitIntoSegments } from '../text/lines.ts';
import type { TextWord } from '../text/words.ts';
import { SCRIPT_SIZE } from './baselines.ts';

/** Area of a page that may be a displayed formula. */
export interface Zone extends Rect {
  segments: readonly Line[];
  words: TextWord[];
  /** Font size of most letters. */
  size: number;
  /** Printed numbers of the equations in brackets, from top to bottom. */
  numbers: Line[];
  /** Words after a formula on its line, such as "for all x". */
  condition?: Line;
  /** Bullet or number of a list before the formula. It is not one of `words`. */
  label?: TextWord | undefined;
  /** True if a dash begins it. Such a dash may also be a minus sign, so the zone is read as text. */
  isDashItem: boolean;
  /** True if it contains letters of a math font or a sign that only formulas have. */
  hasMathFont: boolean;
}

/** Matches a sign that occurs in formulas. */
const SEED = /[=<>±×÷√∂∇∞∫-∰∏∑∀-∋≀-⋿←-⇿⟨⟩⟵-⟿\u0370-\u03ff\u{1d400}-\u{1d7ff}]/u;
/** Matches a sign that hardly occurs outside formulas. */
const STRONG = /[√∂∇∫-∰∏∑∀∃∈∉⊂-⊉∪∩∧∨⊕⊗≡≈≅∝⟨⟩\u{1d400}-\u{1d7ff}]/u;
const EQUATION_NUMBER = /^\((?:[A-Z]\.?)?\d{1,3}(?:[.-]\d{1,3}){0,2}[a-z]?\)$/;
/** Words with which the condition of a formula begins, its distance and maximum length in letter heights. */
const CONDITION =
  /^\(?(?:for|if|where|when|with|otherwise|as|for all|für|wenn|falls|mit|pour|si|avec|où|con|para)(?!\p{L})/iu;
const MIN_CONDITION_GAP = 0.5;
const MAX_CONDITION_LENGTH = 16;
const LABEL = /^(?:[•◦▪∙]|\d{1,3}[.)])$/u;
/** Dashes also begin the items of a list. In text fonts, they are set apart from the words, unlike a minus sign. */
const DASH = /^[-–—]$/;
/** Minimum distance of a formula from its label, in letter heights. */
const LABEL_GAP = 0.25;
const LETTERS = /\p{L}{2,}/gu;
/** Scripts without spaces or capital letters are never written in formulas. */
const CASELESS = /[\p{Lo}--[ªºℵ-ℸ]]/v;
const AFTER_OPERATOR = /[=≈∼≤≥+−×⋅·]$/u;
/** Maximum length in letters of several italic letters in ordinary fonts that may be a product. */
const MAX_PRODUCT = 3;
/** Maximum distances between the parts of a formula, in letter heights. */
const MAX_GAP_X = 2.6;
const MAX_GAP_Y = 0.15;
const SCRIPT_GAP_Y = 0.5;
/** Distance in letter heights of the lines of a paragraph. The boxes of lines are higher than their letters. */
const TIGHT_GAP = 0.35;
/** Maximum distance of a centered formula from the middle of a line, as a share of the line. */
const MAX_SHIFT = 0.06;
/** Distance in letter heights of the lines that show where the column begins and ends. */
const COLUMN_REACH = 40;
/** Minimum size of a displayed formula relative to the text. Smaller letters are limits or notes. */
const MIN_SIZE = 0.86;
/** Distance in letter heights within which text on the same line makes a formula part of a sentence. */
const TEXT_DISTANCE = 1.3;
/** Distance in letter heights within which short pieces on the same line are cells of a table. */
const CELL_DISTANCE = 6;
/** Maximum number of pieces of text that may be parts of formulas on a page. */
const MAX_PIECES = 3_000;
/** Number of following pieces that are compared with a piece. */
const REACH = 80;
const MAX_WORDS = 200;
/** Maximum number of formulas of a page. */
const MAX_ZONES = 250;
/** Maximum number of bars of a page, and of pieces above and below a bar. */
const MAX_BARS = 300;
const MAX_BESIDE_BAR = 40;
/** Maximum length of a fraction bar, and its maximum distance from the pieces, in letter heights. */
const MAX_BAR_LENGTH = 35;
const BAR_GAP = 0.4;
/** Distance in letter heights within which a piece above or below a formula is a part of it. */
const PART_GAP = 0.25;

/** Returns whether a page may contain formulas. */
export const mayContainFormulas = (words: readonly TextWord[]): boolean => words.some(isSeed);

const isSeed = ({ text, math }: TextWord) => math === true || SEED.test(text);

/** Returns the font size of most letters. */
function findBodySize(segments: readonly Line[]): number {
  const counts = new Map<number, number>();
  for (const { size, text } of segments) counts.set(size, (counts.get(size) ?? 0) + text.length);
  return [...counts].reduce((best, each) => (each[1] > best[1] ? each : best), [0, 0] as [number, number])[0];
}

/** Finds the areas of a page that may be displayed formulas: isolated pieces without ordinary words. */
export function findZones(words: readonly TextWord[], bars: readonly Rect[]): Zone[] {
  const segments = splitIntoSegments(words);
  const numbers = segments.filter(({ text }) => EQUATION_NUMBER.test(text));
  const numbered = new Set(numbers);
  const open = segments.filter((segment) => !numbered.has(segment) && !isProse(segment));
  if (open.length > MAX_PIECES) return [];
  const isOpen = new Set(open);
  const groups = groupPieces(open, bars).filter((each) => each.some(({ words: own }) => own.some(isSeed)));
  if (groups.length > MAX_ZONES) return [];
  const zones = groups.map(toZone).filter((zone) => zone.words.length <= MAX_WORDS);
  const member = new Map<Line, Zone>();
  for (const zone of zones) for (const segment of zone.segments) member.set(segment, zone);
  const bodySize = findBodySize(segments);
  const prose = new Set(segments.filter((segment) => !numbered.has(segment) && !isOpen.has(segment)));
  return zones.filter(
    (zone) =>
      !zone.isDashItem &&
      zone.size >= MIN_SIZE * bodySize &&
      isAlone(zone, segments, member, numbered, prose) &&
      zone.words.length > 1 &&
      isDisplayed(zone, [...prose]),
  );
}

function toZone(segments: readonly Line[]): Zone {
  const words = segments.flatMap((segment) => segment.words);
  const size = segments.reduce((most, segment) => Math.max(most, segment.size), 0);
  const hasMathFont = words.some(({ text, math }) => math || STRONG.test(text));
  const mark = findFirstApart(words);
  const label = mark && LABEL.test(mark.text) ? mark : undefined;
  return {
    ...union(segments),
    segments,
    words: words.filter((word) => word !== label),
    size,
    numbers: [],
    label,
    isDashItem: mark !== undefined && !mark.math && DASH.test(mark.text),
    hasMathFont,
  };
}

/** Returns the leftmost word if it is set apart from the next one on its line, as the mark of a list item is. */
function findFirstApart(words: readonly TextWord[]): TextWord | undefined {
  const [first, ...others] = words.toSorted((a, b) => a.x0 - b.x0);
  const second = first && others.find((word) => overlapY(word, first) > 0.5 * (first.y1 - first.y0));
  return second && second.x0 - first.x1 >= LABEL_GAP * first.size ? first : undefined;
}

/** Returns whether a piece of text contains ordinary words. */
function isProse({ words, size }: Line): boolean {
  return words.some((word, at) => {
    if (word.unmapped || CASELESS.test(word.text)) return true;
    if (word.math || word.size < 0.8 * size) return false;
    const limit = word.style.italic ? MAX_PRODUCT : 1;
    const letters = (word.text.match(LETTERS) ?? []).filter(
      (each) => each.length > limit && !isNameLike(each) && !isMixed(each),
    );
    if (letters.length === 0) return false;
    // A word after an operator or before a bracket is the name of a function or value.
    const isAfterOperator = AFTER_OPERATOR.test(words[at - 1]?.text ?? '');
    const isBeforeBracket = words[at + 1]?.text.startsWith('(') === true;
    return letters.some((each) => !word.text.includes(`${each}(`) && !isAfterOperator && !isBeforeBracket);
  });
}

/** Returns whether letters of several alphabets stand side by side, which words never do. */
const isMixed = (letters: string) => /\p{Script=Greek}/u.test(letters) && /\p{Script=Latin}/u.test(letters);

/** Returns whether letters are a function name, perhaps with its variable, such as "sin" or "cosx". */
const isNameLike = (letters: string) => isKnownFunction(letters) || isKnownFunction(letters.slice(0, -1));

/** Groups pieces that are near each other, or above and below the same bar. */
function groupPieces(open: readonly Line[], bars: readonly Rect[]): Line[][] {
  const sorted = open.toSorted((a, b) => a.y0 - b.y0);
  const sets = new DisjointSets(sorted.length);
  for (const [at, piece] of sorted.entries()) {
    for (let next = at + 1; next < Math.min(sorted.length, at + REACH); next++) {
      if (isNear(piece, sorted[next]!)) sets.join(next, at);
    }
  }
  for (const bar of bars.slice(0, MAX_BARS)) {
    const beside = sorted.flatMap((piece, at) => (isBesideBar(piece, bar) ? [at] : []));
    if (beside.length <= MAX_BESIDE_BAR) for (const at of beside) sets.join(at, beside[0]!);
  }
  return sets.group(sorted);
}

const isBesideBar = (piece: Line, bar: Rect) =>
  overlapX(piece, bar) > 0 &&
  bar.x1 - bar.x0 < MAX_BAR_LENGTH * piece.size &&
  piece.y1 > bar.y0 - BAR_GAP * piece.size &&
  piece.y0 < bar.y1 + BAR_GAP * piece.size;

/**
 * Returns whether a zone is set apart from the text above and below it. A line of a sentence, which may also
 * consist of letters and signs only, is not: it stands as close to the other lines as they do to one another.
 */
function isDisplayed(zone: Zone, prose: readonly Line[]): boolean {
  if (zone.numbers.length > 0) return true;
  const { size, label } = zone;
  if (label && zone.condition) return false;
  if (label) return !prose.some((line) => continuesItem(line, zone, label));
  const distance = (line: Line) => Math.max(line.y0 - zone.y1, zone.y0 - line.y1) / size;
  const around = prose.filter(
    (line) => line !== zone.condition && overlapX(line, zone) > 0 && distance(line) < COLUMN_REACH,
  );
  if (!around.some((line) => distance(line) < TIGHT_GAP)) return true;
  const right = zone.condition?.x1 ?? zone.x1;
  const column = around.reduce((widest, line) => (line.x1 - line.x0 > widest.x1 - widest.x0 ? line : widest));
  const shift = Math.abs(column.x0 + column.x1 - zone.x0 - right) / 2;
  return zone.x0 - column.x0 > size && shift < MAX_SHIFT * (column.x1 - column.x0);
}

/** Returns whether a text after a formula belongs to it. */
const isCondition = (segment: Line, zone: Zone, gap: number) =>
  segment.x0 > zone.x1 &&
  gap >= MIN_CONDITION_GAP * zone.size &&
  gap <= MAX_GAP_X * zone.size &&
  segment.x1 - segment.x0 <= MAX_CONDITION_LENGTH * zone.size &&
  CONDITION.test(segment.text);

/** Returns whether a line of text continues the item of a list that begins with a formula. */
const continuesItem = (line: Line, zone: Zone, label: TextWord) =>
  overlapX(line, zone) > 0 &&
  line.y0 - zone.y1 < TIGHT_GAP * zone.size &&
  line.y1 > zone.y1 &&
  line.x0 > label.x0 + 0.5 * zone.size;

function isNear(a: Line, b: Line): boolean {
  const size = Math.max(a.size, b.size);
  const gapX = -overlapX(a, b);
  const gapY = -overlapY(a, b);
  // Boxes are as high as the font, so that boxes of neighbouring rows overlap or touch.
  const isScript = Math.min(a.size, b.size) <= SCRIPT_SIZE * size;
  return (
    gapX <= (gapY < -0.3 * size ? MAX_GAP_X : 0.6) * size &&
    gapY <= (isScript ? SCRIPT_GAP_Y : MAX_GAP_Y) * size
  );
}

/** Returns whether no text stands beside a zone. Adds the numbers of its equations to it. */
function isAlone(
  zone: Zone,
  segments: readonly Line[],
  member: ReadonlyMap<Line, Zone>,
  numbers: ReadonlySet<Line>,
  prose: ReadonlySet<Line>,
): boolean {
  const { size } = zone;
  for (const segment of segments) {
    if (segment.y0 > zone.y1 + PART_GAP * size || segment.y1 < zone.y0 - PART_GAP * size) continue;
    if (member.get(segment) === zone) continue;
    const shared = overlapY(segment, zone) / Math.min(segment.y1 - segment.y0, zone.y1 - zone.y0);
    const gap = -overlapX(segment, zone);
    if (gap < 0) {
      // A piece so near to the formula that is not a sentence is a part of it that was not recognized.
      if (shared > 0.5 || !(prose.has(segment) || member.has(segment))) return false;
      continue;
    }
    if (shared < 0.3) continue;
    if (numbers.has(segment)) {
      if (gap > 0.5 * size && segment.x0 > zone.x1) zone.numbers.push(segment);
      continue;
    }
    if (!zone.condition && isCondition(segment, zone, gap)) {
      zone.condition = segment;
      continue;
    }
    if (gap < TEXT_DISTANCE * size) return false;
    const isShort = segment.x1 - segment.x0 < 9 * size;
    if (isShort && gap < CELL_DISTANCE * size) return false;
  }
  return true;
}
