import type { FileKind } from '#src/file-formats/registry.ts';
import { buildPdf } from '#test/fixtures/pdf.ts';
import { legacySlides } from '#test/formats/fixtures/legacy-slides.ts';
import { legacyWord } from '#test/formats/fixtures/legacy-word.ts';
import { xls } from '#test/formats/fixtures/legacy-workbook.ts';
import { compressedRtf, outlookMessage } from '#test/formats/fixtures/message.ts';
import { odf } from '#test/formats/fixtures/odf.ts';
import { joined } from '#test/formats/fixtures/ole.ts';
import { gif, jpeg, tiff, webp } from '#test/formats/fixtures/pictures.ts';
import { pptx, shape } from '#test/formats/fixtures/slides.ts';
import { docx, paragraph, run } from '#test/formats/fixtures/word.ts';
import { xlsx } from '#test/formats/fixtures/workbook.ts';
import { zip } from '#test/formats/fixtures/zip.ts';
import {
  COMMON_UNITS,
  JSON_UNITS,
  MAIL_UNITS,
  MARKDOWN_UNITS,
  MARKUP_UNITS,
  RTF_UNITS,
} from './hostile-units.ts';

type Bytes = Uint8Array;

/** Place in a document format where hostile text can be inserted. */
export interface HostilePlace {
  /** File name that the document is parsed under. */
  name: string;
  write(text: string): Bytes;
  /** Texts that are repeated there. */
  units: Record<string, string>;
  /** Maximum number of characters that the document builder supports. */
  most?: number;
}

