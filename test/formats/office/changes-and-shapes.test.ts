import { describe, expect, it } from 'vitest';
import { legacySlides } from '../fixtures/legacy-slides.ts';
import { DELETED, legacyWord } from '../fixtures/legacy-word.ts';
import { odf } from '../fixtures/odf.ts';
import { readDocument, readMarkdown, withParts } from '../fixtures/parts.ts';
import { png } from '../fixtures/pictures.ts';
import { picture, pptx, shape } from '../fixtures/slides.ts';
import { cell, docx, paragraph, run } from '../fixtures/word.ts';
import { xlsx } from '../fixtures/workbook.ts';

const plain = { hide_headers: true, hide_footers: true };
const deleted = (text: string) => `<w:del><w:r><w:delText>${text}</w:delText></w:r></w:del>`;
const rtf = (body: string) => new TextEncoder().encode(`{\\rtf1\\ansi ${body}}`);
const NOTICE = 'The text is as if all recorded changes were accepted: 1 deleted passage is left out.';

describe('recorded changes', () => {
  it.each([
    [
      'Word',
      docx(paragraph(`${run('The ')}${deleted('old ')}<w:ins>${run('new ')}</w:ins>${run('pier')}`)),
      'The new pier',
    ],
    [
      'OpenDocument',
      odf(
        'text',
        '<text:tracked-changes><text:changed-region><text:deletion><text:p>old </text:p></text:deletion></text:changed-region></text:tracked-changes><text:p>The <text:change/>new pier</text:p>',
      ),
      'The new pier',
    ],
    ['RTF', rtf('The {\\deleted o}{\\deleted ld }{\\revised new }pier\\par'), 'The new pier'],
    [
      'Word 97',
      legacyWord({ body: [{ text: 'The ' }, { text: 'old ', characters: DELETED }, { text: 'new pier\r' }] }),
      'The new pier',
    ],
  ])('are accepted in %s, and deletions are counted', async (_, bytes, shown) => {
    const { markdown, omissions } = await readDocument(bytes, plain);
    expect(markdown).toBe(shown);
    expect(omissions).toContain(NOTICE);
  });

  it('write moved text once', async () => {
    const bytes = docx(
      paragraph(`<w:moveFrom>${run('Moved. ')}</w:moveFrom>${run('Stays. ')}`) +
        paragraph(`<w:moveTo>${run('Moved. ')}</w:moveTo>`),
    );
    expect(await readMarkdown(bytes, plain)).toBe('Stays.\n\nMoved.');
  });

  it('join paragraphs whose division was deleted', async () => {
    const bytes = docx(
      paragraph(run('One '), '<w:rPr><w:del/></w:rPr>') +
        paragraph(run('sentence.')) +
        paragraph(run('Next.')),
    );
    expect(await readMarkdown(bytes, plain)).toBe('One sentence.\n\nNext.');
  });

  it('do not hide the text after a field that ends in a deleted passage', async () => {
    const mark = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
    const bytes = docx(paragraph(`${mark('begin')}<w:del>${mark('end')}</w:del>${run('Visible')}`));
    expect(await readMarkdown(bytes, plain)).toBe('Visible');
  });
});

const box = (text: string) => `<w:txbxContent>${paragraph(run(text))}</w:txbxContent>`;
const twice = (text: string) =>
  `<mc:AlternateContent><mc:Choice Requires="wps"><w:drawing><wps:txbx>${box(text)}</wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox>${box(text)}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent>`;

