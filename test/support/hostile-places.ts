import type { FileKind } from '#src/file-formats/registry.ts';
import { buildPdf } from '#test/fixtures/pdf.ts';
import { joined } from '#test/formats/fixtures/ole.ts';
import { gif, jpeg, tiff, webp } from '#test/formats/fixtures/pictures.ts';
import { zip } from '#test/formats/fixtures/zip.ts';
import { MAIL_PLACES } from './hostile-places/mail.ts';
import { MARKUP_PLACES } from './hostile-places/markup.ts';
import { OFFICE_PLACES } from './hostile-places/office.ts';
import { OPEN_DOCUMENT_PLACES } from './hostile-places/open-document.ts';
import { FEW, type HostilePlace, latin1, MARKUP, plain } from './hostile-places/place.ts';
import { TEXT_PLACES } from './hostile-places/texts.ts';
import { COMMON_UNITS, RTF_UNITS } from './hostile-units.ts';

export type { HostilePlace } from './hostile-places/place.ts';

const chapter = (body: string) => `<html><head><title>t</title></head><body>${body}</body></html>`;
const book = (files: Record<string, string>, items: string, references: string) =>
  zip({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>',
    'b.opf': `<package><manifest><item id="c" href="c.xhtml"/>${items}</manifest><spine><itemref idref="c"/>${references}</spine></package>`,
    'c.xhtml': chapter('<p>A chapter.</p>'),
    ...files,
  });

const pdfText = (text: string) =>
  latin1(
    `BT /F1 12 Tf 40 700 Td 14 TL\n${(text.match(/[\s\S]{1,60}/g) ?? [])
      .map((line) => `(${line.replace(/([\\()])/g, '\\$1').replace(/[\r\n]/g, ' ')}) Tj T*`)
      .join('\n')}\nET`,
  );
const pdf = (content: Uint8Array) =>
  buildPdf({ pages: [{ content: Array.from(content, (byte) => String.fromCharCode(byte)).join('') }] });

/** PNG signature and header chunk before the pixel data. */
const pngHead = Uint8Array.from([
  0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 40, 0, 0, 0,
  40, 8, 2, 0, 0, 0, 0, 0, 0, 0,
]);
const BINARY = {
  'zero bytes': '\u0000',
  'full bytes': '\u00ff',
  'empty PNG chunks': '\u0000\u0000\u0000\u0000tEXt\u0000\u0000\u0000\u0000',
  'empty JPEG segments': '\u00ff\u00e0\u0000\u0002',
  'GIF extensions': '!\u00fe\u0001a\u0000',
  'empty RIFF chunks': 'EXI \u0000\u0000\u0000\u0000',
  letters: 'x',
};
const picture = (name: string, head: Uint8Array): HostilePlace => ({
  name,
  write: (text) => joined(head, latin1(text)),
  units: BINARY,
});

/** Places for hostile text in each parsed format. `satisfies` makes a missing format a type error. */
export const HOSTILE_PLACES = {
  pdf: {
    text: { name: 'a.pdf', write: (text) => pdf(pdfText(text)), units: FEW },
    'a content stream': {
      name: 'a.pdf',
      write: (text) => pdf(latin1(text)),
      units: {
        'saved states': 'q ',
        'restored states': 'Q ',
        rectangles: '10 10 20 20 re f\n',
        lines: '10 10 m 20 20 l S\n',
        'text objects': 'BT /F1 12 Tf 10 10 Td (a) Tj ET\n',
        words: 'BT /F1 12 Tf 1 0 0 1 40 700 Tm (word) Tj ET\n',
        arrays: '[',
        dictionaries: '<<',
        'open strings': '(',
        'marked content': '/a BMC ',
        numbers: '1 ',
      },
      most: 400_000,
    },
    'the body': {
      name: 'a.pdf',
      write: (text) => joined(latin1('%PDF-1.4\n'), latin1(text)),
      units: {
        objects: '1 0 obj\n<<>>\nendobj\n',
        'open dictionaries': '<<',
        'open arrays': '[',
        'cross-reference tables': 'xref\n0 1\n',
        trailers: 'trailer\n<<>>\n',
        ends: 'startxref\n0\n%%EOF\n',
      },
    },
  },
  ...OFFICE_PLACES,
  csv: { text: plain('a.csv', 'a,b\n', COMMON_UNITS) },
  tsv: { text: plain('a.tsv', 'a\tb\n', COMMON_UNITS) },
  txt: { text: plain('a.txt', '', COMMON_UNITS) },
  rtf: {
    text: plain('a.rtf', '{\\rtf1 ', { ...COMMON_UNITS, ...RTF_UNITS }),
    'packed HTML': plain('a.rtf', '{\\rtf1\\fromhtml1 ', {
      ...RTF_UNITS,
      'open groups': '{',
      'tags in groups': '{\\*\\htmltag64 <b>}',
      'tags in open groups': '{\\*\\htmltag64 <div>',
      'repeated text': '\\htmlrtf a\\htmlrtf0 ',
    }),
  },
  ...MARKUP_PLACES,
  ...TEXT_PLACES,
  ...MAIL_PLACES,
  zip: {
    'a member': { name: 'a.zip', write: (text) => zip({ 'a.txt': text }), units: FEW },
    'a name': {
      name: 'a.zip',
      write: (text) => zip({ [`${text.slice(0, 60_000)}.txt`]: 'text' }),
      units: FEW,
      most: 100_000,
    },
    members: {
      name: 'a.zip',
      write: (text) =>
        zip(Object.fromEntries(Array.from({ length: text.length / 500 }, (_, at) => [`${at}.txt`, 'a']))),
      units: { files: 'x' },
      most: 4_000_000,
    },
  },
  epub: {
    'a chapter': {
      name: 'a.epub',
      write: (text) => book({ 'c.xhtml': chapter(text) }, '', ''),
      units: MARKUP,
    },
    'the list of files': {
      name: 'a.epub',
      write: (text) => book({}, text, ''),
      units: { items: '<item id="d" href="d.xhtml"/>' },
    },
    'the reading order': {
      name: 'a.epub',
      write: (text) => book({}, '', text),
      units: { references: '<itemref idref="c"/>' },
    },
  },
  ...OPEN_DOCUMENT_PLACES,
  png: { chunks: picture('a.png', pngHead) },
  jpeg: { segments: picture('a.jpg', jpeg.subarray(0, 2)) },
  webp: { chunks: picture('a.webp', webp) },
  tiff: { tail: picture('a.tiff', tiff([{ width: 30, height: 30 }])) },
  gif: { extensions: picture('a.gif', gif.subarray(0, gif.length - 1)) },
} satisfies Record<FileKind, Record<string, HostilePlace>>;
