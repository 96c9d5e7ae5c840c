import { describe, expect, it } from 'vitest';
import { renderForReading, renderPage } from '#src/formats/pdf/drawing/render.ts';
import { PdfSession } from '#src/formats/pdf/engine/session.ts';
import type { ReadingOptions } from '#src/formats/shared/open-document.ts';
import { buildPdf, image, type PdfDescription, paragraph, rectangle } from '#test/fixtures/pdf.ts';
import { decodePng } from '../helpers.ts';

const SENTENCE = 'the quick brown fox jumps over the lazy dog and runs along the river bank';
const lines = (count: number) => Array.from({ length: count }, () => SENTENCE);
const MOST = 12_000_000;

async function draw(description: PdfDescription, options: Partial<ReadingOptions> = {}) {
  const session = new PdfSession(buildPdf(description), 'drawing');
  try {
    return await renderForReading(session, 0, { maxPixels: MOST, ...options });
  } finally {
    session.close();
  }
}

/** Returns the resolution at which a letter-size page is rendered for OCR, in dots per inch. */
async function measureResolution(content: string, options: Partial<ReadingOptions> = {}): Promise<number> {
  return (72 * (await draw({ pages: [{ content }] }, options)).width) / 612;
}

/** Returns a page filled with one gray picture. */
async function scan(width: number, height: number): Promise<PdfDescription> {
  const rows = new Blob([new Uint8Array(width * height * 3).fill(255)]).stream();
  const data = await new Response(rows.pipeThrough(new CompressionStream('deflate'))).bytes();
  return {
    pages: [
      {
        content: image(0, 0, 0, 595, 842),
        width: 595,
        height: 842,
        images: [{ width, height, data, filter: 'FlateDecode' }],
      },
    ],
  };
}

describe('OCR rendering resolution', () => {
  it('is 200 dpi for ten-point text and for pages without text', async () => {
    expect(await measureResolution(paragraph(50, 740, lines(20), 10, 14))).toBeCloseTo(200, -1);
    expect(await measureResolution(rectangle(100, 100, 300, 300))).toBeCloseTo(200, -1);
  });

  it('increases for smaller text', async () => {
    const small = await measureResolution(paragraph(50, 740, lines(20), 7, 10));
    const smaller = await measureResolution(paragraph(50, 740, lines(20), 5, 7));
    expect(small).toBeGreaterThan(230);
    expect(smaller).toBeGreaterThan(small + 50);
  });

  it('follows small footnotes only in fine mode', async () => {
    const page = paragraph(50, 740, lines(40), 10, 14) + paragraph(50, 60, lines(4), 5, 7);
    expect(await measureResolution(page)).toBeCloseTo(200, -1);
    expect(await measureResolution(page, { fine: true })).toBeGreaterThan(340);
  });

  it('is limited by the largest picture that the engine accepts', async () => {
    const page = { pages: [{ content: paragraph(50, 740, lines(20), 5, 7) }] };
    const { width, height } = await draw(page, { maxPixels: 1_000_000 });
    expect(width * height).toBeLessThanOrEqual(1_000_000);
    expect(width * height).toBeGreaterThan(990_000);
  });

  it('is at least that of a 300 dpi color scan and not far above that of a coarse scan', async () => {
    const { width } = await draw(await scan(2_480, 3_508), { fine: true });
    expect((72 * width) / 595).toBeCloseTo(300, -1);
    const coarse = await draw(await scan(620, 877), { fine: true });
    expect((72 * coarse.width) / 595).toBeCloseTo(200, -1);
  });
});

it('drawing in strips gives the same picture as drawing in one piece', async () => {
  const content = Array.from({ length: 60 }, (_, at) => paragraph(40, 760 - at * 12.5, [SENTENCE], 9)).join(
    '',
  );
  const bytes = buildPdf({ pages: [{ content: rectangle(30, 20, 20, 750) + content }] });
  const session = new PdfSession(bytes, 'drawing');
  const [strips, whole] = await Promise.all([
    renderForReading(session, 0, { dpi: 216, maxPixels: MOST }),
    renderPage(session, 0, 216),
  ]);
  session.close();
  // More pixels than one strip has.
  expect(strips.width * strips.height).toBeGreaterThan(3_500_000);
  const [one, other] = await Promise.all([decodePng(strips.bytes), decodePng(whole.bytes)]);
  expect([one.width, one.height, one.channels]).toEqual([other.width, other.height, 1]);
  let different = 0;
  for (let y = 0; y < one.height; y++)
    for (let x = 0; x < one.width; x += 3)
      if (Math.abs(one.at(x, y)[0]! - other.at(x, y)[0]!) > 40) different++;
  expect(different).toBeLessThan(0.0005 * one.width * one.height);
});
