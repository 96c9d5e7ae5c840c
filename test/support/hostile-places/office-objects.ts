import { odf } from '#test/formats/fixtures/odf.ts';
import { withParts } from '#test/formats/fixtures/parts.ts';
import { docx, paragraph } from '#test/formats/fixtures/word.ts';
import { type HostilePlace, officeUnits } from './place.ts';

const formulaRun = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`;
const withPart = (body: string, type: string, part: string) =>
  withParts(docx(body), { 'word/part.xml': part }, 'word/document.xml', { p: [type, 'part.xml'] });
const chartMark = paragraph('<w:r><w:drawing><c:chart r:id="p"/></w:drawing></w:r>');
const points = '<c:pt idx="1"><c:v>1</c:v></c:pt>';

/** Places in formulas, charts and comments of Word documents. */
export const WORD_OBJECTS = {
  'a formula': {
    name: 'a.docx',
    write: (text) => docx(paragraph(`<m:oMath>${text}</m:oMath>`)),
    units: officeUnits({
      runs: formulaRun('a'),
      'signs of one run': 'a+',
      'open brackets': formulaRun('('),
      'brackets that end': formulaRun('(') + formulaRun('a') + formulaRun(')'),
      'closing brackets': formulaRun(')'),
      'bars around tables': `${formulaRun('|')}<m:m><m:mr><m:e/></m:mr></m:m>${formulaRun('|')}`,
      'typed scripts': formulaRun('a^b'),
      'scripts of scripts': `<m:sSup><m:e>${formulaRun('a')}`,
      'nested fractions': `<m:f><m:num>${formulaRun('a')}`,
      'nested roots': '<m:rad><m:deg/><m:e>',
      'nested brackets': '<m:d><m:e>',
      'nested matrices': `<m:m><m:mr><m:e>${formulaRun('a')}`,
      'nested accents': '<m:acc><m:accPr><m:chr m:val="^"/></m:accPr><m:e>',
      'equations with alignment marks': `<m:eqArr><m:e>${formulaRun('a&amp;=b#(1)')}</m:e></m:eqArr>`,
      'line breaks': '<m:r><m:br/><m:t>a</m:t></m:r>',
      spaces: formulaRun(' '),
      formulas: '<m:oMath>',
    }),
  },
  'a chart': {
    name: 'a.docx',
    write: (text) =>
      withPart(
        chartMark,
        'chart',
        `<c:chartSpace><c:chart><c:plotArea>${text}</c:plotArea></c:chart></c:chartSpace>`,
      ),
    units: officeUnits({
      groups: `<c:barChart><c:ser><c:val><c:numLit>${points}</c:numLit></c:val></c:ser></c:barChart>`,
      'open series': `<c:barChart><c:ser><c:val><c:numLit>${points}`,
      axes: '<c:catAx><c:title><c:tx><c:rich><a:p><a:t>a</a:t></a:p></c:rich></c:tx></c:title></c:catAx>',
    }),
  },
  'a series of a chart': {
    name: 'a.docx',
    write: (text) =>
      withPart(
        chartMark,
        'chart',
        `<c:chartSpace><c:chart><c:plotArea><c:lineChart><c:ser>${text}<c:val><c:numLit>${points}</c:numLit></c:val></c:ser></c:lineChart></c:plotArea></c:chart></c:chartSpace>`,
      ),
    units: officeUnits({
      labels:
        '<c:dLbls><c:dLbl><c:idx val="1"/><c:tx><c:rich><a:p><a:t>a</a:t></a:p></c:rich></c:tx></c:dLbl></c:dLbls>',
      levels: '<c:cat><c:multiLvlStrRef><c:multiLvlStrCache><c:lvl><c:pt idx="1"><c:v>a</c:v></c:pt></c:lvl>',
    }),
  },
  'the comments': {
    name: 'a.docx',
    write: (text) => withPart(paragraph(''), 'comments', `<w:comments>${text}</w:comments>`),
    units: officeUnits({
      comments: '<w:comment w:id="1" w:author="A"><w:p><w:r><w:t>a</w:t></w:r></w:p></w:comment>',
      'open comments': '<w:comment><w:p><w:r><w:t>a</w:t></w:r>',
    }),
  },
  'alternatives with pictures': {
    name: 'a.docx',
    write: (text) =>
      withParts(docx(text), { 'word/media/old.png': 'x' }, 'word/document.xml', {
        p: ['image', 'media/old.png'],
      }),
    units: {
      'empty fallbacks': '<mc:AlternateContent><mc:Choice/><mc:Fallback/></mc:AlternateContent>',
      'open fallbacks':
        '<mc:AlternateContent><mc:Choice><w:t>a</w:t></mc:Choice><mc:Fallback><a:blip r:embed="p"/>',
    },
  },
} satisfies Record<string, HostilePlace>;

/** Places in charts and formulas of OpenDocument texts. */
export const OPEN_DOCUMENT_OBJECTS = {
  'a chart': {
    name: 'a.odt',
    write: (text) =>
      withObject(
        `<office:document-content><office:body><office:chart><chart:chart><table:table>${text}</table:table></chart:chart></office:chart></office:body></office:document-content>`,
      ),
    units: officeUnits({
      rows: '<table:table-row><table:table-cell><text:p>a</text:p></table:table-cell></table:table-row>',
      cells: '<table:table-cell><text:p>a</text:p></table:table-cell>',
    }),
  },
  'a formula': {
    name: 'a.odt',
    write: (text) => withObject(`<math>${text}</math>`),
    units: officeUnits({
      letters: '<mi>a</mi>',
      'nested rows': '<mrow><mi>a</mi>',
      'nested roots': '<msqrt>',
    }),
  },
  'objects of one part': {
    name: 'a.odt',
    write: (text) => withObject('<math><mi>a</mi></math>', text),
    units: { objects: '<text:p><draw:frame><draw:object xlink:href="Object 1"/></draw:frame></text:p>' },
  },
} satisfies Record<string, HostilePlace>;

function withObject(part: string, body?: string): Uint8Array {
  const frame = '<text:p><draw:frame><draw:object xlink:href="Object 1"/></draw:frame></text:p>';
  return withParts(odf('text', body ?? frame), { 'Object 1/content.xml': part });
}
