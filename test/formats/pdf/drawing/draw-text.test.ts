import { describe, expect, it } from 'vitest';
import type { Block, Page } from '#src/documents/document.ts';
import { Canvas } from '#src/documents/layout/canvas.ts';
import { toGlyphs } from '#src/documents/layout/fonts.ts';
import { measureWidth, wrapText } from '#src/documents/layout/layout.ts';
import { drawPage } from '#src/formats/pdf/drawing/draw-text.ts';
import { pdfParser } from '#src/formats/pdf/index.ts';
import { WorkBudget } from '#src/formats/shared/work-budget.ts';
import { readImageHeader } from '#src/images/header.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';

const block = (type: Block['type'], text: string): Block => ({ type, text, markdown: text });

function page(blocks: Block[], size = { width: 612, height: 792 }): Page {
  const text = blocks.map((each) => each.text).join('\n');
  return { index: 0, label: '1', ...size, text, markdown: text, blocks, words: [], links: [], figures: [] };
}

/** Returns the share of pixels that are not white. */
async function ink(bytes: Uint8Array): Promise<number> {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const data = bytes.subarray(41, 41 + view.getUint32(33));
  const rows = new Uint8Array(
    await new Response(
      new Blob([data as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new DecompressionStream('deflate')),
    ).arrayBuffer(),
  );
  return rows.reduce((sum, byte) => sum + (byte === 0 ? 0 : 1), 0) / rows.length;
}

describe('drawPage', () => {
  it('draws blocks of all kinds on one sheet', async () => {
    const empty = await drawPage(page([]), 72);
    const full = await drawPage(
      page([
        { ...block('heading', 'Heading'), level: 1 },
        block('paragraph', 'A paragraph with Zürich, “quotes”, 5 € and ½.'),
        block('list', '• one\n• two'),
        block('table', 'a\tb\n1\t2'),
        block('code', 'if (x) {\n  y();\n}'),
        { type: 'figure', text: '', markdown: '![](image-1.png)' },
      ]),
      72,
    );
    expect(full).toMatchObject({ missingGlyphs: 0, truncated: false });
    expect(readImageHeader(full.image.bytes)).toEqual({ mimeType: 'image/png', width: 612, height: 792 });
    expect(await ink(full.image.bytes)).toBeGreaterThan((await ink(empty.image.bytes)) + 0.005);
  });

  it('counts characters without a glyph', async () => {
    const { missingGlyphs } = await drawPage(page([block('paragraph', 'Latin, 中文, Ελλ')]), 72);
    expect(missingGlyphs).toBe(5);
  });

  it('grows up to three sheets and reports truncation', async () => {
    const words = (count: number) => block('paragraph', 'word '.repeat(count));
    const longer = await drawPage(page([words(1500)]), 72);
    expect(longer.image.height).toBeGreaterThan(900);
    expect(longer.truncated).toBe(false);
    const longest = await drawPage(page(Array.from({ length: 500 }, () => words(4000))), 72);
    expect(longest).toMatchObject({ truncated: true });
    expect(longest.image.height).toBeLessThanOrEqual(3 * 792);
    const wide = await drawPage(page([block('table', Array(200).fill('x').join('\t'))]), 72);
    expect(wide.truncated).toBe(true);
  });
});

describe('Canvas', () => {
  it('writes a PDF whose text can be extracted', async () => {
    const canvas = new Canvas(612, 1584);
    const text = 'Größe: “5 €” – naïve – (a\\b)';
    canvas.text(toGlyphs(text, 'regular'), 54, 100, 'regular', 12);
    const bytes = canvas.toPdf(792);
    const document = await pdfParser.open({
      bytes,
      name: 'a.pdf',
      plan: resolveParsePlan(parseParameters.parse({})),
      budget: new WorkBudget(),
    });
    const read = await document.readPage(0);
    document.close();
    expect(read.text.trim()).toBe(text);
    expect(read).toMatchObject({ width: 612, height: 792 });
    expect(read.words[0]![2]).toBeGreaterThan(80);
    expect(read.words[0]![2]).toBeLessThan(110);
  });

  it('measures text like the PDF engine', async () => {
    for (const [face, text] of [
      ['regular', 'The quick brown fox jumps (over) 1,234 lazy dogs; WAVE & möchte äöü @ 50%'],
      ['bold', 'The quick brown fox jumps (over) 1,234 lazy dogs; WAVE & möchte äöü @ 50%'],
      ['mono', 'fixed width'],
    ] as const) {
      const canvas = new Canvas(1200, 200);
      const glyphs = toGlyphs(`${text}|`, face);
      canvas.text(glyphs, 10, 50, face, 10);
      const document = await pdfParser.open({
        bytes: canvas.toPdf(200),
        name: 'a.pdf',
        plan: resolveParsePlan(parseParameters.parse({})),
        budget: new WorkBudget(),
      });
      const last = (await document.readPage(0)).words.at(-1)!;
      document.close();
      expect(Math.abs(last[1] + last[3] - 10 - measureWidth(glyphs, 10)), face).toBeLessThan(3);
    }
  });
});

describe('wrap', () => {
  const lines = (text: string, width: number) =>
    [...wrapText(text, 'regular', 10, width)].map((line) =>
      String.fromCharCode(...line.map((glyph) => glyph.code ?? 0x3f)).trimEnd(),
    );

  it('breaks lines at spaces and keeps line breaks', () => {
    expect(lines('one two three\n\nfour', 45)).toEqual(['one two', 'three', '', 'four']);
  });

  it('breaks long words and scripts without spaces', () => {
    expect(lines('abcdefghij', 20).join('')).toBe('abcdefghij');
    expect(lines('abcdefghij', 20).length).toBeGreaterThan(2);
    expect(lines('文'.repeat(30), 60)).toHaveLength(3);
  });

  it('keeps all text', () => {
    const text = 'Lorem ipsum dolor sit amet consectetur adipiscing elit '.repeat(5);
    expect(lines(text, 100).join(' ').split(/\s+/).filter(Boolean)).toEqual(text.split(' ').filter(Boolean));
  });
});
