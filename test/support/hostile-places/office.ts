import { legacySlides } from '#test/formats/fixtures/legacy-slides.ts';
import { legacyWord } from '#test/formats/fixtures/legacy-word.ts';
import { xls } from '#test/formats/fixtures/legacy-workbook.ts';
import { pptx, shape } from '#test/formats/fixtures/slides.ts';
import { docx, paragraph, run } from '#test/formats/fixtures/word.ts';
import { xlsx } from '#test/formats/fixtures/workbook.ts';
import { COMMON_UNITS } from '../hostile-units.ts';
import { WORD_OBJECTS } from './office-objects.ts';
import { escaped, FEW, officeUnits, type Places } from './place.ts';

const slides = (lines: string[]) => legacySlides([{ title: 'A title', body: lines }]);
const toCommentLines = (text: string) => text.split('\n').map((line) => line.replaceAll('\r', ' '));

/** Places in documents of Microsoft Office. */
export const OFFICE_PLACES = {
  docx: {
    ...WORD_OBJECTS,
    text: { name: 'a.docx', write: (text) => docx(paragraph(run(escaped(text)))), units: COMMON_UNITS },
    'the body': {
      name: 'a.docx',
      write: (text) => docx(text),
      units: officeUnits({
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
        'alternative contents': '<mc:AlternateContent><mc:Choice>',
        'joined paragraphs': '<w:p><w:pPr><w:rPr><w:del/></w:rPr></w:pPr><w:r><w:t>a</w:t></w:r></w:p>',
      }),
    },
    'a paragraph': {
      name: 'a.docx',
      write: (text) => docx(`<w:p>${text}</w:p>`),
      units: officeUnits({
        runs: '<w:r><w:t>a</w:t></w:r>',
        'bold runs': '<w:r><w:rPr><w:b/></w:rPr><w:t>a</w:t></w:r><w:r><w:t>b</w:t></w:r>',
        'links that hold runs': '<w:hyperlink r:id="link1"><w:r><w:t>a</w:t></w:r></w:hyperlink>',
        'open links': '<w:hyperlink r:id="link1"><w:r><w:t>a</w:t></w:r>',
        'open fields': '<w:r><w:fldChar w:fldCharType="begin"/></w:r>',
        'fields in fields':
          '<w:r><w:fldChar w:fldCharType="begin"/><w:instrText>HYPERLINK "a"</w:instrText><w:fldChar w:fldCharType="separate"/><w:t>a</w:t></w:r>',
        'comment marks': '<w:r><w:commentReference w:id="1"/></w:r>',
        'deleted passages': '<w:del><w:r><w:delText>a</w:delText></w:r></w:del>',
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
      units: officeUnits({
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
      units: officeUnits({
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
} satisfies Places;
