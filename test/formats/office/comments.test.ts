import { describe, expect, it } from 'vitest';
import { legacySlides } from '../fixtures/legacy-slides.ts';
import { legacyWord } from '../fixtures/legacy-word.ts';
import { xls } from '../fixtures/legacy-workbook.ts';
import { odf } from '../fixtures/odf.ts';
import { readMarkdown, withParts } from '../fixtures/parts.ts';
import { pptx, shape } from '../fixtures/slides.ts';
import { cell, docx, item, paragraph, run } from '../fixtures/word.ts';
import { xlsx } from '../fixtures/workbook.ts';

const plain = { hide_headers: true, hide_footers: true };
const remark = (id: number) => `<w:r><w:commentReference w:id="${id}"/></w:r>`;
const wordComment = (id: number, author: string, text: string) =>
  `<w:comment w:id="${id}" w:author="${author}"><w:p w14:paraId="P${id}"><w:r><w:annotationRef/></w:r>${run(text)}</w:p></w:comment>`;

const commented = (body: string, comments: string, extended = '') =>
  withParts(
    docx(body),
    {
      'word/comments.xml': `<w:comments>${comments}</w:comments>`,
      'word/commentsExtended.xml': `<w15:commentsEx>${extended}</w15:commentsEx>`,
    },
    'word/document.xml',
    { k: ['comments', 'comments.xml'], e: ['commentsExtended', 'commentsExtended.xml'] },
  );

describe('comments of a Word document', () => {
  it('follow their paragraph as quotes, and replies are marked', async () => {
    const bytes = commented(
      paragraph(`${run('First.')}${remark(1)}${remark(2)}`) + paragraph(run('Second.')),
      wordComment(1, 'Ada', 'Really?') + wordComment(2, 'Ben', 'Yes.'),
      '<w15:commentEx w15:paraId="P1"/><w15:commentEx w15:paraId="P2" w15:paraIdParent="P1"/>',
    );
    expect(await readMarkdown(bytes, plain)).toBe(
      'First.\n\n> **Comment by Ada:** Really?\n\n> **Reply by Ben:** Yes.\n\nSecond.',
    );
  });

  it('do not divide lists and tables', async () => {
    const bytes = commented(
      item('one', 2) +
        paragraph(`${run('two')}${remark(1)}`, '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="2"/></w:numPr>') +
        item('three', 2) +
        `<w:tbl><w:tr><w:tc>${paragraph(`${run('A')}${remark(2)}`)}</w:tc>${cell('B')}</w:tr></w:tbl>`,
      wordComment(1, '', 'On the list') + wordComment(2, '', 'On the table'),
    );
    expect(await readMarkdown(bytes, plain)).toBe(
      '1. one\n2. two\n3. three\n\n> **Comment:** On the list\n\n| A   | B   |\n| --- | --- |\n\n> **Comment:** On the table',
    );
  });

  it('come last if no passage refers to them', async () => {
    const bytes = commented(paragraph(run('Words.')), wordComment(1, 'Ada', 'Lost remark'));
    expect(await readMarkdown(bytes, plain)).toBe('Words.\n\n> **Comment by Ada:** Lost remark');
  });
});

describe('comments of a workbook', () => {
  const book = xlsx([{ name: 'A', cells: { A1: '<v>1</v>', B2: '<v>2</v>' } }], []);
  const notes =
    '<comments><authors><author>Ada</author></authors><commentList><comment ref="B2" authorId="0"><text><r><t>Ada:</t></r><r><t>\nChecked</t></r></text></comment><comment ref="A1" authorId="0"><text><t>[Threaded comment] for older programs</t></text></comment></commentList></comments>';
  const thread =
    '<ThreadedComments><threadedComment ref="A1" personId="{p}" id="1"><text>Why one?</text></threadedComment><threadedComment ref="A1" personId="{p}" id="2" parentId="1"><text>Because.</text></threadedComment></ThreadedComments>';

  it('name their cell and author, and a thread replaces its note', async () => {
    const bytes = withParts(
      book,
      {
        'xl/comments1.xml': notes,
        'xl/threadedComments/threadedComment1.xml': thread,
        'xl/persons/person.xml': '<personList><person id="{p}" displayName="Ben"/></personList>',
      },
      'xl/worksheets/sheet0.xml',
      {
        n: ['comments', '../comments1.xml'],
        t: ['threadedComment', '../threadedComments/threadedComment1.xml'],
      },
    );
    expect((await readMarkdown(bytes)).split('\n\n').slice(3)).toEqual([
      '> **Comment on A1 by Ben:** Why one?',
      '> **Reply on A1 by Ben:** Because.',
      '> **Comment on B2 by Ada:** Checked',
    ]);
  });
});

