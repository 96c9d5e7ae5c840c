import type { Engine } from '../engine/engine.ts';
import { floats } from '../engine/engine.ts';
import type { PageFrame, Rect } from '../geometry.ts';
import { overlapX, rectToDisplay, union } from '../geometry.ts';
import { LetterGaps } from './lost-spaces.ts';
import { type Run, RunReader, type Style } from './runs.ts';

/** A word: letters on one line without a space between them. */
export interface TextWord extends Rect {
  text: string;
  /** Font size in points after applying the text matrix. */
  size: number;
  style: Style;
  /**
   * Writing direction in counter-clockwise quarter turns, or `undefined` for any other angle. Columns of
   * upright letters have 3, because they run in the same direction as text turned three times.
   */
  turns: number | undefined;
  /** True for a column of upright letters below one another. */
  vertical?: boolean;
  /**
   * True if the same text object placed this word below the previous one, which only fonts for vertical
   * writing do.
   */
  stacked?: boolean;
  /** True if a space precedes the word or the word starts a line. */
  spaced: boolean;
  /** True if the word continues on the next line. Its hyphen belongs to the line break. */
  hyphenated: boolean;
  /** True if the word is painted invisibly, as in text layers of scanners, or is fully transparent. */
  hidden: boolean;
  /** True if the word is painted in white. */
  white: boolean;
  /** Number of letters without a Unicode value. Their codes are character codes of the font. */
  unmapped?: number;
  /** Bounding box of the drawn letters, if it was measured. The word's own box is as high as the font. */
  ink?: Rect;
}

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

/**
 * Maximum depth of a letter's box below the baseline, in letter heights. A deeper box is reduced to
 * DEFAULT_DESCENT.
 */
const MAX_DESCENT = 0.6;
const DEFAULT_DESCENT = 0.22;

const LINE_HYPHENS = new Set([0xfffe, 0x0002, 0x00ad]);
const NONE: ReadonlySet<number> = new Set();
const isSpace = (code: number) =>
  code === 0x20 || code === 0xa0 || code === 0x3000 || (code >= 0x2000 && code <= 0x200b) || code === 0x09;

/**
 * Presentation forms encode the shape of a letter. They are replaced by the letter itself, which readers and
 * search need.
 */
const isPresentationForm = (code: number) =>
  (code >= 0xfb00 && code <= 0xfdff) ||
  (code >= 0xfe70 && code <= 0xfefe) ||
  (code >= 0xf900 && code <= 0xfaff);

/**
 * Ligatures at the first positions of TeX fonts. Files without a character map report them as control codes.
 */
const TEX_LIGATURES = new Map([
  [0x0b, 'ff'],
  [0x0c, 'fi'],
  [0x0e, 'ffi'],
  [0x0f, 'ffl'],
]);

function decodeLetter(code: number): string {
  const ligature = TEX_LIGATURES.get(code);
  if (ligature) return ligature;

  if (code < 0x20 || (code >= 0x7f && code < 0xa0) || code === 0xffff || code === 0xfeff) return '';
  const text = code > 0xffff && code <= 0x10ffff ? String.fromCodePoint(code) : String.fromCharCode(code);
  return isPresentationForm(code) ? text.normalize('NFKC') : text;
}

/**
 * Reads the bounding box of a drawn character in display coordinates. Returns `undefined` if the engine has
 * none.
 */
export function readInk(
  { raw, scratch }: Engine,
  textPage: number,
  index: number,
  frame: PageFrame,
): Rect | undefined {
  const at = [0, 8, 16, 24].map((offset) => scratch + offset);
  if (!raw.FPDFText_GetCharBox(textPage, index, ...at)) return undefined;
  const [left = 0, right = 0, bottom = 0, top = 0] = new Float64Array(raw.memory.buffer, scratch, 4);
  return rectToDisplay(frame, left, bottom, right, top);
}

/**
 * Returns all words of a text page in painting order, in display coordinates. If `measured` is true, words
 * include their ink boxes. `unmapped` contains the indexes of characters without a Unicode value.
 */
export function readWords(
  engine: Engine,
  textPage: number,
  frame: PageFrame,
  measured = false,
  unmapped: ReadonlySet<number> = NONE,
): TextWord[] {
  const { raw } = engine;
  const runs = new RunReader(engine, textPage, frame);
  const boxes = new BoxReader(engine, textPage, frame);
  const words = new WordBuilder();
  const count = raw.FPDFText_CountChars(textPage);
  for (let index = 0; index < count; index++) {
    const code = raw.FPDFText_GetUnicode(textPage, index);
    if (code === 0x0d || code === 0x0a || isSpace(code)) {
      words.addSpace();
      continue;
    }
    // Control codes stand for hyphens and ligatures only in fonts whose codes read like text.
    if (code < 0x20 && unmapped.has(index)) continue;
    if (LINE_HYPHENS.has(code)) {
      words.addLineHyphen();
      continue;
    }
    const text = decodeLetter(code);
    if (text === '') continue;
    const object = raw.FPDFText_GetTextObject(textPage, index);
    const run = runs.read(index, object);
    const box = boxes.read(index, run);
    if (!box) continue;
    const word = words.addLetter(text, box, run, object);
    if (unmapped.has(index)) word.unmapped = (word.unmapped ?? 0) + 1;
    const ink = measured ? readInk(engine, textPage, index, frame) : undefined;
    if (ink) word.ink = word.ink ? union([word.ink, ink]) : ink;
  }
  return words.finish();
}

