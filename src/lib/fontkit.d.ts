/** The part of fontkit that is used; the package comes without types. */
declare module 'fontkit' {
  export interface Glyph {
    readonly id: number;
    /** In units of the font. */
    readonly advanceWidth: number;
    /** What it stands for in the text: several of a ligature. */
    readonly codePoints: number[];
  }

  export interface GlyphPosition {
    readonly xAdvance: number;
    readonly xOffset: number;
    readonly yOffset: number;
  }

  export interface Subset {
    /** Answers with the glyph's id in the subset. */
    includeGlyph(id: number): number;
    encode(): Uint8Array;
  }

  export interface Font {
    readonly postscriptName: string;
    readonly unitsPerEm: number;
    readonly ascent: number;
    readonly descent: number;
    readonly capHeight: number;
    readonly italicAngle: number;
    readonly bbox: { minX: number; minY: number; maxX: number; maxY: number };
    hasGlyphForCodePoint(codePoint: number): boolean;
    glyphForCodePoint(codePoint: number): Glyph;
    /** Shaped glyphs, from left to right. */
    layout(text: string): { glyphs: Glyph[]; positions: GlyphPosition[] };
    createSubset(): Subset;
  }

  export function create(bytes: Uint8Array): Font;
}
