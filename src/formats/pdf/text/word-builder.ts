import { overlapX, overlapY, type Rect } from '../geometry.ts';
import { composeLetter, isAccent } from './accents.ts';
import { LetterGaps } from './lost-spaces.ts';
import type { Run } from './runs.ts';
import { addScripts, type LetterGroup, toLetterGroup } from './scripts.ts';
import type { TextWord } from './words.ts';

/**
 * Matches a letter of a script without capital letters. Only such scripts have square letters and vertical
 * writing.
 */
export const CASELESS = /^\p{Lo}$/u;
/** Minimum width of a square letter, in letter heights. */
export const FULL_WIDTH = 0.8;
/**
 * Minimum distance in letter heights between letters below one another: within one text object, and next to a
 * square letter.
 */
const MIN_STEP = 0.2;
const MIN_SQUARE_STEP = 0.6;

const LAM = '\u0644';
const ALEF_LAST = /[\u0622\u0623\u0625\u0627\u0671]$/;
const SAME_PLACE = 0.01;

const isSameBox = (a: Rect, b: Rect) =>
  Math.abs(a.x0 - b.x0) < SAME_PLACE && Math.abs(a.x1 - b.x1) < SAME_PLACE;

/** A letter as the engine reports it. */
export interface Letter {
  text: string;
  box: Rect;
  run: Run;
  /** Text object that draws the letter, or 0 if there is none. */
  object: number;
  /** Index of the character in the text page. */
  index: number;
}

/** Joins letters into words in painting order. */
export class WordBuilder {
  readonly #words: TextWord[] = [];
  #word: TextWord | undefined;
  /** Box of the letter that was added last, whether that letter is square, and its text object. */
  #last: Rect | undefined;
  #isLastSquare = false;
  #lastObject = 0;
  #isSpaced = true;
  readonly #gaps = new LetterGaps();
  #run: Run | undefined;
  /** Groups of the letters of the word. Empty while all letters have the same run, as in most words. */
  #groups: LetterGroup[] = [];
  /** An accent that waits for its letter, and whether a space followed. Only letters below it belong to it. */
  #accent: { letter: Letter; isFollowedBySpace: boolean } | undefined;

  addSpace(): void {
    if (this.#accent) {
      this.#accent.isFollowedBySpace = true;
      return;
    }
    this.#endWord();
    this.#isSpaced = true;
  }

  addLineHyphen(): void {
    this.#addWaitingAccent();
    if (this.#word) {
      this.#word.text += '-';
      this.#word.hyphenated = true;
    }
    this.addSpace();
  }

  /**
   * Adds a letter to the current word or starts a new word. Returns the word that contains the letter, or
   * `undefined` if the letter is an accent that waits for the next letter.
   */
  addLetter(letter: Letter): TextWord | undefined {
    if (!isAccent(letter.text)) return this.#addBase(letter);
    const last = this.#last;
    this.#addWaitingAccent();
    const word = this.#word;
    const base = word && [...word.text].at(-1);
    const composed =
      last && base && isOver(letter, last) && composeLetter(letter.text, base.normalize('NFC'));
    if (composed) {
      word.text = word.text.slice(0, -base.length) + composed;
      word.last = letter.index;
      return word;
    }
    if (last && isOver(letter, last)) return this.#append(letter);
    this.#accent = { letter, isFollowedBySpace: false };
    return undefined;
  }

