/** Types for the parts of fontkit that Sluice uses. The package itself has no types. */
declare module 'fontkit' {
  export interface Glyph {
    readonly id: number;
    /** Advance width in font units. */
    readonly advanceWidth: number;
    /** Code points that the glyph represents; several for a ligature. */
    readonly codePoints: number[];
  }

  export interface GlyphPosition {
    readonly xAdvance: number;
    readonly xOffset: number;
    readonly yOffset: number;
  }

  export interface Subset {
    /** Adds a glyph and returns its id in the subset. */
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
    /** Returns shaped glyphs from left to right. */
    layout(text: string): { glyphs: Glyph[]; positions: GlyphPosition[] };
    createSubset(): Subset;
  }

  export function create(bytes: Uint8Array): Font;
}
