import regular from 'dejavu-fonts-ttf/ttf/DejaVuSans.ttf';
import bold from 'dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf';
import mono from 'dejavu-fonts-ttf/ttf/DejaVuSansMono.ttf';
import { create, type Font } from 'fontkit';

/** The fonts that texts are set in: Latin, Greek, Cyrillic, Armenian, Georgian, Hebrew, Arabic and many signs. */
export type Face = 'regular' | 'bold' | 'mono';

const FILES: Record<Face, ArrayBuffer> = { regular, bold, mono };

const opened: Partial<Record<Face, Font>> = {};

/** Opened when first used, and kept: what it reads of the file it keeps as well. */
export function fontProgram(face: Face): Font {
  opened[face] ??= create(new Uint8Array(FILES[face]));
  return opened[face];
}