  /** Adds a letter that is no accent, joined with the accent before it. */
  #addBase(letter: Letter): TextWord {
    const accent = this.#accent?.letter;
    if (!accent || !isOver(accent, letter.box)) {
      this.#addWaitingAccent();
      return this.#append(letter);
    }
    this.#accent = undefined;
    const composed = composeLetter(accent.text, letter.text);
    const text =
      composed ??
      (accent.text.normalize('NFD') < '\u0300' ? accent.text + letter.text : letter.text + accent.text);
    const word = this.#append({ ...letter, text });
    word.first = Math.min(word.first ?? accent.index, accent.index);
    return word;
  }

  #addWaitingAccent(): void {
    const waiting = this.#accent;
    if (!waiting) return;
    this.#accent = undefined;
    this.#append(waiting.letter);
    if (waiting.isFollowedBySpace) this.addSpace();
  }

  #append({ text, box, run, object, index }: Letter): TextWord {
    const last = this.#last;
    const runsVertically = run.turns === 1 || run.turns === 3;
    const step = last && run.turns === 0 ? (box.y0 - last.y0) / run.size : 0;
    const isStacked =
      last !== undefined &&
      object !== 0 &&
      object === this.#lastObject &&
      step > MIN_STEP &&
      overlapX(last, box) > 0.5 * Math.min(box.x1 - box.x0, last.x1 - last.x0);
    const isSquare = box.x1 - box.x0 >= FULL_WIDTH * run.size && CASELESS.test(text);
    if (isStacked || (step > MIN_SQUARE_STEP && (isSquare || this.#isLastSquare))) this.#endWord();
    if (this.#word && last) {
      const gap = runsVertically
        ? Math.max(box.y0 - last.y1, last.y0 - box.y1)
        : Math.max(box.x0 - last.x1, last.x0 - box.x1);
      if (continuesWord(this.#word, box, run, gap)) {
        const to = runsVertically ? last.y1 : last.x1;
        const from = runsVertically ? box.y0 : box.x0;
        this.#gaps.add(this.#word.text.length, index, to, from, run.size);
      } else this.#endWord();
    }
    this.#last = box;
    this.#isLastSquare = isSquare;
    this.#lastObject = object;
    if (this.#word && text === LAM && last && isSameBox(last, box) && ALEF_LAST.test(this.#word.text)) {
      // The engine reverses right-to-left lines letter by letter, and so it reverses the letters of a ligature.
      this.#word.text = `${this.#word.text.slice(0, -1)}${LAM}${this.#word.text.slice(-1)}`;
    } else if (this.#word) {
      if (run !== this.#run) this.#addGroup(this.#word.text.length, run);
      extendWord(this.#word, text, box, run.size);
    } else this.#word = this.#beginWord(text, box, run, index, isStacked);
    this.#run = run;
    this.#word.last = index;
    if (run.style.math) this.#word.math = true;
    return this.#word;
  }

  finish(): TextWord[] {
    this.#addWaitingAccent();
    this.#endWord();
    return this.#words;
  }

  #beginWord(text: string, box: Rect, run: Run, index: number, isStacked: boolean): TextWord {
    const word: TextWord = {
      x0: box.x0,
      y0: box.y0,
      x1: box.x1,
      y1: box.y1,
      text,
      size: run.size,
      style: run.style,
      turns: run.turns,
      spaced: this.#isSpaced,
      hyphenated: false,
      hidden: run.hidden,
      white: run.white,
      first: index,
      last: index,
    };
    if (isStacked) word.stacked = true;
    this.#isSpaced = false;
    this.#gaps.reset();
    if (this.#groups.length > 0) this.#groups = [];
    return word;
  }

  /** Begins a group of letters with another run. */
  #addGroup(at: number, run: Run): void {
    if (this.#groups.length === 0 && this.#run) this.#groups.push(toLetterGroup(0, this.#run));
    this.#groups.push(toLetterGroup(at, run));
  }

  #endWord(): void {
    const word = this.#word;
    if (word && word.text !== '') {
      if (this.#run) addScripts(word, this.#run, this.#groups);
      for (const part of this.#gaps.divide(word) ?? [word]) {
        part.text = part.text.normalize('NFC').toWellFormed();
        this.#words.push(part);
      }
    }
    this.#word = undefined;
  }
}

/** Maximum distance of the middle of an accent from the middle of its letter, in letter heights. */
const ACCENT_SHIFT = 0.25;

/** Returns whether an accent is drawn over or under a letter. */
function isOver({ box, run }: Letter, letter: Rect): boolean {
  const shift = Math.abs(box.x0 + box.x1 - letter.x0 - letter.x1) / 2;
  return (
    run.turns === 0 &&
    shift <= ACCENT_SHIFT * run.size &&
    overlapX(box, letter) > 0 &&
    overlapY(box, letter) > 0
  );
}

/**
 * Returns whether a letter belongs to the current word. `gap` is the distance between them in the direction
 * of the line.
 */
function continuesWord(word: TextWord, box: Rect, { turns, size }: Run, gap: number): boolean {
  if (turns === undefined && word.turns === undefined) return true;
  if (turns !== word.turns || gap > size * 0.3) return false;
  const level =
    turns === 1 || turns === 3
      ? Math.min(word.x1, box.x1) - Math.max(word.x0, box.x0)
      : Math.min(word.y1, box.y1) - Math.max(word.y0, box.y0);
  return !(level <= 0);
}

function extendWord(word: TextWord, text: string, box: Rect, size: number): void {
  word.text += text;
  if (box.x0 < word.x0) word.x0 = box.x0;
  if (box.y0 < word.y0) word.y0 = box.y0;
  if (box.x1 > word.x1) word.x1 = box.x1;
  if (box.y1 > word.y1) word.y1 = box.y1;
  if (size > word.size) word.size = size;
}
