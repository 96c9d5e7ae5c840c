import { describe, expect, it } from 'vitest';
import { estimateDecodedBytes } from '#src/parse-file/decoded-size.ts';
import { buildPdf, image, text } from '#test/fixtures/pdf.ts';
import { manyPages } from '#test/support/hostile-documents/images.ts';
import { numberRows, workbook } from '#test/support/hostile-documents/spreadsheets.ts';

const MIB = 1024 * 1024;

describe('estimateDecodedBytes', () => {
  it('estimates a workbook by its cells rather than its file size', () => {
    const cells = workbook([numberRows(950, 100)]);
    expect(cells.length).toBeLessThan(0.5 * MIB);
    // 95,000 cells need 120 MiB, so two such files must not be parsed together.
    expect(estimateDecodedBytes(cells)).toBeGreaterThan(32 * MIB);
  });

  it('estimates a picture by its pixels, up to the number held in memory at once', () => {
    const small = estimateDecodedBytes(manyPages(1, 1_000, 1_000));
    const large = estimateDecodedBytes(manyPages(1, 3_000, 3_000));
    expect(large / small).toBeGreaterThan(8);
    expect(estimateDecodedBytes(manyPages(1, 20_000, 3_900))).toBeLessThan(100 * MIB);
  });

  it('estimates a scanned PDF by the pictures rendered for OCR', () => {
    const page = (side: number) => {
      const picture = { width: side, height: side, data: new Uint8Array(8), filter: 'FlateDecode' as const };
      return buildPdf({ pages: [{ content: image(0, 0, 0, 600, 700), images: [picture] }] });
    };
    expect(estimateDecodedBytes(page(500))).toBeLessThan(8 * MIB);
    // An A4 page at 300 dpi has nine million pixels, so two such pages must not be rendered together.
    expect(estimateDecodedBytes(page(3_000))).toBeGreaterThan(40 * MIB);
    expect(estimateDecodedBytes(page(20_000))).toBeLessThan(80 * MIB);
  });

  it('estimates text and small documents at a few times their size', () => {
    const words = new TextEncoder().encode('some words\n'.repeat(1_000));
    expect(estimateDecodedBytes(words)).toBeLessThan(10 * words.length);
    expect(estimateDecodedBytes(buildPdf({ pages: [{ content: text(72, 700, 'words') }] }))).toBeLessThan(
      8 * MIB,
    );
  });

  it('estimates a damaged container at its size', () => {
    const damaged = workbook(['<row/>']).slice(0, -30);
    expect(estimateDecodedBytes(damaged)).toBe(damaged.length);
  });
});
