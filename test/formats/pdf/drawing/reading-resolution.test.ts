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
    return await renderForReading(session, 0, { mostPixels: MOST, ...options });
  } finally {
    session.close();
  }
}

/** The resolution at which a page of letter size is drawn for an engine, in dots an inch. */
async function resolutionOf(content: string, options: Partial<ReadingOptions> = {}): Promise<number> {
  return (72 * (await draw({ pages: [{ content }] }, options)).width) / 612;
}

/** A scan: one gray picture that fills the page. */
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

describe('the resolution of a page that is drawn to be read', () => {
  it('is that of usual print for letters of ten points and for pages without letters', async () => {
    expect(await resolutionOf(paragraph(50, 740, lines(20), 10, 14))).toBeCloseTo(200, -1);
    expect(await resolutionOf(rectangle(100, 100, 300, 300))).toBeCloseTo(200, -1);
  });

  it('is higher the smaller the letters are', async () => {
    const small = await resolutionOf(paragraph(50, 740, lines(20), 7, 10));
    const smaller = await resolutionOf(paragraph(50, 740, lines(20), 5, 7));
    expect(small).toBeGreaterThan(230);
    expect(smaller).toBeGreaterThan(small + 50);
  });

  it('is that of small footnotes only where it is to be fine', async () => {
    const page = paragraph(50, 740, lines(40), 10, 14) + paragraph(50, 60, lines(4), 5, 7);
    expect(await resolutionOf(page)).toBeCloseTo(200, -1);
    expect(await resolutionOf(page, { fine: true })).toBeGreaterThan(340);
  });

  it('leaves a page as large as the engine takes it', async () => {
    const page = { pages: [{ content: paragraph(50, 740, lines(20), 5, 7) }] };
    const { width, height } = await draw(page, { mostPixels: 1_000_000 });
    expect(width * height).toBeLessThanOrEqual(1_000_000);
    expect(width * height).toBeGreaterThan(990_000);
  });

  it('is not lowered for a colour scan of 300 dots an inch, and not far above that of a coarse scan', async () => {
    const { width } = await draw(await scan(2_480, 3_508), { fine: true });
    expect((72 * width) / 595).toBeCloseTo(300, -1);
    const coarse = await draw(await scan(620, 877), { fine: true });
    expect((72 * coarse.width) / 595).toBeCloseTo(200, -1);
  });
});

it('draws in strips what it draws in one piece', async () => {
  const content = Array.from({ length: 60 }, (_, at) => paragraph(40, 760 - at * 12.5, [SENTENCE], 9)).join(
    '',
  );
  const bytes = buildPdf({ pages: [{ content: rectangle(30, 20, 20, 750) + content }] });
  const session = new PdfSession(bytes, 'drawing');
  const [strips, whole] = await Promise.all([
    renderForReading(session, 0, { dpi: 216, mostPixels: MOST }),
    renderPage(session, 0, 216),
  ]);
  session.close();
  // More than the pixels of one strip.
  expect(strips.width * strips.height).toBeGreaterThan(3_500_000);
  const [one, other] = await Promise.all([decodePng(strips.bytes), decodePng(whole.bytes)]);
  expect([one.width, one.height, one.channels]).toEqual([other.width, other.height, 1]);
  let different = 0;
  for (let y = 0; y < one.height; y++)
    for (let x = 0; x < one.width; x += 3)
      if (Math.abs(one.at(x, y)[0]! - other.at(x, y)[0]!) > 40) different++;
  expect(different).toBeLessThan(0.0005 * one.width * one.height);
});