/** Reads the boxes of characters, which are as high as their font. */
class BoxReader {
  readonly #engine: Engine;
  readonly #textPage: number;
  readonly #frame: PageFrame;
  #corners: Float32Array;

  constructor(engine: Engine, textPage: number, frame: PageFrame) {
    this.#engine = engine;
    this.#textPage = textPage;
    this.#frame = frame;
    this.#corners = floats(engine, 4);
  }

  /** Returns the box of a character, or `undefined` if the engine has none. */
  read(index: number, { base, size }: Run): Rect | undefined {
    const { raw, scratch } = this.#engine;
    if (!raw.FPDFText_GetLooseCharBox(this.#textPage, index, scratch)) return undefined;
    // Creating a view for each letter would cost more than the call itself. A new view is only needed when
    // the memory has grown.
    if (this.#corners.buffer !== raw.memory.buffer) this.#corners = floats(this.#engine, 4);
    const corners = this.#corners;
    const box = rectToDisplay(this.#frame, corners[0]!, corners[3]!, corners[2]!, corners[1]!);
    // Fonts with mathematical symbols claim a depth that none of their letters has. Without this correction,
    // words would not be joined into lines.
    if (base !== undefined && box.y0 < base && box.y1 > base + MAX_DESCENT * size)
      box.y1 = base + DEFAULT_DESCENT * size;
    return box;
  }
}

/** The letter that was added last. */
interface LastLetter {
  box: Rect;
  /** Start and end of the letter in the direction of the line. */
  from: number;
  to: number;
  isSquare: boolean;
  /** Text object that draws the letter, or 0 if there is none. */
  object: number;
}

/** Joins letters into words in painting order. */
class WordBuilder {
  readonly #words: TextWord[] = [];
  #word: TextWord | undefined;
  #last: LastLetter | undefined;
  #isSpaced = true;
  readonly #gaps = new LetterGaps();

  addSpace(): void {
    this.#endWord();
    this.#isSpaced = true;
  }

  addLineHyphen(): void {
    if (this.#word) {
      this.#word.text += '-';
      this.#word.hyphenated = true;
    }
    this.addSpace();
  }

  /** Adds a letter to the current word or starts a new word. Returns the word that contains the letter. */
  addLetter(text: string, box: Rect, run: Run, object: number): TextWord {
    const last = this.#last;
    const runsVertically = run.turns === 1 || run.turns === 3;
    const from = runsVertically ? box.y0 : box.x0;
    const to = runsVertically ? box.y1 : box.x1;
    const step = last && run.turns === 0 ? (box.y0 - last.box.y0) / run.size : 0;
    const isStacked =
      last !== undefined &&
      object !== 0 &&
      object === last.object &&
      step > MIN_STEP &&
      overlapX(last.box, box) > 0.5 * Math.min(box.x1 - box.x0, last.box.x1 - last.box.x0);
    const isSquare = box.x1 - box.x0 >= FULL_WIDTH * run.size && CASELESS.test(text);
    if (isStacked || (step > MIN_SQUARE_STEP && (isSquare || last?.isSquare))) this.#endWord();
    if (this.#word && last) {
      const gap = Math.max(from - last.to, last.from - to);
      if (!continuesWord(this.#word, box, run, gap)) this.#endWord();
    }
    if (this.#word && last) this.#gaps.add(this.#word.text.length, last.to, from, run.size);
    this.#last = { box, from, to, isSquare, object };
    if (this.#word) extendWord(this.#word, text, box, run.size);
    else this.#word = this.#beginWord(text, box, run, isStacked);
    return this.#word;
  }

  finish(): TextWord[] {
    this.#endWord();
    return this.#words;
  }

  #beginWord(text: string, box: Rect, run: Run, isStacked: boolean): TextWord {
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
    };
    if (isStacked) word.stacked = true;
    this.#isSpaced = false;
    this.#gaps.reset();
    return word;
  }

  #endWord(): void {
    const word = this.#word;
    if (word && word.text !== '') {
      for (const part of this.#gaps.divide(word)) {
        part.text = part.text.normalize('NFC').toWellFormed();
        this.#words.push(part);
      }
    }
    this.#word = undefined;
  }
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
