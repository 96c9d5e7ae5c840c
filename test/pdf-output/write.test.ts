import { describe, expect, it } from 'vitest';
import type { Page } from '#src/documents/document.ts';
import { pdfParser } from '#src/formats/pdf/index.ts';
import { openDocument } from '#src/formats/registry.ts';
import { WorkBudget } from '#src/formats/shared/work-budget.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { MARGIN } from '#src/pdf-output/flow.ts';
import { PdfObjects } from '#src/pdf-output/objects.ts';
import { Sheet } from '#src/pdf-output/sheet.ts';
import { writeImageObject, writePdf } from '#src/pdf-output/write.ts';
import { jpeg, png } from '#test/formats/fixtures/pictures.ts';
import { picture, pptx, shape } from '#test/formats/fixtures/slides.ts';
import { docx, drawing, paragraph, run } from '#test/formats/fixtures/word.ts';
import { decodePng } from '#test/formats/pdf/helpers.ts';

const parameters = parseParameters.parse({});
const utf8 = (text: string) => new TextEncoder().encode(text);

async function gathered(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for await (const piece of pieces) parts.push(new Uint8Array(piece));
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** Converts a document to PDF. `change` adds OCR results to a page. */
async function convertToPdf(
  bytes: Uint8Array,
  name: string,
  change = (page: Page): Page => page,
): Promise<{ pdf: Uint8Array; pages: Page[] }> {
  const document = await openDocument({ bytes, name, plan: resolveParsePlan(parameters) });
  const pages: Page[] = [];
  async function* read() {
    for (let index = 0; index < document.pageCount; index++) {
      const page = change(await document.readPage(index));
      pages.push(page);
      yield page;
    }
  }
  const pdf = await gathered(writePdf(document, read(), document.metadata.title, async () => {}));
  return { pdf, pages };
}

async function readBack(pdf: Uint8Array): Promise<{ pages: Page[]; title: string | undefined }> {
  const document = await pdfParser.open({
    bytes: pdf,
    name: 'a.pdf',
    plan: resolveParsePlan(parameters),
    budget: new WorkBudget(),
  });
  const pages: Page[] = [];
  for (let index = 0; index < document.pageCount; index++) pages.push(await document.readPage(index));
  return { pages, title: document.metadata.title };
}

async function shown(pdf: Uint8Array, index = 0) {
  const document = await pdfParser.open({
    bytes: pdf,
    name: 'a.pdf',
    plan: resolveParsePlan(parameters),
    budget: new WorkBudget(),
  });
  return decodePng((await document.renderPage!(index, { dpi: 72 })).bytes);
}

const flat = (text: string) => text.replace(/\s+/g, ' ').trim();

describe('writePdf', () => {
  it.each([
    'Plain English, “quotes” — and a dash; office, affluent.',
    'Grüße aus Łódź, Ελληνικά, Русский текст, Հայերեն, ქართული',
    'שלום עולם',
    'The Hebrew word שלום stands in a line',
    'המילה harbour כאן',
    'مرحبا بالعالم',
    '日本語のテキスト',
    '中文文本',
    '한국어 텍스트',
    'हिन्दी पाठ',
    'ข้อความไทย',
  ])('writes a text layer that reads %s', async (text) => {
    const { pdf } = await convertToPdf(utf8(`Before.\n\n${text}\n\nAfter.`), 'a.txt');
    expect(flat((await readBack(pdf)).pages[0]!.text)).toBe(`Before. ${text} After.`);
  });

  it('embeds only the used part of fonts', async () => {
    const { pdf } = await convertToPdf(utf8('Ελληνικά'), 'a.txt');
    expect(pdf.length).toBeLessThan(20_000);
    expect(new TextDecoder('latin1').decode(pdf)).toContain('/FontFile2');
  });

  it('keeps headings, tables and the document title', async () => {
    const { pdf } = await convertToPdf(
      utf8(
        '# Berths\n\nThe berths of the harbour are listed below, each with its depth, for all who come by night.\n\n| Berth | Depth |\n|---|---|\n| North | 7.5 |\n| South | 12 |\n',
      ),
      'a.md',
    );
    const { pages, title } = await readBack(pdf);
    expect(title).toBe('Berths');
    expect(pages[0]!.blocks.map(({ type, text }) => [type, text])).toEqual([
      ['heading', 'Berths'],
      [
        'paragraph',
        'The berths of the harbour are listed below, each with its depth, for all who come by night.',
      ],
      ['table', 'Berth\tDepth\nNorth\t7.5\nSouth\t12'],
    ]);
  });

  it('breaks tables, long words and tall rows across sheets without losing text', async () => {
    const rows = Array.from({ length: 120 }, (_, at) => `| row${at} | value${at} |`);
    const high = Array.from({ length: 3000 }, (_, at) => `w${at}`).join(' ');
    const long = 'x'.repeat(5000);
    const { pdf } = await convertToPdf(
      utf8(`| a | b |\n|---|---|\n${rows.join('\n')}\n| ${high} | end |\n\n${long}\n`),
      'a.md',
    );
    const { pages } = await readBack(pdf);
    expect(pages.length).toBeGreaterThan(3);
    expect(pages.length).toBeLessThan(20);
    const text = pages.map((page) => page.text).join('\n');
    for (let at = 0; at < 120; at++)
      expect(text).toMatch(new RegExp(`\\brow${at}\\b[\\s\\S]*\\bvalue${at}\\b`));
    for (let at = 0; at < 3000; at++) expect(text).toContain(`w${at}`);
    expect([...text.matchAll(/x{10,}/g)].join('').length).toBe(5000);
  });

  it('widens the sheet for a table with many columns', async () => {
    const cells = Array.from({ length: 60 }, (_, at) => `c${at}`);
    const { pdf } = await convertToPdf(
      utf8(`${cells.join(',')}\n${cells.map((_, at) => at).join(',')}\n`),
      'a.csv',
    );
    const { pages } = await readBack(pdf);
    expect(pages[0]!.width).toBeGreaterThan(1400);
    for (const cell of cells) expect(pages[0]!.text).toContain(cell);
  });

  it('embeds the pictures of a document', async () => {
    const body = paragraph(run('A picture:')) + paragraph(drawing('image1', 'A lighthouse'));
    const { pdf } = await convertToPdf(docx(body, await png(120, 90)), 'a.docx');
    const { pages } = await readBack(pdf);
    expect(pages[0]!.text).toContain('A picture:');
    expect(pages[0]!.figures).toMatchObject([{ width: 120, height: 90 }]);
  });

  it('starts each slide on a sheet of the slide size', async () => {
    const slides = [shape(['First slide'], 'title'), shape(['Second slide'], 'title') + picture];
    const { pdf, pages: read } = await convertToPdf(
      pptx(
        slides.map((shapes) => ({ shapes })),
        await png(),
      ),
      'a.pptx',
    );
    const { pages } = await readBack(pdf);
    expect(pages.map(({ text, width, height }) => [text, width, height])).toEqual([
      [expect.stringContaining('First slide'), read[0]!.width, read[0]!.height],
      [expect.stringContaining('Second slide'), read[1]!.width, read[1]!.height],
    ]);
  });

  it('shows a picture with its OCR words behind it', async () => {
    const { pdf } = await convertToPdf(await png(400, 300), 'a.png', (page) => ({
      ...page,
      words: [
        ['Harbour', 30, 60, 80, 15],
        ['office', 120, 60, 50, 15],
      ],
    }));
    const { pages } = await readBack(pdf);
    expect(flat(pages[0]!.text)).toBe('Harbour office');
    const [, x, y, w] = pages[0]!.words[0]!;
    expect([x, y, w].map(Math.round)).toEqual([30, expect.closeTo(60, -1), expect.closeTo(80, -1)]);
    const { width, height, at } = await shown(pdf);
    expect([width, height]).toEqual([300, 225]);
    const source = await decodePng(await png(400, 300));
    const [red, green, blue] = source.at(200, 150);
    const near = (value: number) => expect.closeTo(value, -2);
    expect(at(150, 112).slice(0, 3)).toEqual([near(red!), near(green!), near(blue!)]);
  });

  it('embeds a JPEG without recompressing', async () => {
    const { pdf } = await convertToPdf(jpeg, 'a.jpg');
    expect(new TextDecoder('latin1').decode(pdf)).toContain(new TextDecoder('latin1').decode(jpeg));
    expect((await readBack(pdf)).pages).toHaveLength(1);
  });

  it('writes a correct xref table and keeps text above the margin', async () => {
    const { pdf } = await convertToPdf(utf8('A line of the harbour.\n\n'.repeat(200)), 'a.txt');
    const text = new TextDecoder('latin1').decode(pdf);
    const table = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(text)![1]);
    expect(text.slice(table, table + 5)).toBe('xref\n');
    const places = [...text.slice(table).matchAll(/^(\d{10}) 00000 n $/gm)].map(([, at]) => Number(at));
    expect(places.length).toBeGreaterThan(10);
    for (const [index, at] of places.entries()) {
      expect(text.slice(at, at + 20).startsWith(`${index + 1} 0 obj\n`)).toBe(true);
    }
    const { pages } = await readBack(pdf);
    expect(pages.length).toBeGreaterThan(3);
    for (const { words, height } of pages) {
      for (const [, , y, , h] of words) expect(y + h).toBeLessThan(height - MARGIN + 6);
    }
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('applies the picture orientation %d', (orientation) => {
    const sheet = new Sheet({ width: 100, height: 100 });
    sheet.picture('Image1', 10, 20, 60, 40, orientation);
    const numbers = sheet
      .content()
      .match(/-?[\d.]+(?= )/g)!
      .map(Number);
    const [a, b, c, d, e, f] = numbers as [number, number, number, number, number, number];
    const corner = (x: number, y: number) => [a * x + c * y + e, 100 - (b * x + d * y + f)];
    // Displayed positions of the first pixel and the end of the first row, from the EXIF specification.
    const [left, top, right, bottom] = [10, 20, 70, 60];
    const places: Record<number, number[][]> = {
      1: [
        [left, top],
        [right, top],
      ],
      2: [
        [right, top],
        [left, top],
      ],
      3: [
        [right, bottom],
        [left, bottom],
      ],
      4: [
        [left, bottom],
        [right, bottom],
      ],
      5: [
        [left, top],
        [left, bottom],
      ],
      6: [
        [right, top],
        [right, bottom],
      ],
      7: [
        [right, bottom],
        [right, top],
      ],
      8: [
        [left, bottom],
        [left, top],
      ],
    };
    expect([corner(0, 1), corner(1, 1)]).toEqual(places[orientation]);
  });

  it('inverts a CMYK JPEG', async () => {
    const four = Uint8Array.from([
      ...jpeg.subarray(0, 29),
      4,
      ...jpeg.subarray(30, -2),
      4,
      0x11,
      1,
      0xff,
      0xd9,
    ]);
    four[23] = 20;
    const shown = (bytes: Uint8Array) =>
      new TextDecoder('latin1').decode(
        writeImageObject(new PdfObjects(), 1, { bytes, mimeType: 'image/jpeg', width: 60, height: 40 }),
      );
    expect(shown(four)).toContain('/DeviceCMYK');
    expect(shown(four)).toContain('/Decode [1 0 1 0 1 0 1 0]');
    expect(shown(jpeg)).not.toContain('/Decode');
  });
});
