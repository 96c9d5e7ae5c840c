import type { Block, Page, Word } from '#src/documents/document.ts';

/** Piece of text on a page: left edge, top and text, in a 10-point monospaced font. */
export type Printed = [x: number, y: number, text: string];

const CHARACTER = 5;

/** Returns an A4 page with coordinates, as from the PDF parser. */
export function printedPage(printed: Printed[], index = 0): Page {
  const words: Word[] = printed.flatMap(([left, y, text]) => {
    let x = left;
    return text.split(' ').map((word): Word => {
      const placed: Word = [word, x, y, word.length * CHARACTER, 10];
      x += (word.length + 1) * CHARACTER;
      return placed;
    });
  });
  const lines = new Map<number, string[]>();
  for (const [, y, text] of printed) lines.set(y, [...(lines.get(y) ?? []), text]);
  const text = [...lines.values()].map((line) => line.join(' ')).join('\n');
  return { ...emptyPage(index), width: 595, height: 842, text, markdown: text, words };
}

/** Returns a page without coordinates. */
export function textPage(text: string, blocks: Block[] = [], index = 0): Page {
  return { ...emptyPage(index), text, markdown: text, blocks };
}

export function tableBlock(rows: string[][]): Block {
  const markdown = [rows[0]!, rows[0]!.map(() => '---'), ...rows.slice(1)]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
  return { type: 'table', text: rows.map((row) => row.join('\t')).join('\n'), markdown };
}

function emptyPage(index: number): Page {
  return {
    index,
    label: String(index + 1),
    width: 612,
    height: 792,
    text: '',
    markdown: '',
    blocks: [],
    words: [],
    links: [],
    figures: [],
  };
}

/** Invented invoice. */
export const BILL = printedPage([
  [40, 40, 'Northwind Instruments Ltd'],
  [40, 54, '12 Harbour Road'],
  [40, 68, 'accounts@northwind-instruments.test'],
  [380, 100, 'Invoice number: NW-2031/77'],
  [380, 114, 'Invoice date: 14 March 2031'],
  [380, 128, 'Due date: 13 April 2031'],
  [40, 150, 'Bill to:'],
  [40, 164, 'Greta Lind'],
  [40, 178, 'Quay Street 4'],
  [40, 192, '90210 Harbourtown'],
  [40, 240, 'Description'],
  [280, 240, 'Quantity'],
  [360, 240, 'Unit price'],
  [480, 240, 'Amount'],
  [40, 256, 'Brass sextant'],
  [280, 256, '2'],
  [360, 256, '150.00'],
  [480, 256, '300.00'],
  [40, 272, 'Chart table'],
  [280, 272, '1'],
  [360, 272, '1,200.50'],
  [480, 272, '1,200.50'],
  [360, 300, 'Subtotal'],
  [480, 300, '1,500.50'],
  [360, 316, 'VAT 20%'],
  [480, 316, '300.10'],
  [360, 332, 'Total'],
  [480, 332, 'GBP 1,800.60'],
]);
