import type { Engine } from '../engine/engine.ts';
import { floats } from '../engine/engine.ts';
import type { PageFrame, Rect } from '../geometry.ts';
import { overlapX, pointToDisplay, rectToDisplay, union } from '../geometry.ts';

export interface Style {
  bold: boolean;
  italic: boolean;
  monospace: boolean;
  font: string;
}

/** Letters without a space between them, on one line. */
export interface TextWord extends Rect {
  text: string;
  /** Points, after the text matrix. */
  size: number;
  style: Style;
  /**
   * Quarter turns counter-clockwise of the writing direction; undefined for any other angle. Columns of upright
   * letters run as text turned three times does, and have 3.
   */
  turns: number | undefined;
  /** Upright letters one below the other. */
  vertical?: boolean;
  /** One stroke of text put the word below the one before it, which only fonts for vertical writing do. */
  stacked?: boolean;
  /** A space stood before the word, or the line began with it. */
  spaced: boolean;
  /** The word goes on in the next line: its hyphen belongs to the line break. */
  hyphenated: boolean;
  /** Painted invisibly (as scanners' text layers are) or fully transparent. */
  hidden: boolean;
  /** Painted in white. */
  white: boolean;
  /** How many of its letters have no Unicode value and are a font's character codes. */
  unmapped?: number;
  /** What its letters cover, when that was measured; the word's own edges are as high as the font. */
  ink?: Rect;
}

interface Run {
  size: number;
  style: Style;
  turns: number | undefined;
  /** Where the letters stand, in display coordinates; known for upright text only. */
  base: number | undefined;
  hidden: boolean;
  white: boolean;
}

/** Scripts without capitals have the letters that fill a square, and with it columns. */
export const CASELESS = /^\p{Lo}$/u;
/** In letter heights, as the steps below. */
export const FULL_WIDTH = 0.8;
/** How far a stroke of vertical text goes down from letter to letter, and how far the next square letter does. */
const LEAST_STEP = 0.2;
const USUAL_STEP = 0.6;

/** How far below its baseline a letter's box may reach, in letter heights, and how far one is let that does not. */
const DEEPEST = 0.6;
const USUAL_DEPTH = 0.22;

const LINE_HYPHENS = new Set([0xfffe, 0x0002, 0x00ad]);
const INVISIBLE_MODES = new Set([3, 7]);
const FIXED_PITCH = 1;
const FORCE_BOLD = 1 << 18;
const ITALIC = 1 << 6;
const NONE: ReadonlySet<number> = new Set();
const PLAIN: Style = { bold: false, italic: false, monospace: false, font: '' };

const isSpace = (code: number) =>
  code === 0x20 || code === 0xa0 || code === 0x3000 || (code >= 0x2000 && code <= 0x200b) || code === 0x09;

/** Presentation forms say how a letter is drawn; readers and searches want the letter. */
const isPresentationForm = (code: number) =>
  (code >= 0xfb00 && code <= 0xfdff) ||
  (code >= 0xfe70 && code <= 0xfefe) ||
  (code >= 0xf900 && code <= 0xfaff);

/** TeX's first positions, which files without a character map hand out as control codes. */
const TEX_LIGATURES = new Map([
  [0x0b, 'ff'],
  [0x0c, 'fi'],
  [0x0e, 'ffi'],
  [0x0f, 'ffl'],
]);

function letter(code: number): string {
  const ligature = TEX_LIGATURES.get(code);
  if (ligature) return ligature;

  if (code < 0x20 || (code >= 0x7f && code < 0xa0) || code === 0xffff || code === 0xfeff) return '';
  const text = code > 0xffff && code <= 0x10ffff ? String.fromCodePoint(code) : String.fromCharCode(code);
  return isPresentationForm(code) ? text.normalize('NFKC') : text;
}

function readStyle(engine: Engine, font: number): Style {
  if (font === 0) return PLAIN;
  const { raw } = engine;
  const name = baseFontName(engine, font);
  const flags = raw.FPDFFont_GetFlags(font);
  return {
    font: name,
    bold:
      /bold|black|heavy|semibd|demi|CMBX|-Bd/i.test(name) ||
      raw.FPDFFont_GetWeight(font) >= 600 ||
      (flags & FORCE_BOLD) !== 0,
    italic: /ital|obliq|CMTI|-It\b/i.test(name) || (flags & ITALIC) !== 0,
    monospace:
      /mono|courier|consol|menlo|typewriter|CMTT|sourcecode|inconsolata/i.test(name) ||
      (flags & FIXED_PITCH) !== 0,
  };
}

function baseFontName(engine: Engine, font: number): string {
  const { raw, scratch } = engine;
  const bytes = raw.FPDFFont_GetBaseFontName(font, scratch, 256);
  if (bytes <= 1 || bytes > 256) return '';
  const name = new TextDecoder('latin1').decode(new Uint8Array(raw.memory.buffer, scratch, bytes - 1));
  return name.replace(/^[A-Z]{6}\+/, '');
}

/** Reads the box of what a character draws, in display coordinates; `undefined` if the engine knows none. */
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
 * Every word of a text page in the order the file paints them, in display coordinates. `measured`: with its ink.
 * `unmapped`: indexes of the characters without a Unicode value.
 */
