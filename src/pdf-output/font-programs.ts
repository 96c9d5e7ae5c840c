import regular from 'dejavu-fonts-ttf/ttf/DejaVuSans.ttf';
import bold from 'dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf';
import mono from 'dejavu-fonts-ttf/ttf/DejaVuSansMono.ttf';
import { create, type Font } from 'fontkit';

/**
 * Styles of the fonts for PDF text. The fonts cover Latin, Greek, Cyrillic, Armenian, Georgian, Hebrew,
 * Arabic and many symbols.
 */
export type Face = 'regular' | 'bold' | 'mono';

const FILES: Record<Face, ArrayBuffer> = { regular, bold, mono };

const openFonts: Partial<Record<Face, Font>> = {};

/** Returns the font of a style. The font is opened on first use and then cached. */
export function getFontProgram(face: Face): Font {
  openFonts[face] ??= create(new Uint8Array(FILES[face]));
  return openFonts[face];
}