describe('text boxes and shapes', () => {
  it('are written once after their paragraph or table in Word', async () => {
    const bytes = docx(
      paragraph(`${run('Above')}<w:r>${twice('Boxed')}</w:r>`) +
        `<w:tbl><w:tr><w:tc>${paragraph(`${run('A')}<w:r>${twice('In a cell')}</w:r>`)}</w:tc>${cell('B')}</w:tr></w:tbl>`,
    );
    expect(await readMarkdown(bytes, plain)).toBe(
      'Above\n\nBoxed\n\n| A   | B   |\n| --- | --- |\n\nIn a cell',
    );
  });

  it('are read from the older version if the newer one has nothing to read', async () => {
    const ink = `<mc:AlternateContent><mc:Choice Requires="wpi"><w:drawing><w14:contentPart/></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox>${box('Only here')}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent>`;
    expect(await readMarkdown(docx(paragraph(`<w:r>${ink}</w:r>`)), plain)).toBe('Only here');
  });

  it('include decorated letters and the states of form fields in Word', async () => {
    const art = '<w:r><w:pict><v:shape><v:textpath string="DRAFT"/></v:shape></w:pict></w:r>';
    const field = (data: string) =>
      `<w:r><w:fldChar w:fldCharType="begin"><w:ffData>${data}</w:ffData></w:fldChar></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`;
    const body =
      paragraph(art) +
      paragraph(field('<w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>') + run(' paid')) +
      paragraph(field('<w:checkBox><w:default w:val="0"/></w:checkBox>') + run(' sent')) +
      paragraph(
        field(
          '<w:ddList><w:result w:val="1"/><w:listEntry w:val="Hull"/><w:listEntry w:val="Dover"/></w:ddList>',
        ),
      ) +
      paragraph(`<w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>${run(' agreed')}`);
    expect(await readMarkdown(docx(body), plain)).toBe('DRAFT\n\n☒ paid\n\n☐ sent\n\nDover\n\n☑ agreed');
  });

  it('keep the text of shapes apart from the paragraph in OpenDocument', async () => {
    const inParagraph = odf(
      'text',
      '<text:p>Words<draw:custom-shape><text:p>In a shape</text:p></draw:custom-shape> go on.</text:p><table:table><table:table-row><table:table-cell><text:p>A<draw:frame><draw:text-box><text:p>In a cell</text:p></draw:text-box></draw:frame></text:p></table:table-cell><table:table-cell><text:p>B</text:p></table:table-cell></table:table-row></table:table>',
    );
    expect(await readMarkdown(inParagraph, plain)).toBe(
      'Words go on.\n\nIn a shape\n\n| A   | B   |\n| --- | --- |\n\nIn a cell',
    );
    const onSheet = odf(
      'spreadsheet',
      '<table:table table:name="A"><table:shapes><draw:custom-shape><text:p>Over the cells</text:p></draw:custom-shape></table:shapes></table:table>',
    );
    expect(await readMarkdown(onSheet)).toBe('## A\n\nOver the cells');
  });

  it('are read in RTF without their replacement', async () => {
    const shapes =
      'Above{\\shp{\\*\\shpinst{\\sp{\\sn shapeType}{\\sv 202}}{\\shptxt Boxed\\par}}{\\shprslt Boxed}} goes on\\par';
    expect(await readMarkdown(rtf(shapes))).toBe('Boxed\n\nAbove goes on');
  });

  it('include the texts of diagrams in Word and workbooks', async () => {
    const diagram =
      '<dgm:dataModel><dgm:ptLst><dgm:pt><dgm:t><a:p><a:r><a:t>Load</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt><dgm:t><a:p><a:r><a:t>Sail</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst></dgm:dataModel>';
    const word = withParts(
      docx(
        paragraph('<w:r><w:drawing><a:graphicData><dgm:relIds r:dm="m"/></a:graphicData></w:drawing></w:r>'),
      ),
      { 'word/diagrams/data1.xml': diagram },
      'word/document.xml',
      { m: ['diagramData', 'diagrams/data1.xml'] },
    );
    expect(await readMarkdown(word, plain)).toBe('- Load\n- Sail');
    const book = withParts(
      xlsx([{ name: 'A', cells: { A1: '<v>1</v>' }, rest: '<drawing r:id="d"/>' }], []),
      {
        'xl/drawings/drawing1.xml':
          '<xdr:wsDr><xdr:graphicFrame><dgm:relIds r:dm="m"/></xdr:graphicFrame></xdr:wsDr>',
        'xl/diagrams/data1.xml': diagram,
      },
      'xl/drawings/drawing1.xml',
      { m: ['diagramData', '../diagrams/data1.xml'] },
    );
    expect(await readMarkdown(book)).toContain('- Load\n- Sail');
  });

  it('show the picture of an object that is embedded in a slide', async () => {
    const data = `<p:oleObj><p:embed/>${picture}</p:oleObj>`;
    const frame = `<p:graphicFrame><a:graphic><a:graphicData>${data}</a:graphicData></a:graphic></p:graphicFrame>`;
    expect(await readMarkdown(pptx([{ shapes: frame }], await png()))).toBe('![A gradient](image-1.png)');
  });

  it('on a page of notes follow the notes', async () => {
    const deck = pptx([{ shapes: shape(['Words']), notes: 'Say this.' }]);
    const notes = `<p:notes><p:cSld><p:spTree>${shape(['Say this.'], 'body')}${shape(['3'], 'sldNum')}${shape(['Beside the notes'])}</p:spTree></p:cSld></p:notes>`;
    expect(await readMarkdown(withParts(deck, { 'ppt/notesSlides/notes0.xml': notes }))).toBe(
      'Words\n\n### Notes\n\nSay this.\n\nBeside the notes',
    );
  });
});

describe('tables of PowerPoint 97', () => {
  it('are rebuilt from the places of their cells', async () => {
    const bytes = legacySlides([
      {
        title: 'Tides',
        table: [
          ['Port', 'High', 'Low'],
          ['Hull', '', '0.9'],
          ['Dover', '6.7', '0.8'],
        ],
      },
    ]);
    expect(await readMarkdown(bytes)).toBe(
      '# Tides\n\n| Port  | High | Low |\n| ----- | ---- | --- |\n| Hull  |      | 0.9 |\n| Dover | 6.7  | 0.8 |',
    );
  });
});