export function readWords(
  engine: Engine,
  textPage: number,
  frame: PageFrame,
  measured = false,
  unmapped: ReadonlySet<number> = NONE,
): TextWord[] {
  const { raw, scratch } = engine;
  const fonts = new Map<number, Style>();
  const words: TextWord[] = [];
  let word: TextWord | undefined;
  let run: Run | undefined;
  let runObject = -1;
  let lastX0 = 0;
  let lastX1 = 0;
  let lastBox: Rect | undefined;
  let lastIsSquare = false;
  let lastObject = -1;
  let spaced = true;

  const readRun = (index: number, object: number): Run => {
    const font = object === 0 ? 0 : raw.FPDFTextObj_GetFont(object);
    let style = fonts.get(font);
    if (!style) {
      style = readStyle(engine, font);
      fonts.set(font, style);
    }
    raw.FPDFText_GetMatrix(textPage, index, scratch);
    const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = floats(engine, 6);
    const scale = Math.hypot(c, d) || 1;
    const degrees = (Math.atan2(b, a) * 180) / Math.PI - frame.rotation * 90;
    const turns = Math.round(degrees / 90);
    const straight = Math.abs(degrees - turns * 90) < 3;
    const colored = raw.FPDFText_GetFillColor(
      textPage,
      index,
      scratch,
      scratch + 4,
      scratch + 8,
      scratch + 12,
    );
    const [red = 0, green = 0, blue = 0, alpha = 255] = colored
      ? new Uint32Array(raw.memory.buffer, scratch, 4)
      : [];
    return {
      size: raw.FPDFText_GetFontSize(textPage, index) * scale,
      style,
      turns: straight ? ((turns % 4) + 4) % 4 : undefined,
      base: straight && turns % 4 === 0 ? pointToDisplay(frame, e, f)[1] : undefined,
      hidden: alpha === 0 || (object !== 0 && INVISIBLE_MODES.has(raw.FPDFTextObj_GetTextRenderMode(object))),
      white: red > 250 && green > 250 && blue > 250,
    };
  };
  const finish = () => {
    if (word && word.text !== '') {
      word.text = word.text.normalize('NFC').toWellFormed();
      words.push(word);
    }
    word = undefined;
  };

  const count = raw.FPDFText_CountChars(textPage);
  let corners = floats(engine, 4);
  for (let index = 0; index < count; index++) {
    const code = raw.FPDFText_GetUnicode(textPage, index);
    if (code === 0x0d || code === 0x0a || isSpace(code)) {
      finish();
      spaced = true;
      continue;
    }
    // Control codes are hyphens and ligatures only in fonts whose codes read like a text.
    if (code < 0x20 && unmapped.has(index)) continue;
    if (LINE_HYPHENS.has(code)) {
      if (word) {
        word.text += '-';
        word.hyphenated = true;
      }
      finish();
      spaced = true;
      continue;
    }
    const text = letter(code);
    if (text === '') continue;

    const object = raw.FPDFText_GetTextObject(textPage, index);
    if (object !== runObject || !run) {
      run = readRun(index, object);
      runObject = object;
    }
    if (!raw.FPDFText_GetLooseCharBox(textPage, index, scratch)) continue;
    // A view for each letter would cost more than the call; growth of the memory makes a new one due.
    if (corners.buffer !== raw.memory.buffer) corners = floats(engine, 4);
    const box = rectToDisplay(frame, corners[0]!, corners[3]!, corners[2]!, corners[1]!);
    // Fonts of mathematical symbols claim a depth that none of the letters has; their lines would fall apart.
    const { base, size } = run;
    if (base !== undefined && box.y0 < base && box.y1 > base + DEEPEST * size)
      box.y1 = base + USUAL_DEPTH * size;
    const along = run.turns === 1 || run.turns === 3;
    const x0 = along ? box.y0 : box.x0;
    const x1 = along ? box.y1 : box.x1;
    const ofOneStroke = object !== 0 && object === lastObject;
    const step = lastBox && run.turns === 0 ? (box.y0 - lastBox.y0) / run.size : 0;
    const isStacked =
      lastBox !== undefined &&
      ofOneStroke &&
      step > LEAST_STEP &&
      overlapX(lastBox, box) > 0.5 * Math.min(box.x1 - box.x0, lastBox.x1 - lastBox.x0);

    const isSquare = box.x1 - box.x0 >= FULL_WIDTH * run.size && CASELESS.test(text);
    if (isStacked || (step > USUAL_STEP && (isSquare || lastIsSquare))) finish();
    if (word) {
      const gap = Math.max(x0 - lastX1, lastX0 - x1);
      const level = along
        ? Math.min(word.x1, box.x1) - Math.max(word.x0, box.x0)
        : Math.min(word.y1, box.y1) - Math.max(word.y0, box.y0);
      const diagonal = run.turns === undefined && word.turns === undefined;
      if (!diagonal && (gap > run.size * 0.3 || level <= 0 || run.turns !== word.turns)) finish();
    }
    if (!word) {
      word = {
        x0: box.x0,
        y0: box.y0,
        x1: box.x1,
        y1: box.y1,
        text,
        size: run.size,
        style: run.style,
        turns: run.turns,
        spaced,
        hyphenated: false,
        hidden: run.hidden,
        white: run.white,
      };
      if (isStacked) word.stacked = true;
      spaced = false;
    } else {
      word.text += text;
      if (box.x0 < word.x0) word.x0 = box.x0;
      if (box.y0 < word.y0) word.y0 = box.y0;
      if (box.x1 > word.x1) word.x1 = box.x1;
      if (box.y1 > word.y1) word.y1 = box.y1;
      if (run.size > word.size) word.size = run.size;
    }
    if (unmapped.has(index)) word.unmapped = (word.unmapped ?? 0) + 1;
    const ink = measured ? readInk(engine, textPage, index, frame) : undefined;
    if (ink) word.ink = word.ink ? union([word.ink, ink]) : ink;
    lastX0 = x0;
    lastX1 = x1;
    lastBox = box;
    lastIsSquare = isSquare;
    lastObject = object;
  }
  finish();
  return words;
}
