import type { Engine } from '../engine/engine.ts';
import { type PageFrame, pointToDisplay, type Rect, union } from '../geometry.ts';
import { RunReader } from '../text/runs.ts';
import { decodeLetter, readInk, type TextWord } from '../text/words.ts';
import { decodeFontCode } from './tex-encodings.ts';

/** A drawn character of a formula, with the box of its ink. */
export interface Glyph extends Rect {
  text: string;
  /** Position of the baseline in display coordinates. */
  base: number;
  /** Font size in points. */
  size: number;
  italic: boolean;
  font: string;
}

const isBlank = (code: number) => code <= 0x20 || code === 0xa0 || (code >= 0x2000 && code <= 0x200f);
const isPrivate = (code: number) => code >= 0xe000 && code <= 0xf8ff;

/** Reads the characters of words. */
export class GlyphReader {
  readonly #engine: Engine;
  readonly #textPage: number;
  readonly #frame: PageFrame;
  readonly #runs: RunReader;

  constructor(engine: Engine, textPage: number, frame: PageFrame) {
    this.#engine = engine;
    this.#textPage = textPage;
    this.#frame = frame;
    this.#runs = new RunReader(engine, textPage, frame);
  }

  /** Returns `undefined` if a character of the word has no known value or no position. */
  read(word: TextWord): Glyph[] | undefined {
    const { first, last } = word;
    if (first === undefined || last === undefined) return undefined;
    const glyphs: Glyph[] = [];
    for (let index = first; index <= last; index++) {
      const glyph = this.#readOne(index);
      if (glyph === undefined) return undefined;
      if (glyph !== 'blank') glyphs.push(glyph);
    }
    return glyphs;
  }

  /** Returns the box of the ink of a word, or `undefined` if it has none. */
  measure({ first, last }: TextWord): Rect | undefined {
    if (first === undefined || last === undefined) return undefined;
    const boxes: Rect[] = [];
    for (let index = first; index <= last; index++) {
      const ink = readInk(this.#engine, this.#textPage, index, this.#frame);
      if (ink && ink.y1 > ink.y0) boxes.push(ink);
    }
    return boxes.length > 0 ? union(boxes) : undefined;
  }

  #readOne(index: number): Glyph | 'blank' | undefined {
    const { raw, scratch } = this.#engine;
    const code = raw.FPDFText_GetUnicode(this.#textPage, index);
    const run = this.#runs.read(index, raw.FPDFText_GetTextObject(this.#textPage, index));
    const { font, italic } = run.style;
    const isCode = raw.FPDFText_HasUnicodeMapError(this.#textPage, index) === 1;
    const decoded = isCode || isPrivate(code) ? decodeFontCode(font, code) : undefined;
    if (decoded === undefined && (isCode || isPrivate(code))) return undefined;
    if (decoded === undefined && isBlank(code)) return 'blank';
    const text = decoded ?? decodeLetter(code, font);
    const ink = readInk(this.#engine, this.#textPage, index, this.#frame);
    if (text === '' || !ink) return undefined;
    if (!raw.FPDFText_GetCharOrigin(this.#textPage, index, scratch, scratch + 8)) return undefined;
    const [x = 0, y = 0] = new Float64Array(raw.memory.buffer, scratch, 2);
    const base = pointToDisplay(this.#frame, x, y)[1];
    return { ...ink, text, base, size: run.size, italic, font };
  }
}
