import { type Engine, floats } from '../engine/engine.ts';
import type { PageFrame } from '../geometry.ts';
import { pointToDisplay } from '../geometry.ts';
import { isMathFont } from '../math/tex-encodings.ts';

export interface Style {
  bold: boolean;
  italic: boolean;
  monospace: boolean;
  font: string;
  /** True for fonts that only formulas use. */
  math?: boolean;
}

/** Appearance of the letters of one text object. */
export interface Run {
  /** Font size in points after applying the text matrix. */
  size: number;
  style: Style;
  /** Writing direction in counter-clockwise quarter turns, or `undefined` for any other angle. */
  turns: number | undefined;
  /** Position of the baseline in display coordinates. Only known for upright text. */
  base: number | undefined;
  hidden: boolean;
  white: boolean;
}

const INVISIBLE_MODES = new Set([3, 7]);
const FIXED_PITCH = 1;
const FORCE_BOLD = 1 << 18;
const ITALIC = 1 << 6;
const PLAIN: Style = { bold: false, italic: false, monospace: false, font: '' };

/** Reads the appearance of characters. It is read once for consecutive characters of the same text object. */
export class RunReader {
  readonly #engine: Engine;
  readonly #textPage: number;
  readonly #frame: PageFrame;
  readonly #styles = new Map<number, Style>();
  #run: Run | undefined;
  #object = -1;

  constructor(engine: Engine, textPage: number, frame: PageFrame) {
    this.#engine = engine;
    this.#textPage = textPage;
    this.#frame = frame;
  }

  /** Returns the run of a character that `object` draws. */
  read(index: number, object: number): Run {
    if (object === this.#object && this.#run) return this.#run;
    this.#run = this.#readRun(index, object);
    this.#object = object;
    return this.#run;
  }

  #readRun(index: number, object: number): Run {
    const { raw, scratch } = this.#engine;
    const style = this.#readStyle(object);
    raw.FPDFText_GetMatrix(this.#textPage, index, scratch);
    const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = floats(this.#engine, 6);
    const scale = Math.hypot(c, d) || 1;
    const degrees = (Math.atan2(b, a) * 180) / Math.PI - this.#frame.rotation * 90;
    const turns = Math.round(degrees / 90);
    const isStraight = Math.abs(degrees - turns * 90) < 3;
    const [red, green, blue, alpha] = this.#readColor(index);
    const isInvisible = object !== 0 && INVISIBLE_MODES.has(raw.FPDFTextObj_GetTextRenderMode(object));
    return {
      size: raw.FPDFText_GetFontSize(this.#textPage, index) * scale,
      style,
      turns: isStraight ? ((turns % 4) + 4) % 4 : undefined,
      base: isStraight && turns % 4 === 0 ? pointToDisplay(this.#frame, e, f)[1] : undefined,
      hidden: alpha === 0 || isInvisible,
      white: red > 250 && green > 250 && blue > 250,
    };
  }

  #readStyle(object: number): Style {
    const font = object === 0 ? 0 : this.#engine.raw.FPDFTextObj_GetFont(object);
    const known = this.#styles.get(font);
    if (known) return known;
    const style = readStyle(this.#engine, font);
    this.#styles.set(font, style);
    return style;
  }

  /** Reads the fill color of a character. Returns opaque black if the engine has none. */
  #readColor(index: number): [red: number, green: number, blue: number, alpha: number] {
    const { raw, scratch } = this.#engine;
    const places = [scratch, scratch + 4, scratch + 8, scratch + 12] as const;
    if (!raw.FPDFText_GetFillColor(this.#textPage, index, ...places)) return [0, 0, 0, 255];
    const [red = 0, green = 0, blue = 0, alpha = 255] = new Uint32Array(raw.memory.buffer, scratch, 4);
    return [red, green, blue, alpha];
  }
}

function readStyle(engine: Engine, font: number): Style {
  if (font === 0) return PLAIN;
  const { raw } = engine;
  const name = baseFontName(engine, font);
  const flags = raw.FPDFFont_GetFlags(font);
  return {
    font: name,
    ...(isMathFont(name) && { math: true }),
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

/** Reads the name of a font, without the prefix of a font subset. */
export function baseFontName(engine: Engine, font: number): string {
  const { raw, scratch } = engine;
  const bytes = raw.FPDFFont_GetBaseFontName(font, scratch, 256);
  if (bytes <= 1 || bytes > 256) return '';
  const name = new TextDecoder('latin1').decode(new Uint8Array(raw.memory.buffer, scratch, bytes - 1));
  return name.replace(/^[A-Z]{6}\+/, '');
}
