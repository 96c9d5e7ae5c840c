import { type Input, indexed } from '#test/process/hostile/input.ts';
import { packed, relations } from '#test/support/hostile-documents/containers.ts';
import { bytesOfText } from '#test/support/hostile-documents/document.ts';

const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument';

/** An OpenDocument file of this kind with this body. */
const openDocument = (kind: string, body: string) => () =>
  packed({
    mimetype: `${OPEN_DOCUMENT}.${kind}`,
    'content.xml': `<office:document-content><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
  });

const letter = (body: string, parts: Record<string, string> = {}) =>
  packed({
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': relations(['r', 'officeDocument', 'word/document.xml']),
    'word/document.xml': `<w:document><w:body>${body}</w:body></w:document>`,
    ...parts,
  });

const slide = (shapes: string) =>
  packed({
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': relations(['r', 'officeDocument', 'ppt/presentation.xml']),
    'ppt/presentation.xml':
      '<p:presentation><p:sldIdLst><p:sldId id="1" r:id="s"/></p:sldIdLst></p:presentation>',
    'ppt/_rels/presentation.xml.rels': relations(['s', 'slide', 'slides/slide1.xml']),
    'ppt/slides/slide1.xml': `<p:sld><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`,
  });

function book(parts: Record<string, string>, spine: string): Uint8Array {
  return packed({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="a.opf"/></rootfiles></container>',
    'a.opf': `<package><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine>${spine}</spine></package>`,
    ...parts,
  });
}

const office = (name: string, file: string, content: () => Uint8Array) =>
  indexed(`office: ${name}`, file, content);

/** A series of a chart whose only point has the highest index that is read. */
const CHART_SERIES =
  '<c:lineChart><c:ser><c:val><c:numLit><c:pt idx="59999"><c:v>1</c:v></c:pt></c:numLit></c:val></c:ser></c:lineChart>';

const run = (text: string) => `<w:r><w:t>${text}</w:t></w:r>`;

/** Office files whose small markup stands for something very large. */
export const offices: Input[] = [
  office(
    'a text of spaces repeated a billion times',
    'a.odt',
    openDocument('text', `<text:p>x<text:s text:c="1000000000"/>y</text:p>`.repeat(1_000)),
  ),
  office(
    'a text table of columns repeated a billion times',
    'a.odt',
    openDocument(
      'text',
      '<table:table><table:table-column table:number-columns-repeated="1000000000"/><table:table-row table:number-rows-repeated="1000000000"><table:table-cell table:number-columns-repeated="1000000000"><text:p>x</text:p></table:table-cell></table:table-row></table:table>',
    ),
  ),
  office(
    'lists 20,000 levels deep in a text',
    'a.odt',
    openDocument('text', '<text:list><text:list-item>'.repeat(20_000)),
  ),
  office(
    'frames 20,000 levels deep in a presentation',
    'a.odp',
    openDocument('presentation', `<draw:page>${'<draw:g>'.repeat(20_000)}`),
  ),
  office(
    '50,000 sheets of one cell',
    'a.ods',
    openDocument(
      'spreadsheet',
      '<table:table><table:table-row><table:table-cell><text:p>1</text:p></table:table-cell></table:table-row></table:table>'.repeat(
        50_000,
      ),
    ),
  ),
  office('a table cell over a billion columns', 'a.docx', () =>
    letter(
      `<w:tbl>${`<w:tr><w:tc><w:tcPr><w:gridSpan w:val="1000000000"/></w:tcPr><w:p>${run('x')}</w:p></w:tc></w:tr>`.repeat(2_000)}</w:tbl>`,
    ),
  ),
  office('fields 30,000 levels deep', 'a.docx', () =>
    letter(`<w:p>${'<w:r><w:fldChar w:fldCharType="begin"/></w:r>'.repeat(30_000)}${run('x')}</w:p>`),
  ),
  office('list numbers that begin at a billion in Roman letters', 'a.docx', () =>
    letter(
      `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr>${run('x')}</w:p>`.repeat(
        5_000,
      ),
      {
        'word/_rels/document.xml.rels': relations(['n', 'numbering', 'numbering.xml']),
        'word/numbering.xml':
          '<w:numbering><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1000000000"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%1%1%1%1"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>',
      },
    ),
  ),
  office('100,000 relationships to the document itself', 'a.docx', () =>
    letter(`<w:p>${run('x')}</w:p>`, {
      'word/_rels/document.xml.rels': relations(
        ...Array.from({ length: 100_000 }, (_, at): [string, string, string] => [
          `r${at}`,
          'footnotes',
          'document.xml',
        ]),
      ),
    }),
  ),
  office('100,000 comments on one word', 'a.docx', () =>
    letter(`<w:p>${'<w:r><w:commentReference w:id="1"/></w:r>'.repeat(100_000)}${run('x')}</w:p>`, {
      'word/_rels/document.xml.rels': relations(['c', 'comments', 'comments.xml']),
      'word/comments.xml': `<w:comments><w:comment w:id="1"><w:p>${run('note '.repeat(2_000))}</w:p></w:comment></w:comments>`,
    }),
  ),
  office('a chart that refers to itself 1,000 times', 'a.docx', () =>
    letter('<w:p><w:r><w:drawing><c:chart r:id="c"/></w:drawing></w:r></w:p>'.repeat(1_000), {
      'word/_rels/document.xml.rels': relations(['c', 'chart', 'chart.xml']),
      'word/chart.xml': `<c:chartSpace><c:chart r:id="c"><c:plotArea>${CHART_SERIES}</c:plotArea></c:chart></c:chartSpace>`,
      'word/_rels/chart.xml.rels': relations(
        ['c', 'chart', 'chart.xml'],
        ['s', 'chartUserShapes', 'chart.xml'],
      ),
    }),
  ),
  office('a chart of 5,000 series with 60,000 points each', 'a.docx', () =>
    letter('<w:p><w:r><w:drawing><c:chart r:id="c"/></w:drawing></w:r></w:p>', {
      'word/_rels/document.xml.rels': relations(['c', 'chart', 'chart.xml']),
      'word/chart.xml': `<c:chartSpace><c:chart><c:plotArea>${CHART_SERIES.repeat(5_000)}</c:plotArea></c:chart></c:chartSpace>`,
    }),
  ),
  office('a formula of fractions 20,000 levels deep', 'a.docx', () =>
    letter(`<w:p><m:oMath>${'<m:f><m:num>'.repeat(20_000)}</m:oMath></w:p>`),
  ),
  office('alternative contents 20,000 levels deep', 'a.docx', () =>
    letter(`<w:p><w:r>${'<mc:AlternateContent><mc:Choice><mc:Fallback/>'.repeat(20_000)}</w:r></w:p>`),
  ),
  office('text boxes 20,000 levels deep', 'a.docx', () =>
    letter('<w:p><w:r><w:pict><w:txbxContent>'.repeat(20_000)),
  ),
  office('formulas of RTF in 900 groups each', 'a.rtf', () =>
    bytesOfText(`{\\rtf1 ${`{\\mmath${'{\\mf{\\mnum '.repeat(450)}x${'}}'.repeat(450)}}`.repeat(200)}`),
  ),
  office('packed HTML of 100,000 groups', 'a.rtf', () =>
    bytesOfText(`{\\rtf1\\fromhtml1 ${'{\\*\\htmltag64 <div>}'.repeat(100_000)}`),
  ),
  office('a formula of OpenDocument that 20,000 frames show', 'a.odt', () =>
    packed({
      mimetype: `${OPEN_DOCUMENT}.text`,
      'content.xml': `<office:document-content><office:body><office:text>${'<text:p><draw:frame><draw:object xlink:href="o"/></draw:frame></text:p>'.repeat(20_000)}</office:text></office:body></office:document-content>`,
      'o/content.xml': `<math>${'<mi>a</mi>'.repeat(20_000)}</math>`,
    }),
  ),
  office('groups of shapes 20,000 levels deep', 'a.pptx', () => slide('<p:grpSp>'.repeat(20_000))),
  office('a slide table of spans over a billion cells', 'a.pptx', () =>
    slide(
      `<p:graphicFrame><a:graphic><a:graphicData><a:tbl>${'<a:tr><a:tc gridSpan="1000000000" rowSpan="1000000000"><a:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></a:txBody></a:tc></a:tr>'.repeat(500)}</a:tbl></a:graphicData></a:graphic></p:graphicFrame>`,
    ),
  ),
  office('a book of 1,000,000 backticks', 'a.epub', () =>
    book(
      { 'a.xhtml': `<html><body><pre>${'`'.repeat(1_000_000)}</pre></body></html>` },
      '<itemref idref="a"/>',
    ),
  ),
  office('a book whose container names itself', 'a.epub', () =>
    packed({
      mimetype: 'application/epub+zip',
      'META-INF/container.xml':
        '<container><rootfiles><rootfile full-path="META-INF/container.xml"/></rootfiles></container>',
    }),
  ),
];
