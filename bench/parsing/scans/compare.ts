import { deflateSync, inflateSync } from 'node:zlib';
import { buildPdf, image, paragraph } from '#test/fixtures/pdf.ts';
import { startWorker } from '../client.ts';
import type { ScanReading } from './worker.ts';

const [WIDTH, HEIGHT] = [595, 842];
const LEADING = 1.4;
/** Maximum noise of the scanner in levels of gray. `DARKEST` and `CONTRAST` limit the levels of the scan. */
const NOISE = 36;
const [DARKEST, CONTRAST] = [30, 0.8];

interface Scan {
  name: string;
  /** Font size in points. */
  size: number;
  /** Font size of the footnotes at the bottom of the page, in points. */
  footnote?: number;
  /** Resolution of the scanner in dots per inch. */
  dpi: number;
}

const SCANS: readonly Scan[] = [
  { name: '10 pt, 150 dpi', size: 10, dpi: 150 },
  { name: '10 pt, 300 dpi', size: 10, dpi: 300 },
  { name: '10 pt with 4 pt footnotes, 300 dpi', size: 10, footnote: 4, dpi: 300 },
  { name: '7 pt, 300 dpi', size: 7, dpi: 300 },
  { name: '5 pt, 300 dpi', size: 5, dpi: 300 },
];

/** Resolution before the parser chose it by the size of the letters: A4 in 2.5 megapixels. */
const FORMER_DPI = 161;

/**
 * Draws pages, makes scans of them, and compares the text that the built-in engine reads with the true text.
 * It uses the former resolution, the resolution that the parser chooses, and `high_res_ocr`.
 */
export async function compareScans(words: readonly string[]): Promise<void> {
  const { base, stop } = await startWorker('scans/wrangler.toml');
  const post = async (query: string, body: Uint8Array<ArrayBuffer>) => {
    const answer = await fetch(new URL(`/?${query}`, base), { method: 'POST', body });
    if (!answer.ok) throw new Error(await answer.text());
    return answer;
  };
  const rows: Record<string, string>[] = [];
  try {
    for (const scan of SCANS) {
      const lines = writeLines(words, scan);
      const drawn = await post(`draw&dpi=${scan.dpi}`, buildPage(lines, scan));
      const file = buildScan(Buffer.from(await drawn.arrayBuffer()));
      const row: Record<string, string> = { scan: scan.name };
      const modes = { former: `dpi=${FORMER_DPI}`, 'by letters': '', high_res_ocr: 'fine' };
      await post('', file);
      for (const [mode, query] of Object.entries(modes)) {
        const begun = performance.now();
        const read = (await (await post(query, file)).json()) as ScanReading;
        const seconds = (performance.now() - begun) / 1000;
        row[`${mode}: errors`] = computeErrorRate(
          read.text,
          [...lines.body, ...lines.foot].join(' '),
        ).toFixed(4);
        row[`${mode}: s`] = seconds.toFixed(1);
        row[`${mode}: dpi`] = String(Math.round((read.width * 72) / WIDTH));
      }
      rows.push(row);
    }
  } finally {
    await stop();
  }
  console.table(rows);
  console.log('OCR of drawn scans: share of wrong characters, and seconds per page.');
}

interface Lines {
  body: string[];
  foot: string[];
}

function writeLines(words: readonly string[], { size, footnote }: Scan): Lines {
  let at = size * 7;
  const fill = (count: number, points: number) =>
    Array.from({ length: count }, () => {
      let line = words[at++ % words.length]!;
      while (line.length < 470 / (points * 0.55) - 12) line += ` ${words[at++ % words.length]}`;
      return line;
    });
  return { body: fill(Math.floor(600 / (size * LEADING)), size), foot: footnote ? fill(6, footnote) : [] };
}

function buildPage({ body, foot }: Lines, { size, footnote = 4 }: Scan): Uint8Array<ArrayBuffer> {
  const content =
    paragraph(50, 790, body, size, size * LEADING) + paragraph(50, 100, foot, footnote, footnote * LEADING);
  return buildPdf({ pages: [{ width: WIDTH, height: HEIGHT, content }] }).slice();
}

/** Builds a PDF with a blurred and noisy picture of a page. */
function buildScan(png: Buffer): Uint8Array<ArrayBuffer> {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const pixels = decodeGray(png, width, height);
  const data = new Uint8Array(width * height).fill(255);
  let seed = width;
  const random = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      const at = y * width + x;
      const neighbours = pixels[at - 1]! + pixels[at + 1]! + pixels[at - width]! + pixels[at + width]!;
      const level = (4 * pixels[at]! + neighbours) / 8;
      const noise = (random() + random() - 1) * NOISE;
      data[at] = Math.max(0, Math.min(255, level * CONTRAST + DARKEST + noise));
    }
  }
  const encoding = '/ColorSpace /DeviceGray /Filter /FlateDecode';
  const images = [{ width, height, data: deflateSync(data), encoding }];
  const page = { width: WIDTH, height: HEIGHT, content: image(0, 0, 0, WIDTH, HEIGHT), images };
  return buildPdf({ pages: [page] }).slice();
}

/** Decodes a gray PNG. Only the one filter that the writer uses is supported. */
function decodeGray(png: Buffer, width: number, height: number): Uint8Array {
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const raw = inflateSync(Buffer.concat(parts));
  const pixels = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const above = y > 0 ? pixels[(y - 1) * width + x]! : 0;
      pixels[y * width + x] = raw[y * (width + 1) + 1 + x]! + above;
    }
  }
  return pixels;
}

/**
 * Returns the edit distance between the read and the written text, divided by the length of the written text.
 */
function computeErrorRate(read: string, written: string): number {
  const [one, other] = [read, written].map((text) => text.replace(/\s+/g, ' ').trim()) as [string, string];
  let before = Uint32Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let row = 1; row <= one.length; row++) {
    const now = new Uint32Array(other.length + 1);
    now[0] = row;
    for (let at = 1; at <= other.length; at++) {
      const replaced = before[at - 1]! + (one[row - 1] === other[at - 1] ? 0 : 1);
      now[at] = Math.min(before[at]! + 1, now[at - 1]! + 1, replaced);
    }
    before = now;
  }
  return before[other.length]! / other.length;
}
