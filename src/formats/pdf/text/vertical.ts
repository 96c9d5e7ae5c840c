import { countCharacters } from '#src/lib/text/count-characters.ts';
import { union } from '../geometry.ts';
import type { Style } from './runs.ts';
import { CASELESS, FULL_WIDTH } from './word-builder.ts';
import type { TextWord } from './words.ts';

/**
 * Writing direction of text that is turned by three quarters. It runs down, and the next line is to the left.
 */
const DOWN = 3;
/**
 * Maximum distance of a letter from the middle of its column, in letter heights. MIN_STEP and MAX_STEP limit
 * the distance from one letter to the next.
 */
const MAX_OFF_AXIS = 0.3;
const MIN_STEP = 0.6;
const MAX_STEP = 1.35;
/** Maximum gap within a word and between two columns, in letter heights. */
const MAX_WORD_GAP = 0.3;
const MAX_COLUMN_GAP = 3;
/**
 * Minimum number of letters below one another that form a column if the font is not made for vertical
 * writing.
 */
const MIN_COLUMN_LETTERS = 3;
/**
 * Maximum length and width of numbers and short foreign words that are set across a column or turned within
 * it.
 */
const MAX_ACROSS_LETTERS = 4;
const MAX_ACROSS_WIDTH = 1.5;
const MAX_NEIGHBOUR_GAP = 1;
const MAX_MARK_OFF_AXIS = 1;
const MIN_SIZE_RATIO = 0.45;
const MAX_SIZE_RATIO = 1.3;
/**
 * Size in points of the grid cells in which words are looked up. The next two constants limit the number of
 * words per cell and the search distance in points.
 */
const CELL_SIZE = 16;
const MAX_WORDS_PER_CELL = 64;
const MAX_REACH = 48;

/** Words that belong to columns, each with its corrected position. */
type ColumnWords = Map<TextWord, TextWord>;

const middleX = (word: TextWord) => (word.x0 + word.x1) / 2;
const middleY = (word: TextWord) => (word.y0 + word.y1) / 2;
const isLetter = (word: TextWord) => CASELESS.test(word.text);
const isSquare = (word: TextWord) => word.x1 - word.x0 >= FULL_WIDTH * word.size;
const isMark = (word: TextWord) => /^[\p{P}\p{S}\p{Lm}]+$/u.test(word.text);
/** Returns whether a word is one character, which takes up to two units of a string. */
const isSingle = ({ turns, text }: TextWord) =>
  turns === 0 && text.length <= 2 && countCharacters(text) === 1;

/**
 * Joins letters of vertical writing into words that run down. Other words are returned unchanged, in the
 * order of the file. Vertical writing is detected by a font that runs down, or by square letters that stand
 * below one another, closer than lines.
 */
export function joinVertical(words: readonly TextWord[]): TextWord[] {
  const found = findVerticalFontWords(words);
  addLetterStacks(words, found);
  if (found.size === 0) return [...words];
  addFollowers(words, found);
  addNeighbours(words, found);
  const joined: TextWord[] = [];
  for (const word of words) {
    const before = joined.at(-1);
    const placed = found.get(word);
    if (!placed) joined.push(word);
    else if (before?.vertical && continues(before, placed)) {
      joined[joined.length - 1] = { ...before, ...union([before, placed]), text: before.text + word.text };
    } else joined.push({ ...placed, turns: DOWN, vertical: true });
  }
  return joined;
}

/**
 * Finds words in fonts that were used for vertical text. Horizontal words in such a font are the ends of
 * columns. A style identifies one font of the page.
 */
function findVerticalFontWords(words: readonly TextWord[]): ColumnWords {
  const fonts = new Set<Style>();
  for (const word of words) if (word.stacked) fonts.add(word.style);
  const set = words.filter((word) => word.turns === 0 && fonts.has(word.style));
  return new Map(set.map((word) => [word, limitToColumnWidth(word)]));
}

/** If a font is not embedded, the engine's boxes extend one letter too far to the left. */
const limitToColumnWidth = (word: TextWord): TextWord =>
  word.x1 - word.x0 > MAX_ACROSS_WIDTH * word.size ? { ...word, x0: word.x1 - word.size } : word;

const follows = (before: TextWord, word: TextWord) => {
  const step = middleY(word) - middleY(before);
  const size = Math.max(before.size, word.size);
  return (
    Math.abs(middleX(word) - middleX(before)) <= MAX_OFF_AXIS * size &&
    step >= MIN_STEP * size &&
    step <= MAX_STEP * size
  );
};

const continues = (before: TextWord, word: TextWord) =>
  before.size === word.size &&
  before.style === word.style &&
  Math.abs(middleX(word) - middleX(before)) <= MAX_OFF_AXIS * word.size &&
  word.y0 > before.y0 &&
  word.y0 - before.y1 <= MAX_WORD_GAP * word.size;

/**
 * Adds columns of letters that were placed one by one, including short remainders at the start or end of a
 * column.
 */
