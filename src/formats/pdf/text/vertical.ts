import { union } from '../geometry.ts';
import type { Style } from './runs.ts';
import type { TextWord } from './words.ts';
import { CASELESS, FULL_WIDTH } from './words.ts';

/** The way that text turned three quarters runs: down, and the next line to the left. */
const DOWN = 3;
/** All in letter heights. How far letters of a column stand from its middle, and from one middle to the next. */
const OFF_AXIS = 0.3;
const SHORTEST_STEP = 0.6;
const LONGEST_STEP = 1.35;
/** White within a word, and between one column and the next. */
const WORD_GAP = 0.3;
const COLUMN_GAP = 3;
/** Letters one below the other that make a column where no font says so. */
const LEAST_COLUMN = 3;
/** Figures and short foreign words are set across a column, or turned within it. */
const LONGEST_ACROSS = 4;
const WIDEST_ACROSS = 1.5;
const FARTHEST_NEIGHBOUR = 1;
const MARK_OFF_AXIS = 1;
const SMALLEST = 0.45;
const LARGEST = 1.3;
/** Points: words are looked for by places of this size, each with so many of them, and so far around at most. */
const SHELF = 16;
const MOST_ON_SHELF = 64;
const LARGEST_REACH = 48;

/** The words of columns, each with the place it is taken to have. */
type Found = Map<TextWord, TextWord>;

const middleX = (word: TextWord) => (word.x0 + word.x1) / 2;
const middleY = (word: TextWord) => (word.y0 + word.y1) / 2;
const isLetter = (word: TextWord) => CASELESS.test(word.text);
const isSquare = (word: TextWord) => word.x1 - word.x0 >= FULL_WIDTH * word.size;
const isMark = (word: TextWord) => /^[\p{P}\p{S}\p{Lm}]+$/u.test(word.text);
const isSingle = (word: TextWord) => word.turns === 0 && [...word.text].length === 1;

/**
 * Words of a page in the order of the file, with letters of vertical writing joined to words that run down. Two
 * things tell it: a font that goes down by itself, or square letters of a script without capitals that are put
 * one below the other, closer than lines stand.
 */