const encodeText = (text: string) => new TextEncoder().encode(text);
const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0) & 0xff);
const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '"': '&quot;' };
/** Escapes text for an XML element or attribute. */
const escaped = (text: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has no control characters
  text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '').replace(/[&<"]/g, (each) => ENTITIES[each]!);

const plain = (name: string, head: string, units: Record<string, string>, tail = ''): HostilePlace => ({
  name,
  write: (text) => encodeText(head + text + tail),
  units,
});

const MARKUP = { ...COMMON_UNITS, ...MARKUP_UNITS };
/** Reduced set of units for documents that only pass text to another parser or display it. */
const FEW = Object.fromEntries(
  ['digits', 'dots and blanks', 'newlines', 'less-than signs', 'tabs', 'tiny lines', 'very long lines'].map(
    (name) => [name, COMMON_UNITS[name]!],
  ),
);
const OFFICE_UNITS = (units: Record<string, string>) => ({
  ...units,
  'open elements': '<a>',
  'empty elements': '<a/>',
});

const chapter = (body: string) => `<html><head><title>t</title></head><body>${body}</body></html>`;
const book = (files: Record<string, string>, items: string, references: string) =>
  zip({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>',
    'b.opf': `<package><manifest><item id="c" href="c.xhtml"/>${items}</manifest><spine><itemref idref="c"/>${references}</spine></package>`,
    'c.xhtml': chapter('<p>A chapter.</p>'),
    ...files,
  });

const MAIL_HEAD = 'From: a@b\nSubject: c\nMessage-ID: <d>\nMIME-Version: 1.0\n';
const message = (properties: Record<number, string | Bytes>) =>
  outlookMessage({ properties: { 55: 'A subject', 4096: 'A body', ...properties } });

const pdfText = (text: string) =>
  latin1(
    `BT /F1 12 Tf 40 700 Td 14 TL\n${(text.match(/[\s\S]{1,60}/g) ?? [])
      .map((line) => `(${line.replace(/([\\()])/g, '\\$1').replace(/[\r\n]/g, ' ')}) Tj T*`)
      .join('\n')}\nET`,
  );
const pdf = (content: Bytes) =>
  buildPdf({ pages: [{ content: Array.from(content, (byte) => String.fromCharCode(byte)).join('') }] });

const slides = (lines: string[]) => legacySlides([{ title: 'A title', body: lines }]);
const toCommentLines = (text: string) => text.split('\n').map((line) => line.replaceAll('\r', ' '));

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
const picture = (name: string, head: Bytes): HostilePlace => ({
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
  docx: {
    text: { name: 'a.docx', write: (text) => docx(paragraph(run(escaped(text)))), units: COMMON_UNITS },
    'the body': {
      name: 'a.docx',
      write: (text) => docx(text),
      units: OFFICE_UNITS({
        paragraphs: paragraph(run('a')),
        runs: '<w:r><w:t>a</w:t></w:r>',
        'open paragraphs': '<w:p>',
        'open tables': '<w:tbl><w:tr><w:tc>',
        rows: '<w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc></w:tr>',
        'page breaks': '<w:p><w:r><w:br w:type="page"/></w:r></w:p>',
        'code paragraphs': paragraph(run('`'), '<w:pStyle w:val="Code"/>'),
        'list items': paragraph(run('a'), '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="2"/></w:numPr>'),
        'structured tags': '<w:sdt><w:sdtContent>',
        'text boxes': '<w:p><w:r><w:pict><w:txbxContent>',
      }),
    },
    'a paragraph': {
      name: 'a.docx',
      write: (text) => docx(`<w:p>${text}</w:p>`),
      units: OFFICE_UNITS({
        runs: '<w:r><w:t>a</w:t></w:r>',
        'bold runs': '<w:r><w:rPr><w:b/></w:rPr><w:t>a</w:t></w:r><w:r><w:t>b</w:t></w:r>',
        'links that hold runs': '<w:hyperlink r:id="link1"><w:r><w:t>a</w:t></w:r></w:hyperlink>',
        'open links': '<w:hyperlink r:id="link1"><w:r><w:t>a</w:t></w:r>',
        'open fields': '<w:r><w:fldChar w:fldCharType="begin"/></w:r>',
        'fields in fields':
          '<w:r><w:fldChar w:fldCharType="begin"/><w:instrText>HYPERLINK "a"</w:instrText><w:fldChar w:fldCharType="separate"/><w:t>a</w:t></w:r>',
        'note marks': '<w:r><w:footnoteReference w:id="7"/></w:r>',
        pictures: '<w:r><w:drawing><a:blip r:embed="image1"/></w:drawing></w:r>',
        'page breaks': '<w:r><w:br w:type="page"/><w:t>a</w:t></w:r>',
      }),
    },
    'one link': {
      name: 'a.docx',
      write: (text) => docx(`<w:p><w:hyperlink r:id="link1">${text}</w:hyperlink></w:p>`),
      units: { runs: '<w:r><w:t>a</w:t></w:r>', breaks: '<w:r><w:br/></w:r>' },
    },
    'a table': {
      name: 'a.docx',
      write: (text) => docx(`<w:tbl><w:tr>${text}</w:tr></w:tbl>`),
      units: {
        cells: '<w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc>',
        'merged cells': '<w:tc><w:tcPr><w:gridSpan w:val="900"/></w:tcPr><w:p/></w:tc>',
        'rows and cells': '<w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc></w:tr><w:tr>',
      },
    },
  },
  doc: {
    text: {
      name: 'a.doc',
      write: (text) => legacyWord({ body: [{ text: `${text.replaceAll('\n', '\r')}\r` }] }),
      units: { ...FEW, cells: 'a\u0007', 'field marks': '\u0013a\u0014b\u0015', 'open fields': '\u0013 ' },
      most: 1_000_000,
    },
  },
  pptx: {
    text: {
      name: 'a.pptx',
      write: (text) => pptx([{ shapes: shape([escaped(text)]) }]),
      units: COMMON_UNITS,
    },
    'the shapes': {
      name: 'a.pptx',
      write: (text) => pptx([{ shapes: shape(['a']) + text }]),
      units: OFFICE_UNITS({
        shapes: shape(['a']),
        groups: '<p:grpSp>',
        'open shapes': '<p:sp><p:txBody>',
        tables: '<p:graphicFrame><a:graphic><a:graphicData><a:tbl><a:tr><a:tc>',
        alternatives: '<mc:AlternateContent><mc:Choice>',
      }),
    },
  },
  ppt: {
    text: { name: 'a.ppt', write: (text) => slides(toCommentLines(text)), units: FEW, most: 500_000 },
  },
  xlsx: {
    'a shared string': {
      name: 'a.xlsx',
      write: (text) =>
        xlsx(
          [{ name: 'S', cells: { 'A1 t="s"': '<v>0</v>', 'B1 t="s"': '<v>0</v>', A2: '<v>1</v>' } }],
          [`<t>${escaped(text)}</t>`],
        ),
      units: COMMON_UNITS,
    },
    rows: {
      name: 'a.xlsx',
      write: (text) => xlsx([{ name: 'S', cells: { A1: '<v>1</v>' }, rows: text }], []),
      units: OFFICE_UNITS({
        rows: '<row><c><v>1</v></c></row>',
        'rows of one text': '<row><c t="inlineStr"><is><t>a</t></is></c></row>',
        cells: '<c><v>1</v></c>',
        'formulas without results': '<row><c><f>1+1</f></c></row>',
        'hidden columns': '<col hidden="1" min="1" max="2"/>',
        hyperlinks: '<hyperlink ref="A1" r:id="l"/>',
      }),
    },
    'a formula': {
      name: 'a.xlsx',
      write: (text) => xlsx([{ name: 'S', cells: { A1: `<f>${escaped(text)}</f>` } }], []),
      units: {
        parentheses: '(',
        minuses: '-',
        sums: '1+',
        functions: 'SUM(',
        references: 'A1,',
        texts: '"a"&',
        ranges: 'A1:',
        braces: '{1;',
      },
    },
  },
  xls: {
    cells: {
      name: 'a.xls',
      write: (text) =>
        xls(Array.from({ length: text.length / 50 }, (_, at) => ({ row: at, column: 0, value: at }))),
      units: { numbers: '1' },
      most: 500_000,
    },
    'a formula': {
      name: 'a.xls',
      write: (text) =>
        xls([
          {
            row: 0,
            column: 0,
            value: 1,
            tokens: Array.from(text.slice(0, 8_000), (one) => one.charCodeAt(0)),
          },
        ]),
      units: {
        numbers: '\u001e\u0001\u0000',
        minuses: '\u0013',
        sums: '\u001e\u0001\u0000\u001e\u0001\u0000\u0003',
      },
      most: 16_000,
    },
  },
  csv: { text: plain('a.csv', 'a,b\n', COMMON_UNITS) },
  tsv: { text: plain('a.tsv', 'a\tb\n', COMMON_UNITS) },
  html: {
    'the body': plain('a.html', '<!doctype html><html><p>', MARKUP),
    'preformatted text': plain('a.html', '<!doctype html><html><pre>', COMMON_UNITS, '</pre>'),
    'a cell': plain(
      'a.html',
      '<!doctype html><html><table><tr><td>',
      MARKUP,
      '</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>',
    ),
    'an attribute': plain('a.html', '<!doctype html><html><p title="a" style="', COMMON_UNITS, '">a</p>'),
    'a class': plain(
      'a.html',
      '<!doctype html><html><style>.a{display:none}</style><p class="',
      COMMON_UNITS,
      '">a',
    ),
    'a style sheet': plain(
      'a.html',
      '<!doctype html><html><style>',
      { ...COMMON_UNITS, selectors: '.a,', rules: '.a{display:none}', 'nested rules': '.a{', comments: '/*' },
      '</style><p>a',
    ),
    'the head': plain('a.html', '<!doctype html><html><head>', {
      'meta elements': '<meta name=a content=b>',
      titles: '<title>a</title>',
      'open titles': '<title>',
      bases: '<base href="http://a/">',
    }),
  },
  md: {
    text: plain('a.md', 'text ', { ...COMMON_UNITS, ...MARKUP_UNITS, ...MARKDOWN_UNITS }),
    'a text that begins a line': plain('a.md', 'text\n\n', { ...COMMON_UNITS, ...MARKDOWN_UNITS }),
    'front matter': plain('a.md', '---\ntitle: ', FEW, '\n---\ntext'),
    'a list item': plain('a.md', 'text\n\n- ', MARKDOWN_UNITS),
    'a quote': plain('a.md', 'text\n\n> ', MARKDOWN_UNITS),
  },
  txt: { text: plain('a.txt', '', COMMON_UNITS) },
  json: {
    'the file': plain('a.json', '', { ...COMMON_UNITS, ...JSON_UNITS }),
    'a list': plain('a.json', '[', JSON_UNITS, '0]'),
    'a string': {
      name: 'a.json',
      write: (text) => encodeText(JSON.stringify({ a: { b: text } })),
      units: COMMON_UNITS,
    },
  },
  xml: {
    text: plain('a.xml', '<?xml version="1.0"?><a>', MARKUP),
    'an attribute': plain('a.xml', '<?xml version="1.0"?><a><b c="', COMMON_UNITS, '"/></a>'),
    records: plain(
      'a.xml',
      '<?xml version="1.0"?><a>',
      { records: '<b><c>1</c></b>', 'records with attributes': '<b c="1"/>', 'nested fields': '<b><c>' },
      '</a>',
    ),
  },
  eml: {
    'the body': plain('a.eml', `${MAIL_HEAD}\n`, { ...COMMON_UNITS, ...MAIL_UNITS }),
    'a subject': plain(
      'a.eml',
      'From: a@b\nMessage-ID: <d>\nSubject: ',
      { ...COMMON_UNITS, ...MAIL_UNITS },
      '\n\na',
    ),
    recipients: plain(
      'a.eml',
      'From: a@b\nMessage-ID: <d>\nTo: ',
      { ...COMMON_UNITS, ...MAIL_UNITS },
      '\n\na',
    ),
    'a content type': plain(
      'a.eml',
      `${MAIL_HEAD}Content-Type: text/plain`,
      { ...FEW, ...MAIL_UNITS, parameters: '; a=b' },
      '\n\na',
    ),
    parts: plain('a.eml', `${MAIL_HEAD}Content-Type: multipart/mixed; boundary=b\n\n--b\n`, {
      ...FEW,
      ...MAIL_UNITS,
    }),
    'an HTML body': plain('a.eml', `${MAIL_HEAD}Content-Type: text/html\n\n`, MARKUP),
    'a quoted-printable body': plain('a.eml', `${MAIL_HEAD}Content-Transfer-Encoding: quoted-printable\n\n`, {
      ...FEW,
      ...MAIL_UNITS,
      'soft line breaks': 'a=\n',
    }),
    'a base64 body': plain('a.eml', `${MAIL_HEAD}Content-Transfer-Encoding: base64\n\n`, {
      ...FEW,
      ...MAIL_UNITS,
    }),
    'a flowed body': plain('a.eml', `${MAIL_HEAD}Content-Type: text/plain; format=flowed\n\n`, {
      ...FEW,
      ...MAIL_UNITS,
      'flowed lines': 'a \n',
    }),
  },
  msg: {
    'the body': { name: 'a.msg', write: (text) => message({ 4096: text }), units: FEW, most: 2_000_000 },
    'an HTML body': {
      name: 'a.msg',
      write: (text) => message({ 4115: encodeText(text) }),
      units: MARKUP_UNITS,
    },
    'an RTF body': {
      name: 'a.msg',
      write: (text) => message({ 4105: compressedRtf(`{\\rtf1 ${text}`) }),
      units: RTF_UNITS,
      most: 200_000,
    },
  },
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
  rtf: { text: plain('a.rtf', '{\\rtf1 ', { ...COMMON_UNITS, ...RTF_UNITS }) },
  odt: {
    text: {
      name: 'a.odt',
      write: (text) => odf('text', `<text:p>${escaped(text)}</text:p>`),
      units: COMMON_UNITS,
    },
    'the body': {
      name: 'a.odt',
      write: (text) => odf('text', text),
      units: OFFICE_UNITS({
        paragraphs: '<text:p>a</text:p>',
        'open paragraphs': '<text:p>a',
        'nested lists': '<text:list><text:list-item><text:p>a</text:p>',
        'lists one after the other':
          '<text:list><text:list-item><text:p>a</text:p></text:list-item></text:list>',
        'nested tables': '<table:table><table:table-row><table:table-cell>',
        'nested notes': '<text:p>a<text:note><text:note-body>',
        frames: '<text:p><draw:frame><draw:text-box><text:p>a</text:p></draw:text-box></draw:frame></text:p>',
        'nested spans': '<text:span>a',
      }),
    },
    'a paragraph': {
      name: 'a.odt',
      write: (text) => odf('text', `<text:p>${text}</text:p>`),
      units: OFFICE_UNITS({
        spans: '<text:span text:style-name="B">a</text:span>',
        links: '<text:a xlink:href="a">b</text:a>',
        'line breaks': 'a<text:line-break/>',
        spaces: 'a<text:s text:c="64"/>',
        tabs: 'a<text:tab/>',
        notes: '<text:note><text:note-body><text:p>a</text:p></text:note-body></text:note>',
        pictures: '<draw:frame><draw:image xlink:href="Pictures/1.png"/></draw:frame>',
      }),
    },
    'one frame': {
      name: 'a.odt',
      write: (text) => odf('text', `<text:p>a<draw:frame>${text}</draw:frame></text:p>`),
      units: { 'text boxes': '<draw:text-box><text:p>a</text:p></draw:text-box>' },
    },
  },
  ods: {
    text: {
      name: 'a.ods',
      write: (text) =>
        odf(
          'spreadsheet',
          `<table:table><table:table-row><table:table-cell><text:p>${escaped(text)}</text:p></table:table-cell></table:table-row></table:table>`,
        ),
      units: COMMON_UNITS,
    },
    rows: {
      name: 'a.ods',
      write: (text) => odf('spreadsheet', `<table:table table:name="S">${text}</table:table>`),
      units: OFFICE_UNITS({
        rows: '<table:table-row><table:table-cell><text:p>a</text:p></table:table-cell></table:table-row>',
        cells: '<table:table-cell><text:p>a</text:p></table:table-cell>',
        'row groups': '<table:table-row-group>',
      }),
    },
    'one row': {
      name: 'a.ods',
      write: (text) =>
        odf(
          'spreadsheet',
          `<table:table table:name="S"><table:table-row>${text}</table:table-row></table:table>`,
        ),
      units: {
        cells: '<table:table-cell><text:p>a</text:p></table:table-cell>',
        'repeated cells':
          '<table:table-cell table:number-columns-repeated="9999"><text:p>a</text:p></table:table-cell>',
        'repeated empty cells':
          '<table:table-cell table:number-columns-repeated="9999"/><table:table-cell><text:p>a</text:p></table:table-cell>',
      },
    },
  },
  odp: {
    'a slide': {
      name: 'a.odp',
      write: (text) => odf('presentation', `<draw:page>${text}</draw:page>`),
      units: OFFICE_UNITS({
        frames: '<draw:frame><draw:text-box><text:p>a</text:p></draw:text-box></draw:frame>',
        'open frames': '<draw:frame>',
        titles: '<draw:frame presentation:class="title"><text:p>a</text:p></draw:frame>',
      }),
    },
    slides: {
      name: 'a.odp',
      write: (text) => odf('presentation', text),
      units: { slides: '<draw:page><draw:frame><text:p>a</text:p></draw:frame></draw:page>' },
    },
  },
  png: { chunks: picture('a.png', pngHead) },
  jpeg: { segments: picture('a.jpg', jpeg.subarray(0, 2)) },
  webp: { chunks: picture('a.webp', webp) },
  tiff: { tail: picture('a.tiff', tiff([{ width: 30, height: 30 }])) },
  gif: { extensions: picture('a.gif', gif.subarray(0, gif.length - 1)) },
} satisfies Record<FileKind, Record<string, HostilePlace>>;