function addLetterStacks(words: readonly TextWord[], found: ColumnWords): void {
  // A column needs square letters, which most pages do not have.
  if (!words.some((word) => isSingle(word) && isLetter(word) && isSquare(word))) return;
  const stacks: TextWord[][] = [];
  for (const word of words) {
    const open = stacks.at(-1);
    if (!isSingle(word) || found.has(word)) stacks.push([]);
    else if (open && open.length > 0 && follows(open.at(-1)!, word)) open.push(word);
    else stacks.push([word]);
  }
  const isColumn = (stack: readonly TextWord[]) =>
    stack.length >= MIN_COLUMN_LETTERS &&
    stack.filter((word) => isLetter(word) && isSquare(word)).length > 0.6 * stack.length;
  const columns = stacks.map(isColumn);
  for (const [index, stack] of stacks.entries()) {
    const isEndOfNeighbour = [index - 1, index + 1].some(
      (other) => columns[other] && stack.length < MIN_COLUMN_LETTERS && isColumnEnd(stacks[other]!, stack),
    );
    if (columns[index] || isEndOfNeighbour) for (const word of stack) found.set(word, word);
  }
}

/**
 * Returns whether one or two letters are a column that ended early. They stand at the height of the column's
 * first letter, to its left or right.
 */
function isColumnEnd(column: readonly TextWord[], stack: readonly TextWord[]): boolean {
  const [top, first] = [column[0]!, stack[0]];
  if (!first || !isSquare(first) || first.style !== top.style) return false;
  const across = Math.abs(middleX(first) - middleX(top));
  return (
    across >= MIN_STEP * top.size &&
    across <= MAX_COLUMN_GAP * top.size &&
    Math.abs(first.y0 - top.y0) <= 2 * top.size
  );
}

/** Adds words that directly precede or follow a word of a column in the file and stand above or below it. */
function addFollowers(words: readonly TextWord[], found: ColumnWords): void {
  const add = (word: TextWord, neighbour: TextWord | undefined) => {
    const column = neighbour && found.get(neighbour);
    const offAxis = isMark(word) ? MAX_MARK_OFF_AXIS : MAX_OFF_AXIS;
    if (column && !found.has(word) && fitsInto(column, word, offAxis))
      found.set(word, alignToColumn(column, word));
  };
  words.forEach((word, index) => {
    add(word, words[index - 1]);
  });
  for (let index = words.length - 2; index >= 0; index--) add(words[index]!, words[index + 1]);
}

/**
 * Adds numbers set across a column and words turned within it. They stand directly above or below a word of
 * the column, anywhere in the file.
 */
function addNeighbours(words: readonly TextWord[], found: ColumnWords): void {
  const wordsByCell = new Map<string, TextWord[]>();
  const toCellKey = (x: number, y: number) => `${Math.floor(x / CELL_SIZE)} ${Math.floor(y / CELL_SIZE)}`;
  for (const word of words) {
    if (found.has(word) || !(word.turns === DOWN || word.text.length <= MAX_ACROSS_LETTERS)) continue;
    for (const key of new Set([toCellKey(middleX(word), word.y0), toCellKey(middleX(word), word.y1)])) {
      const shelf = wordsByCell.get(key);
      if (!shelf) wordsByCell.set(key, [word]);
      else if (shelf.length < MAX_WORDS_PER_CELL) shelf.push(word);
    }
  }
  const open = [...found.values()];
  for (let column = open.pop(); column; column = open.pop()) {
    for (const key of listNearbyKeys(column, toCellKey)) {
      for (const word of wordsByCell.get(key) ?? []) {
        if (found.has(word) || !fitsInto(column, word, MAX_OFF_AXIS)) continue;
        const placed = alignToColumn(column, word);
        found.set(word, placed);
        open.push(placed);
      }
    }
  }
}

/** Returns the keys of the grid cells around both ends of a word in a column. */
function listNearbyKeys(column: TextWord, toCellKey: (x: number, y: number) => string): Set<string> {
  const keys = new Set<string>();
  const reach = Math.min(column.size, MAX_REACH);
  for (const end of [column.y0, column.y1]) {
    for (let x = -reach; x < reach + CELL_SIZE; x += CELL_SIZE) {
      for (let y = -reach; y < reach + CELL_SIZE; y += CELL_SIZE) {
        keys.add(toCellKey(middleX(column) + Math.min(x, reach), end + Math.min(y, reach)));
      }
    }
  }
  return keys;
}

function fitsInto(column: TextWord, word: TextWord, offAxis: number): boolean {
  const isAcross =
    word.turns === 0 &&
    word.text.length <= MAX_ACROSS_LETTERS &&
    word.x1 - word.x0 <= MAX_ACROSS_WIDTH * column.size;
  const ratio = word.size / column.size;
  const gap = Math.max(column.y0 - word.y1, word.y0 - column.y1);
  return (
    (isAcross || word.turns === DOWN) &&
    ratio >= MIN_SIZE_RATIO &&
    ratio <= MAX_SIZE_RATIO &&
    Math.abs(middleX(word) - middleX(column)) <= offAxis * column.size &&
    Math.abs(gap) <= MAX_NEIGHBOUR_GAP * column.size
  );
}

/**
 * Centers punctuation marks in the column. Fonts state their position in horizontal lines, which is beside
 * the column.
 */
const alignToColumn = ({ x0, x1 }: TextWord, word: TextWord): TextWord =>
  isMark(word) ? { ...word, x0, x1 } : word;
