import type { HostileDocument } from '../document.ts';
import { compressed, form, hostilePage, type PdfObject } from './write.ts';

const type3 = (procedure: number, resources = '') =>
  `/Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> /T << /Type /Font /Subtype /Type3 /FontBBox [0 0 1000 1000] /FontMatrix [0.001 0 0 0.001 0 0] /CharProcs << /a ${procedure} 0 R >> /Encoding << /Type /Encoding /Differences [97 /a] >> /FirstChar 97 /LastChar 97 /Widths [1000] /Resources << ${resources} >> >> >>`;

const letters = (count: number, size = 12) => `BT /T ${size} Tf 10 400 Td (${'a'.repeat(count)}) Tj ET\n`;
const STROKES = '1000 0 d0 0 0 m 500 1000 l 1000 0 l S\n';

/** Forms that draw the next one ten times each. */
const multiplied = (depth: number, last: string): PdfObject[] =>
  Array.from({ length: depth }, (_, level) =>
    level === depth - 1
      ? form(last, '/Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>')
      : form('/X Do '.repeat(10), `/XObject << /X ${level + 6} 0 R >>`),
  );

const cmap = (ranges: string) =>
  compressed(
    '',
    `/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange ${ranges} endcmap end`,
  );

const mapped = (name: string, map: () => PdfObject): HostileDocument =>
  hostilePage(name, () => ({
    content: `BT /C 12 Tf 10 500 Td <${'0041'.repeat(2_000)}> Tj ET\n`,
    resources:
      '/Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> /C << /Type /Font /Subtype /Type0 /BaseFont /Some /Encoding /Identity-H /ToUnicode 5 0 R /DescendantFonts [<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Some /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>] >> >>',
    objects: [map()],
  }));

const shown = (name: string, content: () => string): HostileDocument =>
  hostilePage(name, () => ({ content: content() }));

export const textPdfs: readonly HostileDocument[] = [
  hostilePage('5,000 letters of a Type 3 font with 10,000 strokes each', () => ({
    content: letters(5_000),
    resources: type3(5),
    objects: [compressed('', `1000 0 d0 ${STROKES.repeat(10_000)}`)],
  })),
  hostilePage('huge letters of a Type 3 font with 10,000 strokes each', () => ({
    content: letters(500, 700),
    resources: type3(5),
    objects: [compressed('', `1000 0 d0 ${STROKES.repeat(10_000)}`)],
  })),
  hostilePage('a Type 3 letter that shows itself', () => ({
    content: letters(100),
    resources: '/Font << /T 6 0 R >>',
    objects: [
      compressed('', `1000 0 d0 ${letters(10)}`),
      '<< /Type /Font /Subtype /Type3 /FontBBox [0 0 9 9] /FontMatrix [0.1 0 0 0.1 0 0] /CharProcs << /a 5 0 R >> /Encoding << /Differences [97 /a] >> /FirstChar 97 /LastChar 97 /Widths [9] /Resources << /Font << /T 6 0 R >> >> >>',
    ],
  })),
  hostilePage('a Type 3 letter that draws forms that multiply', () => ({
    content: letters(1_000),
    resources: type3(5, '/XObject << /X 6 0 R >>'),
    objects: [
      compressed('', '1000 0 d0 /X Do'),
      ...multiplied(6, '0 0 m 9 9 l S\n').map((object) =>
        typeof object === 'string'
          ? object
          : {
              ...object,
              entries: object.entries.replace(/\/X (\d+) 0 R/, (_, number) => `/X ${Number(number) + 1} 0 R`),
            },
      ),
    ],
  })),
  hostilePage('forms of text that multiply 10^10 times', () => ({
    content: '/X Do\n',
    resources: '/XObject << /X 5 0 R >>',
    objects: multiplied(10, 'BT /F1 8 Tf (many words) Tj ET\n'),
  })),
  hostilePage('forms of paths that multiply 10^10 times', () => ({
    content: '/X Do\n',
    resources: '/XObject << /X 5 0 R >>',
    objects: multiplied(10, '0 0 m 300 300 l S\n'),
  })),
  hostilePage('forms that multiply 10^6 times', () => ({
    content: '/X Do\n',
    resources: '/XObject << /X 5 0 R >>',
    objects: multiplied(6, '0 0 m 300 300 l S\n'),
  })),
  hostilePage('a form that draws itself', () => ({
    content: '/X Do\n',
    resources: '/XObject << /X 5 0 R >>',
    objects: [form('/X Do /X Do\n', '/XObject << /X 5 0 R >>')],
  })),
  hostilePage('a form drawn 200,000 times', () => ({
    content: '/X Do\n'.repeat(200_000),
    resources: '/XObject << /X 5 0 R >>',
    objects: [form('0 0 m 300 300 l S\n')],
  })),
  shown('2,000,000 letters in one line', () => `BT /F1 1 Tf 10 400 Td (${'word '.repeat(400_000)}) Tj ET\n`),
  shown('200,000 letters in as many text objects', () => 'BT /F1 8 Tf 10 400 Td (x) Tj ET\n'.repeat(200_000)),
  shown('letters ten million points high', () => `BT /F1 10000000 Tf 0 0 Td (${'W'.repeat(2_000)}) Tj ET\n`),
  shown(
    'letters as strokes with tiny dashes',
    () => `[0.0001] 0 d 1 Tr BT /F1 400 Tf 0 100 Td (${'W'.repeat(1_000)}) Tj ET\n`,
  ),
  shown(
    '50,000 letters of 1,000 points, filled and stroked',
    () => `2 Tr BT /F1 1000 Tf 0 0 Td ${`1 0 0 1 0 0 Tm (${'W'.repeat(100)}) Tj `.repeat(500)} ET\n`,
  ),
  shown(
    'text positions and spacings beyond all numbers',
    () =>
      `BT /F1 12 Tf 1e30 Tc 1e30 Tw 1e30 Tz 1e30 TL 1e30 Ts ${`(${'ab '.repeat(50)}) ' 1 2 (xy z) " T* 1e30 1e30 TD `.repeat(2_000)} ET\n`,
  ),
  shown(
    'kerned text of 300,000 numbers',
    () => `BT /F1 8 Tf 10 400 Td [${'(a) -200 '.repeat(300_000)}] TJ ET\n`,
  ),
  shown('text in 5,000 directions', () =>
    Array.from(
      { length: 5_000 },
      (_, at) =>
        `BT /F1 9 Tf ${Math.cos(at).toFixed(4)} ${Math.sin(at).toFixed(4)} ${(-Math.sin(at)).toFixed(4)} ${Math.cos(at).toFixed(4)} ${at % 600} ${at % 700} Tm (turned words) Tj ET`,
    ).join('\n'),
  ),
  mapped('a character map with 10,000 ranges of 65,536 characters', () =>
    cmap(`100 beginbfrange ${'<0000> <FFFF> <0041>\n'.repeat(10_000)} endbfrange`),
  ),
  mapped('a character map of one range over four bytes', () =>
    cmap('1 beginbfrange <00000000> <FFFFFFFF> <0041> endbfrange'),
  ),
  mapped('a character map of texts of 10,000 letters', () =>
    cmap(`1 beginbfchar <0041> <${'0042'.repeat(10_000)}> endbfchar`),
  ),
  mapped('a character map that never ends', () => cmap(`${'1 beginbfrange <0000> '.repeat(200_000)}`)),
];
