import type { HostileDocument } from '../document.ts';
import { latin1 } from '../document.ts';
import { compressed, form, hostilePage, legible, onePage, type PdfObject, writePdf } from './write.ts';

const file = (name: string, bytes: () => Uint8Array): HostileDocument => ({
  name,
  file: 'hostile.pdf',
  bytes,
});
const FONT = '/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>';

/** A document whose catalog and pages have further entries. */
const withCatalog = (catalog: string, objects: PdfObject[] = [], pages = '', page = ''): Uint8Array =>
  writePdf([
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    `<< /Type /Pages /Kids [3 0 R] /Count 1 ${pages} >>`,
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R ${FONT} ${page} >>`,
    compressed('', legible),
    ...objects,
  ]);

const annotations = (count: number, entries: string) =>
  `/Annots [${`<< /Type /Annot /Rect [0 0 600 700] ${entries} >> `.repeat(count)}]`;

export const structurePdfs: readonly HostileDocument[] = [
  file('a page tree that leads back to its root', () =>
    writePdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [2 0 R 2 0 R 2 0 R] /Count 1000000 >>',
    ]),
  ),
  file('a page tree 10,000 levels deep', () =>
    writePdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      ...Array.from({ length: 10_000 }, (_, at) => `<< /Type /Pages /Kids [${at + 3} 0 R] /Count 1 >>`),
      '<< /Type /Page /MediaBox [0 0 612 792] >>',
    ]),
  ),
  file('a page tree that claims 2,147,483,647 pages', () =>
    writePdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 2147483647 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>',
    ]),
  ),
  file('one page that is listed 19,000 times', () =>
    writePdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      `<< /Type /Pages /Kids [${'3 0 R '.repeat(19_000)}] /Count 19000 >>`,
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R ${FONT} >>`,
      compressed('', legible),
    ]),
  ),
  file('an outline that leads back to itself', () =>
    withCatalog('/Outlines 5 0 R', [
      '<< /First 6 0 R /Last 6 0 R /Count 1 >>',
      '<< /Title (again) /Next 6 0 R /First 6 0 R /Parent 5 0 R /Dest [3 0 R /Fit] >>',
    ]),
  ),
  file('an outline of 50,000 entries inside each other', () =>
    withCatalog(
      '/Outlines 5 0 R',
      Array.from(
        { length: 50_000 },
        (_, at) => `<< /Title (deep) /First ${at + 6} 0 R /Dest [3 0 R /Fit] >>`,
      ),
    ),
  ),
  file('page labels in a circle of number trees', () =>
    withCatalog('/PageLabels 5 0 R', ['<< /Kids [5 0 R 5 0 R] >>']),
  ),
  file('named destinations in a circle of name trees', () =>
    withCatalog(
      '/Names << /Dests 5 0 R >>',
      ['<< /Kids [5 0 R 5 0 R] /Limits [(a) (z)] >>'],
      '',
      annotations(1, '/Subtype /Link /Dest (b)'),
    ),
  ),
  file('dictionaries nested 100,000 deep', () => withCatalog(`/Deep ${'<< /A '.repeat(100_000)}`)),
  file('arrays nested 100,000 deep', () => withCatalog(`/Deep ${'['.repeat(100_000)}`)),
  file('a cross-reference table that names itself as the previous one', () => {
    const bytes = writePdf(['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [] /Count 0 >>']);
    const at = new TextDecoder('latin1').decode(bytes).lastIndexOf('startxref\n') + 10;
    const start = new TextDecoder().decode(bytes.subarray(at)).split('\n')[0];
    return writePdf(
      ['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [] /Count 0 >>'],
      `/Prev ${start} /XRefStm ${start}`,
    );
  }),
  file('a cross-reference table of a billion entries', () =>
    latin1(
      '%PDF-1.7\n1 0 obj << /Type /Catalog >> endobj\nxref\n0 1000000000\n0000000000 65535 f \ntrailer << /Size 1000000000 /Root 1 0 R >>\nstartxref\n44\n%%EOF',
    ),
  ),
  file('no cross-reference table, and 200,000 objects', () =>
    latin1(
      `%PDF-1.7\n${Array.from({ length: 200_000 }, (_, at) => `${at + 1} 0 obj << /Type /Page >> endobj`).join('\n')}\ntrailer << /Root 1 0 R >>`,
    ),
  ),
  file('headers of objects without an end', () => latin1(`%PDF-1.7\n${'1 0 obj << /A ('.repeat(100_000)}`)),
  file('a stream whose length is the stream itself', () =>
    writePdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R >>',
      '<< /Length 4 0 R >>\nstream\nq Q\nendstream',
    ]),
  ),
  hostilePage('one content stream that is listed 100,000 times', () => ({
    content: '0 0 9 9 re f',
    entries: `/Contents [${'4 0 R '.repeat(100_000)}]`,
  })),
  hostilePage('a content stream of 200 MB of spaces', () => ({
    content: new Uint8Array(200_000_000).fill(32),
  })),
  file('resources that inherit from each other in a circle', () =>
    onePage({
      content: '/X Do',
      resources: '/XObject 5 0 R',
      objects: ['<< /X 6 0 R >>', form('/X Do', '/XObject 5 0 R')],
    }),
  ),
  file('10,000 widgets with an appearance', () =>
    withCatalog(
      '/AcroForm << /Fields [] >>',
      [form('0 0 600 700 re f')],
      '',
      annotations(10_000, '/Subtype /Widget /FT /Tx /T (x) /V (value) /AP << /N 5 0 R >>'),
    ),
  ),
  file('50,000 links over the whole page', () =>
    withCatalog(
      '',
      [],
      '',
      annotations(50_000, '/Subtype /Link /A << /S /URI /URI (https://example.com) >>'),
    ),
  ),
  file('10,000 highlights in a blend mode', () =>
    withCatalog(
      '',
      [form('/G gs 0 0 600 700 re f', '/ExtGState << /G << /BM /Multiply /ca .5 >> >>')],
      '',
      annotations(10_000, '/Subtype /Highlight /QuadPoints [0 0 600 0 0 700 600 700] /AP << /N 5 0 R >>'),
    ),
  ),
  file('form fields that are their own parents', () =>
    withCatalog(
      '/AcroForm << /Fields [5 0 R] /NeedAppearances true >>',
      ['<< /FT /Tx /T (a) /Kids [5 0 R 5 0 R] /Parent 5 0 R /Subtype /Widget /Rect [0 0 9 9] >>'],
      '',
      '/Annots [5 0 R]',
    ),
  ),
  file('a choice field of 100,000 options', () =>
    withCatalog(
      '/AcroForm << /Fields [5 0 R] /DA (/F1 12 Tf) >>',
      [
        `<< /FT /Ch /T (a) /V (x) /Opt [${'(option) '.repeat(100_000)}] /Subtype /Widget /Rect [0 0 500 700] >>`,
      ],
      '',
      '/Annots [5 0 R]',
    ),
  ),
  file('optional content in 5,000 groups', () =>
    withCatalog(
      `/OCProperties << /OCGs [${'5 0 R '.repeat(5_000)}] /D << /OFF [${'5 0 R '.repeat(5_000)}] /Order [${'['.repeat(3_000)}${']'.repeat(3_000)}] >> >>`,
      ['<< /Type /OCG /Name (layer) >>'],
    ),
  ),
  file('an object stream that extends itself', () =>
    withCatalog('/Metadata 6 0 R', [
      { entries: '/Type /ObjStm /N 1000000 /First 8 /Extends 5 0 R', data: '6 0 7 9 << >> << >>' },
      '7 0 R',
      '6 0 R',
    ]),
  ),
  file('a user unit that makes the page a billion points wide', () =>
    withCatalog('', [], '', '/UserUnit 75000 /MediaBox [-1000000000 -1000000000 1000000000 1000000000]'),
  ),
  file('a page without an area', () => withCatalog('', [], '', '/MediaBox [0 0 0 0]')),
  file('a media box of numbers that are none', () =>
    withCatalog('', [], '', '/MediaBox [1e400 -1e400 (a) null]'),
  ),
  file('a password check of unknown length', () =>
    writePdf(
      ['<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [] /Count 0 >>'],
      `/Encrypt << /Filter /Standard /V 5 /R 6 /Length 256 /O <${'41'.repeat(48)}> /U <${'41'.repeat(48)}> /OE <${'41'.repeat(32)}> /UE <${'41'.repeat(32)}> /Perms <${'41'.repeat(16)}> /P -1 >> /ID [<41> <41>]`,
    ),
  ),
  file('structure elements that contain each other', () =>
    withCatalog('/MarkInfo << /Marked true >> /StructTreeRoot 5 0 R', [
      '<< /Type /StructTreeRoot /K 6 0 R /ParentTree 7 0 R >>',
      '<< /Type /StructElem /S /P /K [6 0 R 6 0 R] /P 6 0 R /Pg 3 0 R >>',
      '<< /Kids [7 0 R] >>',
    ]),
  ),
];
