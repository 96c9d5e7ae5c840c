import { describe, expect, it } from 'vitest';
import type { Block, Page } from '#src/documents/document.ts';
import { writePdf } from '#src/pdf-output/write.ts';

// Documents that take the writer much time or memory.

const MIB = 1024 * 1024;
const block = (type: Block['type'], text: string): Block => ({ type, text, markdown: text });

interface Written {
  size: number;
  /** Length of the longest piece held in memory at once. */
  longest: number;
  sheets: number;
}

async function written(blocks: Block[]): Promise<Written> {
  async function* pages(): AsyncGenerator<Page> {
    const page = { index: 0, width: 612, height: 792, blocks, figures: [], words: [] };
    yield page as unknown as Page;
  }
  const all = { size: 0, longest: 0, sheets: 0 };
  const document = { readFigure: async () => undefined };
  for await (const piece of writePdf(document, pages(), 'a', async () => {})) {
    all.size += piece.length;
    all.longest = Math.max(all.longest, piece.length);
    if (piece.length < 300 && new TextDecoder().decode(piece).includes('/Type /Page ')) all.sheets += 1;
  }
  return all;
}

const row = (cells: number) => Array(cells).fill('c7').join('\t');

describe('PDF of a hostile document', () => {
  it.each<[string, number, () => Block[]]>([
    ['100,000 blocks', 3100, () => Array.from({ length: 100_000 }, (_, at) => block('paragraph', `b${at}`))],
    ['150,000 tables', 5500, () => Array.from({ length: 150_000 }, () => block('table', 'a\tb'))],
    ['a row of 16,000 cells', 1, () => [block('table', row(16_000))]],
    ['a million cells', 1400, () => [block('table', Array(50_000).fill(row(20)).join('\n'))]],
    ['a word of a million letters', 190, () => [block('paragraph', 'x'.repeat(1_000_000))]],
    ['a cell of a million letters', 390, () => [block('table', `a\tb\n${'x'.repeat(1_000_000)}\tz`)]],
  ])('is written sheet by sheet for %s', async (_, sheets, make) => {
    const pdf = await written(make());
    expect(pdf.longest).toBeLessThan(4 * MIB);
    expect(pdf.sheets).toBeGreaterThan(sheets * 0.5);
    expect(pdf.sheets).toBeLessThan(sheets * 2);
  });

  it.each<[string, RegExp, () => Block[]]>([
    ['too many lines', /more than 20000 pages/, () => [block('code', '\n'.repeat(1_200_000))]],
    ['too wide a table', /table of 1000000 columns/, () => [block('table', row(1_000_000))]],
  ])('is rejected for %s with a reason', async (_, message, make) => {
    await expect(written(make())).rejects.toMatchObject({
      reason: 'DOCUMENT_TOO_LARGE',
      message: expect.stringMatching(message),
    });
  });
});
