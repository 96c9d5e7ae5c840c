import { BASE_FONTS, type Face, type Glyph } from './fonts.ts';

const encoder = new TextEncoder();
const number = (value: number) => value.toFixed(2);

/**
 * Collects the drawing commands of one page and writes them as a PDF file. Coordinates are in points from the
 * top left corner.
 */
export class Canvas {
  readonly #commands: string[] = [];
  readonly #width: number;
  readonly #height: number;
  /** Number of characters that the fonts do not contain. They are drawn as empty boxes. */
  missingGlyphs = 0;

  /** `height` is the maximum page height in points. `toPdf` reduces it to the part that was used. */
  constructor(width: number, height: number) {
    this.#width = width;
    this.#height = height;
  }

  /** Draws characters at a position. `y` is the position of their baseline. */
  text(glyphs: readonly Glyph[], x: number, y: number, face: Face, size: number): void {
    let run = '';
    let start = x;
    let at = x;
    const flush = () => {
      if (run !== '') {
        this.#commands.push(`BT /${face} ${size} Tf ${number(start)} ${this.#up(y)} Td <${run}> Tj ET`);
      }
      run = '';
    };
    for (const { code, width } of glyphs) {
      const advance = (width / 1000) * size;
      if (code === undefined) {
        flush();
        this.missingGlyphs += 1;
        this.frame(at + size * 0.06, y - size * 0.7, advance - size * 0.12, size * 0.7);
      } else {
        if (run === '') start = at;
        run += code.toString(16).padStart(2, '0');
      }
      at += advance;
    }
    flush();
  }

  frame(x: number, y: number, width: number, height: number): void {
    this.#commands.push(
      `.5 w .6 G ${number(x)} ${this.#up(y + height)} ${number(width)} ${number(height)} re S`,
    );
  }

  #up(y: number): string {
    return number(this.#height - y);
  }

  /** Returns a PDF file with one page that shows the upper `height` points of the drawing. */
  toPdf(height: number): Uint8Array {
    const fonts = Object.entries(BASE_FONTS).map(
      ([face, name]) =>
        `/${face} << /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`,
    );
    const box = [0, this.#height - height, this.#width, this.#height].map(number).join(' ');
    const stream = this.#commands.join('\n');
    return pdfFile([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      `<< /Type /Page /Parent 2 0 R /MediaBox [${box}] /Contents 4 0 R /Resources << /Font << ${fonts.join(' ')} >> >> >>`,
      `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    ]);
  }
}

/** Writes a PDF file. All text is ASCII, so positions in the string are byte offsets. */
function pdfFile(objects: readonly string[]): Uint8Array {
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const at = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`;
  return encoder.encode(
    `${file}${table}trailer << /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`,
  );
}
