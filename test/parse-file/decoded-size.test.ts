import { describe, expect, it } from 'vitest';
import { estimateDecodedBytes } from '#src/parse-file/decoded-size.ts';
import { buildPdf, image, text } from '#test/fixtures/pdf.ts';
import { manyPages } from '#test/support/hostile-documents/images.ts';
import { numberRows, workbook } from '#test/support/hostile-documents/spreadsheets.ts';

const MIB = 1024 * 1024;

describe('estimateDecodedBytes', () => {
  it('weighs a workbook by its cells, not by the bytes of its file', () => {
    const cells = workbook([numberRows(950, 100)]);
    expect(cells.length).toBeLessThan(0.5 * MIB);
    // 95,000 cells took 120 MiB: two of them must not be read together.
    expect(estimateDecodedBytes(cells)).toBeGreaterThan(32 * MIB);
  });

  it('weighs a picture by its pixels, up to those that are held at once', () => {
    const small = estimateDecodedBytes(manyPages(1, 1_000, 1_000));
    const large = estimateDecodedBytes(manyPages(1, 3_000, 3_000));
    expect(large / small).toBeGreaterThan(8);
    expect(estimateDecodedBytes(manyPages(1, 20_000, 3_900))).toBeLessThan(100 * MIB);
  });

  it('weighs a scanned PDF by the pictures that are drawn to be read', () => {
    const page = (side: number) => {
      const picture = { width: side, height: side, data: new Uint8Array(8), filter: 'FlateDecode' as const };
      return buildPdf({ pages: [{ content: image(0, 0, 0, 600, 700), images: [picture] }] });
    };
    expect(estimateDecodedBytes(page(500))).toBeLessThan(8 * MIB);
    // A page of A4 in 300 dots an inch has nine million pixels: two of them must not be drawn together.
    expect(estimateDecodedBytes(page(3_000))).toBeGreaterThan(40 * MIB);
    expect(estimateDecodedBytes(page(20_000))).toBeLessThan(80 * MIB);
  });

  it('weighs text and small documents by a few times their bytes', () => {
    const words = new TextEncoder().encode('some words\n'.repeat(1_000));
    expect(estimateDecodedBytes(words)).toBeLessThan(10 * words.length);
    expect(estimateDecodedBytes(buildPdf({ pages: [{ content: text(72, 700, 'words') }] }))).toBeLessThan(
      8 * MIB,
    );
  });

  it('weighs a damaged container by its bytes', () => {
    const damaged = workbook(['<row/>']).slice(0, -30);
    expect(estimateDecodedBytes(damaged)).toBe(damaged.length);
  });
});