export function joinVertical(words: readonly TextWord[]): TextWord[] {
  const found = inVerticalFonts(words);
  addStacks(words, found);
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

/** A style is one font of the page: what it sets beside its columns are the ends of columns. */
function inVerticalFonts(words: readonly TextWord[]): Found {
  const fonts = new Set<Style>();
  for (const word of words) if (word.stacked) fonts.add(word.style);
  const set = words.filter((word) => word.turns === 0 && fonts.has(word.style));
  return new Map(set.map((word) => [word, ofOneColumn(word)]));
}

/** Where a font is not in the file, the engine's boxes reach one letter too far to the left. */
const ofOneColumn = (word: TextWord): TextWord =>
  word.x1 - word.x0 > WIDEST_ACROSS * word.size ? { ...word, x0: word.x1 - word.size } : word;

const follows = (before: TextWord, word: TextWord) => {
  const step = middleY(word) - middleY(before);
  const size = Math.max(before.size, word.size);
  return (
    Math.abs(middleX(word) - middleX(before)) <= OFF_AXIS * size &&
    step >= SHORTEST_STEP * size &&
    step <= LONGEST_STEP * size
  );
};

const continues = (before: TextWord, word: TextWord) =>
  before.size === word.size &&
  before.style === word.style &&
  Math.abs(middleX(word) - middleX(before)) <= OFF_AXIS * word.size &&
  word.y0 > before.y0 &&
  word.y0 - before.y1 <= WORD_GAP * word.size;

/** Letters that are put one below the other each by itself, with what is left of a column at its ends. */
function addStacks(words: readonly TextWord[], found: Found): void {
  const stacks: TextWord[][] = [];
  for (const word of words) {
    const open = stacks.at(-1);
    if (!isSingle(word) || found.has(word)) stacks.push([]);
    else if (open && open.length > 0 && follows(open.at(-1)!, word)) open.push(word);
    else stacks.push([word]);
  }
  const isColumn = (stack: readonly TextWord[]) =>
    stack.length >= LEAST_COLUMN &&
    stack.filter((word) => isLetter(word) && isSquare(word)).length > 0.6 * stack.length;
  const columns = stacks.map(isColumn);
  for (const [index, stack] of stacks.entries()) {
    const beside = [index - 1, index + 1].some(
      (other) => columns[other] && stack.length < LEAST_COLUMN && isEndOf(stacks[other]!, stack),
    );
    if (columns[index] || beside) for (const word of stack) found.set(word, word);
  }
}

/** One or two letters at the level of a column's first, to its left or right, are a column that ended early. */
function isEndOf(column: readonly TextWord[], stack: readonly TextWord[]): boolean {
  const [top, first] = [column[0]!, stack[0]];
  if (!first || !isSquare(first) || first.style !== top.style) return false;
  const across = Math.abs(middleX(first) - middleX(top));
  return (
    across >= SHORTEST_STEP * top.size &&
    across <= COLUMN_GAP * top.size &&
    Math.abs(first.y0 - top.y0) <= 2 * top.size
  );
}

/** What the file has right before or after a word of a column, and puts above or below it. */
function addFollowers(words: readonly TextWord[], found: Found): void {
  const add = (word: TextWord, neighbour: TextWord | undefined) => {
    const column = neighbour && found.get(neighbour);
    const offAxis = isMark(word) ? MARK_OFF_AXIS : OFF_AXIS;
    if (column && !found.has(word) && fitsInto(column, word, offAxis))
      found.set(word, placedIn(column, word));
  };
  words.forEach((word, index) => {
    add(word, words[index - 1]);
  });
  for (let index = words.length - 2; index >= 0; index--) add(words[index]!, words[index + 1]);
}

/**
 * Figures across a column and words turned within it have a word of the column right above or below them, wherever
 * the file has them.
 */
function addNeighbours(words: readonly TextWord[], found: Found): void {
  const shelves = new Map<string, TextWord[]>();
  const keyOf = (x: number, y: number) => `${Math.floor(x / SHELF)} ${Math.floor(y / SHELF)}`;
  for (const word of words) {
    if (found.has(word) || !(word.turns === DOWN || word.text.length <= LONGEST_ACROSS)) continue;
    for (const key of new Set([keyOf(middleX(word), word.y0), keyOf(middleX(word), word.y1)])) {
      const shelf = shelves.get(key);
      if (!shelf) shelves.set(key, [word]);
      else if (shelf.length < MOST_ON_SHELF) shelf.push(word);
    }
  }
  const open = [...found.values()];
  for (let column = open.pop(); column; column = open.pop()) {
    for (const key of nearKeys(column, keyOf)) {
      for (const word of shelves.get(key) ?? []) {
        if (found.has(word) || !fitsInto(column, word, OFF_AXIS)) continue;
        const placed = placedIn(column, word);
        found.set(word, placed);
        open.push(placed);
      }
    }
  }
}

/** The shelves about both ends of a word of a column. */
function nearKeys(column: TextWord, keyOf: (x: number, y: number) => string): Set<string> {
  const keys = new Set<string>();
  const reach = Math.min(column.size, LARGEST_REACH);
  for (const end of [column.y0, column.y1]) {
    for (let x = -reach; x < reach + SHELF; x += SHELF) {
      for (let y = -reach; y < reach + SHELF; y += SHELF) {
        keys.add(keyOf(middleX(column) + Math.min(x, reach), end + Math.min(y, reach)));
      }
    }
  }
  return keys;
}

function fitsInto(column: TextWord, word: TextWord, offAxis: number): boolean {
  const isAcross =
    word.turns === 0 &&
    word.text.length <= LONGEST_ACROSS &&
    word.x1 - word.x0 <= WIDEST_ACROSS * column.size;
  const ratio = word.size / column.size;
  const gap = Math.max(column.y0 - word.y1, word.y0 - column.y1);
  return (
    (isAcross || word.turns === DOWN) &&
    ratio >= SMALLEST &&
    ratio <= LARGEST &&
    Math.abs(middleX(word) - middleX(column)) <= offAxis * column.size &&
    Math.abs(gap) <= FARTHEST_NEIGHBOUR * column.size
  );
}

/** Fonts state for marks of vertical writing where they would stand in a line: beside the column. */
const placedIn = ({ x0, x1 }: TextWord, word: TextWord): TextWord =>
  isMark(word) ? { ...word, x0, x1 } : word;
