import type { Engine } from '../engine/engine.ts';
import { floats } from '../engine/engine.ts';
import type { PageFrame, Rect } from '../geometry.ts';
import { rectToDisplay, union } from '../geometry.ts';
import { hasTextLigatures } from '../math/tex-encodings.ts';
import { type Run, RunReader, type Style } from './runs.ts';
import type { Script } from './scripts.ts';
import type { UnmappedText } from './unmapped-text.ts';
import { WordBuilder } from './word-builder.ts';

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
  /** True if a letter of the word has a font that only formulas use. */
  math?: boolean;
  /** Baseline of the largest letters. Absent if it is not known, or if the word is not upright. */
  base?: number;
  /** Superscripts and subscripts in the word. */
  scripts?: readonly Script[];
  /** Indexes of the first and the last character in the text page. Absent for words of form fields. */
  first?: number;
  last?: number;
}

/**
 * Maximum depth of a letter's box below the baseline, in letter heights. A deeper box is reduced to
 * DEFAULT_DESCENT.
 */
const MAX_DESCENT = 0.6;
const DEFAULT_DESCENT = 0.22;

const isLineHyphen = (code: number) => code === 0xfffe || code === 0x0002 || code === 0x00ad;
const NONE: UnmappedText = { glyphs: [], indexes: new Set(), decoded: new Map() };
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

/** Returns the text of a character of a font. Returns an empty text for control codes. */
export function decodeLetter(code: number, font: string): string {
  const ligature = code < 0x20 ? TEX_LIGATURES.get(code) : undefined;
  if (ligature && hasTextLigatures(font)) return ligature;

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
 * include their ink boxes. `unmapped` contains the characters without a Unicode value.
 */
export function readWords(
  engine: Engine,
  textPage: number,
  frame: PageFrame,
  measured = false,
  unmapped: UnmappedText = NONE,
): TextWord[] {
  const { raw } = engine;
  const runs = new RunReader(engine, textPage, frame);
  const boxes = new BoxReader(engine, textPage, frame);
  const words = new WordBuilder();
  const count = raw.FPDFText_CountChars(textPage);
  const hasDecoded = unmapped.decoded.size > 0;
  const hasUnmapped = unmapped.indexes.size > 0;
  for (let index = 0; index < count; index++) {
    const code = raw.FPDFText_GetUnicode(textPage, index);
    const decoded = hasDecoded ? unmapped.decoded.get(index) : undefined;
    if (decoded === undefined && (code === 0x0d || code === 0x0a || isSpace(code))) {
      words.addSpace();
      continue;
    }
    // Control codes stand for hyphens and ligatures only in fonts whose codes read like text.
    if (code < 0x20 && unmapped.indexes.has(index)) continue;
    if (decoded === undefined && isLineHyphen(code)) {
      words.addLineHyphen();
      continue;
    }
    const object = raw.FPDFText_GetTextObject(textPage, index);
    const run = runs.read(index, object);
    const text = decoded ?? decodeLetter(code, run.style.font);
    if (text === '') continue;
    const box = boxes.read(index, run);
    if (!box) continue;
    const word = words.addLetter({ text, box, run, object, index });
    if (!word) continue;
    if (hasUnmapped && unmapped.indexes.has(index)) word.unmapped = (word.unmapped ?? 0) + 1;
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
    // the memory has grown, which leaves the old view without elements.
    if (this.#corners.length === 0) this.#corners = floats(this.#engine, 4);
    const corners = this.#corners;
    const box = rectToDisplay(this.#frame, corners[0]!, corners[3]!, corners[2]!, corners[1]!);
    // Fonts with mathematical symbols claim a depth that none of their letters has. Without this correction,
    // words would not be joined into lines.
    if (base !== undefined && box.y0 < base && box.y1 > base + MAX_DESCENT * size)
      box.y1 = base + DEFAULT_DESCENT * size;
    return box;
  }
}
