import type { Line } from './lines.ts';
import { formatNumber, toHex4 } from './objects.ts';

export interface Size {
  width: number;
  height: number;
}

/** Collects the drawing commands of one PDF page. Coordinates are in points from the top left corner. */
export class Sheet {
  readonly width: number;
  readonly height: number;
  readonly #commands: string[] = [];

  constructor({ width, height }: Size) {
    this.width = width;
    this.height = height;
  }

  /** Draws a line of text. `y` is the position of its baseline. */
  text(line: Line, x: number, y: number, size: number): void {
    this.#show(line, x, y, size, '');
  }

  /**
   * Adds an invisible word and a space on top of a scan, so that the scan can be searched and copied. `width`
   * is the width in points of the word in the scan.
   */
  hiddenWord(word: Line, space: Line, x: number, y: number, size: number, width: number): void {
    const natural = word.reduce((sum, { advance }) => sum + advance, 0);
    if (natural === 0) return;
    const stretch = Math.min(1000, Math.max(5, (width * 100_000) / (natural * size)));
    this.#show([...word, ...space], x, y, size, `3 Tr ${formatNumber(stretch)} Tz `);
  }

  #show(line: Line, x: number, y: number, size: number, state: string): void {
    let [at, run, font, start] = [x, '', '', x];
    const flush = () => {
      if (run === '') return;
      const place = `${formatNumber(start)} ${this.#up(y)} Td`;
      this.#commands.push(`BT ${state}/${font} ${formatNumber(size)} Tf ${place} <${run}> Tj ET`);
      run = '';
    };
    for (const glyph of line) {
      if (glyph.font !== font) {
        flush();
        font = glyph.font;
        start = at;
      }
      run += toHex4(glyph.code);
      at += (glyph.advance / 1000) * size;
    }
    flush();
    if (state !== '') this.#commands.push('BT 0 Tr 100 Tz ET');
  }

  frame(x: number, y: number, width: number, height: number): void {
    this.#commands.push(`.5 w .6 G ${this.#box(x, y, width, height)} re S`);
  }

  fill(x: number, y: number, width: number, height: number, grey: number): void {
    this.#commands.push(`${formatNumber(grey)} g ${this.#box(x, y, width, height)} re f 0 g`);
  }

  /**
   * Draws a picture, rotated according to its EXIF orientation. `name` is the name of the picture in the
   * page's resources.
   */
  picture(name: string, x: number, y: number, width: number, height: number, orientation = 1): void {
    const [a, b, c, d, e, f] = ORIENTATION_MATRICES[orientation] ?? ORIENTATION_MATRICES[1]!;
    const matrix = [a * width, b * height, c * width, d * height].map(formatNumber).join(' ');
    const place = `${formatNumber(x + e * width)} ${formatNumber(this.height - y - height + f * height)}`;
    this.#commands.push(`q ${matrix} ${place} cm /${name} Do Q`);
  }

  content(): string {
    return this.#commands.join('\n');
  }

  #box(x: number, y: number, width: number, height: number): string {
    return `${formatNumber(x)} ${this.#up(y + height)} ${formatNumber(width)} ${formatNumber(height)}`;
  }

  #up(y: number): string {
    return formatNumber(this.height - y);
  }
}

/**
 * Transformation matrices that rotate or mirror a picture, by EXIF orientation. They apply to a picture of
 * width and height 1.
 */
const ORIENTATION_MATRICES: Record<number, readonly [number, number, number, number, number, number]> = {
  1: [1, 0, 0, 1, 0, 0],
  2: [-1, 0, 0, 1, 1, 0],
  3: [-1, 0, 0, -1, 1, 1],
  4: [1, 0, 0, -1, 0, 1],
  5: [0, -1, -1, 0, 1, 1],
  6: [0, -1, 1, 0, 0, 1],
  7: [0, 1, 1, 0, 0, 0],
  8: [0, 1, -1, 0, 1, 0],
};
