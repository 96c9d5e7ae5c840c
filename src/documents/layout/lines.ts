import { type Face, type Glyph, glyphsOf } from './fonts.ts';

const SPACE = 0x20;

export const widthOf = (glyphs: readonly Glyph[], size: number) =>
  (glyphs.reduce((sum, glyph) => sum + glyph.width, 0) / 1000) * size;

/** Breaks a text into lines of at most `width` points: at spaces, and inside words that are too long. */
export function* wrap(text: string, face: Face, size: number, width: number): Generator<Glyph[]> {
  const limit = (width / size) * 1000;
  for (const source of text.split('\n')) {
    let line: Glyph[] = [];
    let used = 0;
    let breakAt = -1;
    for (const glyph of glyphsOf(source, face)) {
      if (used + glyph.width > limit && line.length > 0) {
        // Scripts that the fonts lack may have no spaces: they break anywhere.
        const cut = glyph.code === SPACE || breakAt < 0 ? line.length : breakAt;
        yield line.slice(0, cut);
        line = line.slice(cut);
        used = line.reduce((sum, each) => sum + each.width, 0);
        breakAt = -1;
        if (glyph.code === SPACE && line.length === 0) continue;
      }
      line.push(glyph);
      used += glyph.width;
      if (glyph.code === SPACE) breakAt = line.length;
    }
    yield line;
  }
}
