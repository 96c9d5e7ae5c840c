import type { Line } from './lines.ts';
import { hex4, number } from './objects.ts';

export interface Size {
  width: number;
  height: number;
}

/** The drawing commands of one page of the file. Points from the page's top left. */
export class Sheet {
  readonly width: number;
  readonly height: number;
  readonly #commands: string[] = [];

  constructor({ width, height }: Size) {
    this.width = width;
    this.height = height;
  }

  /** `y` is the baseline. */
  text(line: Line, x: number, y: number, size: number): void {
    this.#show(line, x, y, size, '');
  }

  /** A word that is there to be found and copied, as wide as it is in the picture below it, and what parts it from the next. */
  hidden(word: Line, space: Line, x: number, y: number, size: number, width: number): void {
    const natural = word.reduce((sum, { advance }) => sum + advance, 0);
    if (natural === 0) return;
    const stretch = Math.min(1000, Math.max(5, (width * 100_000) / (natural * size)));
    this.#show([...word, ...space], x, y, size, `3 Tr ${number(stretch)} Tz `);
  }

  #show(line: Line, x: number, y: number, size: number, state: string): void {
    let [at, run, font, start] = [x, '', '', x];
    const flush = () => {
      if (run === '') return;
      const place = `${number(start)} ${this.#up(y)} Td`;
      this.#commands.push(`BT ${state}/${font} ${number(size)} Tf ${place} <${run}> Tj ET`);
      run = '';
    };
    for (const glyph of line) {
      if (glyph.font !== font) {
        flush();
        font = glyph.font;
        start = at;
      }
      run += hex4(glyph.code);
      at += (glyph.advance / 1000) * size;
    }
    flush();
    if (state !== '') this.#commands.push('BT 0 Tr 100 Tz ET');
  }

  frame(x: number, y: number, width: number, height: number): void {
    this.#commands.push(`.5 w .6 G ${this.#box(x, y, width, height)} re S`);
  }

  fill(x: number, y: number, width: number, height: number, grey: number): void {
    this.#commands.push(`${number(grey)} g ${this.#box(x, y, width, height)} re f 0 g`);
  }

  /** The image of that name in the resources, turned as EXIF says. */
  picture(name: string, x: number, y: number, width: number, height: number, orientation = 1): void {
    const [a, b, c, d, e, f] = TURNS[orientation] ?? TURNS[1]!;
    const matrix = [a * width, b * height, c * width, d * height].map(number).join(' ');
    const place = `${number(x + e * width)} ${number(this.height - y - height + f * height)}`;
    this.#commands.push(`q ${matrix} ${place} cm /${name} Do Q`);
  }

  content(): string {
    return this.#commands.join('\n');
  }

  #box(x: number, y: number, width: number, height: number): string {
    return `${number(x)} ${this.#up(y + height)} ${number(width)} ${number(height)}`;
  }

  #up(y: number): string {
    return number(this.height - y);
  }
}

/** Of the unit square that a picture fills, by EXIF's word for how its bytes are to be turned. */
const TURNS: Record<number, readonly [number, number, number, number, number, number]> = {
  1: [1, 0, 0, 1, 0, 0],
  2: [-1, 0, 0, 1, 1, 0],
  3: [-1, 0, 0, -1, 1, 1],
  4: [1, 0, 0, -1, 0, 1],
  5: [0, -1, -1, 0, 1, 1],
  6: [0, -1, 1, 0, 0, 1],
  7: [0, 1, 1, 0, 0, 0],
  8: [0, 1, -1, 0, 1, 0],
};