describe('comments of a presentation', () => {
  it('follow their slide in both formats', async () => {
    const parts = {
      'ppt/comments/comment1.xml':
        '<p:cmLst><p:cm authorId="0"><p:text>Old remark</p:text></p:cm><p:cm authorId="0"><p:text>Old reply</p:text><p:extLst><p15:threadingInfo><p15:parentCm authorId="0" idx="1"/></p15:threadingInfo></p:extLst></p:cm></p:cmLst>',
      'ppt/comments/modernComment1.xml':
        '<p188:cmLst><p188:cm authorId="{m}"><p188:replyLst><p188:reply authorId="{m}"><p188:txBody><a:p><a:r><a:t>New reply</a:t></a:r></a:p></p188:txBody></p188:reply></p188:replyLst><p188:txBody><a:p><a:r><a:t>New remark</a:t></a:r></a:p></p188:txBody></p188:cm></p188:cmLst>',
      'ppt/commentAuthors.xml': '<p:cmAuthorLst><p:cmAuthor id="0" name="Ada"/></p:cmAuthorLst>',
      'ppt/authors.xml': '<p188:authorLst><p188:author id="{m}" name="Ben"/></p188:authorLst>',
    };
    const deck = withParts(pptx([{ shapes: shape(['Words']) }]), parts, 'ppt/slides/slide0.xml', {
      c: ['comments', '../comments/comment1.xml'],
      d: ['comments', '../comments/modernComment1.xml'],
    });
    const bytes = withParts(deck, {}, 'ppt/presentation.xml', {
      a: ['commentAuthors', 'commentAuthors.xml'],
      b: ['authors', 'authors.xml'],
    });
    expect(await readMarkdown(bytes)).toBe(
      'Words\n\n> **Comment by Ada:** Old remark\n\n> **Reply by Ada:** Old reply\n\n> **Comment by Ben:** New remark\n\n> **Reply by Ben:** New reply',
    );
  });
});

describe('comments of OpenDocument', () => {
  const annotation = (text: string) =>
    `<office:annotation><dc:creator>Ada</dc:creator><dc:date>2024-03-01</dc:date><text:p>${text}</text:p></office:annotation>`;

  it('follow their paragraph, list, sheet and slide', async () => {
    const text = odf(
      'text',
      `<text:p>First${annotation('Really?')}.</text:p><text:list><text:list-item><text:p>one${annotation('Item')}</text:p></text:list-item><text:list-item><text:p>two</text:p></text:list-item></text:list>`,
    );
    expect(await readMarkdown(text, plain)).toBe(
      'First.\n\n> **Comment by Ada:** Really?\n\n- one\n- two\n\n> **Comment by Ada:** Item',
    );
    const sheet = odf(
      'spreadsheet',
      `<table:table table:name="A"><table:table-row table:number-rows-repeated="2"/><table:table-row><table:table-cell table:number-columns-repeated="27"/><table:table-cell>${annotation('Far')}<text:p>7</text:p></table:table-cell></table:table-row></table:table>`,
    );
    expect(await readMarkdown(sheet)).toContain('> **Comment on AB3 by Ada:** Far');
    const slide = odf(
      'presentation',
      `<draw:page><draw:frame><draw:text-box><text:p>Words</text:p></draw:text-box></draw:frame>${annotation('On it')}</draw:page>`,
    );
    expect(await readMarkdown(slide)).toBe('Words\n\n> **Comment by Ada:** On it');
  });
});

describe('comments of older formats', () => {
  it('follow their paragraph in a Word 97 document', async () => {
    const bytes = legacyWord({
      body: [{ text: 'First\u0005.\r' }, { text: 'Second\u0005.\r' }, { text: 'Third.\r' }],
      comments: ['Really?', 'Sure.'],
    });
    expect(await readMarkdown(bytes)).toBe(
      'First.\n\n> **Comment by Mabel:** Really?\n\nSecond.\n\n> **Comment by Mabel:** Sure.\n\nThird.',
    );
  });

  it('name their cell in an Excel 97 workbook', async () => {
    const bytes = xls(
      [{ row: 0, column: 0, value: 7 }],
      [{ row: 2, column: 1, author: 'Ada', text: 'Ada:\nChecked' }],
    );
    expect(await readMarkdown(bytes)).toContain('7\n\n> **Comment on B3 by Ada:** Checked');
  });

  it('follow their slide in PowerPoint 97', async () => {
    const bytes = legacySlides([{ title: 'Tides', comment: { author: 'Ada', text: 'Really?' } }]);
    expect(await readMarkdown(bytes)).toBe('# Tides\n\n> **Comment by Ada:** Really?');
  });

  it('follow their paragraph in RTF', async () => {
    const rtf =
      '{\\rtf1\\ansi First{\\*\\atnid AB}{\\*\\atnauthor Ada}\\chatn{\\*\\annotation{\\*\\atnref 1}\\pard Really?}.\\par Second.\\par}';
    expect(await readMarkdown(new TextEncoder().encode(rtf))).toBe(
      'First.\n\n> **Comment by Ada:** Really?\n\nSecond.',
    );
  });
});
