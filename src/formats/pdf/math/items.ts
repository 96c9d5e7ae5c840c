import { splitStyle } from '#src/formats/shared/math/alphabets.ts';
import type { MathNode, MathStyle } from '#src/formats/shared/math/nodes.ts';
import { writeCharacter } from '#src/formats/shared/math/symbols.ts';
import type { Rect } from '../geometry.ts';
import type { Glyph } from './glyphs.ts';

/** Part of a formula that has been read: a glyph, or a group of glyphs such as a fraction. */
export interface Item extends Rect {
  node: MathNode;
  /** Characters of a glyph or a name. Empty for groups. */
  text: string;
  base: number;
  size: number;
  /** All items except letters and signs, such as fractions, integrals and brackets, are centered on the axis of their row. */
  kind: 'letter' | 'sign' | 'large' | 'bracket' | 'group';
  upright: boolean;
  bold: boolean;
}

/** Reason why a formula cannot be read. */
export class UnreadableFormula extends Error {
  override readonly name = 'UnreadableFormula';
}

/** Height of the axis, on which fraction bars and brackets are centered, above the baseline in letter heights. */
export const AXIS = 0.25;

const LARGE = /^[∑∏∐∫∬∭∮⋂⋃⋁⋀⨀⨁⨂⨄⨆]$/;
const BRACKET = /^[()[\]{}|‖∥⟨⟩⌊⌋⌈⌉/\\⎛-⎭]$/;

/** Weights in font descriptions are too often wrong to decide about the meaning of letters. */
const BOLD = /bold|black|heavy|^CM(?:BX|MIB|BSY)|-bd|-medi(?:$|ital)/i;

export const PIECE = /^[⎛-⎭]$/;

export const isLarge = (text: string): boolean => LARGE.test(text);

/** Bars that fonts draw like brackets. */
const SAME: ReadonlyMap<string, string> = new Map([
  ['∥', '‖'],
  ['∣', '|'],
]);
/** Matches a character that LaTeX writes as it is. */
const PLAIN = /^[\p{Script=Latin}\p{Script=Greek}\d()[\]{}|/\\,.;:!?'’′″‴%&*+\-−–<>=~^ˆ˜¯ˉ˙¨ˇ´`˘˚]+$/u;

/** The slash through a sign, and the arrow above a letter. */
const COMBINING: ReadonlySet<string> = new Set(['\u0338', '\u20d7']);

/** Converts a glyph to an item. */
export function toItem(glyph: Glyph): Item {
  const text = SAME.get(glyph.text) ?? glyph.text;
  const { x0, y0, x1, y1, base, size, italic, font } = glyph;
  const bold = BOLD.test(font);
  // Letters with a typeface of their own in Unicode need no other sign of it.
  const { letter } = splitStyle(text);
  if (
    !PLAIN.test(letter) &&
    !COMBINING.has(text) &&
    !PIECE.test(text) &&
    !writeCharacter(letter).startsWith('\\')
  ) {
    throw new UnreadableFormula(`the character ${text}`);
  }
  const isLetter = /^[\p{L}\d]+$/u.test(text);
  const isItalic = italic || letter !== text || /^(?:CMMI|LMMathItalic|KaTeX_Math|MTMI)/i.test(font);
  const kind = LARGE.test(text) ? 'large' : BRACKET.test(text) ? 'bracket' : isLetter ? 'letter' : 'sign';
  const style = isLetter && letter === text ? findStyle(glyph, bold, isItalic) : undefined;
  return {
    ...{ x0, y0, x1, y1, base, size, text, kind, bold },
    node: { kind: 'leaf', text, style },
    upright:
      isLetter && !isItalic && /^\p{L}+$/u.test(text) && style !== 'double-struck' && style !== 'script',
  };
}

function findStyle({ font, text }: Glyph, bold: boolean, isItalic: boolean): MathStyle | undefined {
  if (/^[A-Z]$/.test(text)) {
    if (/^(?:MSBM|KaTeX_AMS)/i.test(font)) return 'double-struck';
    if (/^(?:CMSY|CMBSY|EUS[MB]|RSFS|LMMathSymbols|KaTeX_(?:Caligraphic|Script))/i.test(font))
      return 'script';
  }
  if (/^(?:EUF[MB]|KaTeX_Fraktur)/i.test(font)) return 'fraktur';
  if (bold) return isItalic ? 'bold-italic' : 'bold';
  return undefined;
}
