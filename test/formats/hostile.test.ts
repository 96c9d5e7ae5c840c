import { describe, expect, it } from 'vitest';
import { openDocument } from '#src/formats/registry.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { odf } from './fixtures/odf.ts';
import { pptx, shape } from './fixtures/slides.ts';
import { docx } from './fixtures/word.ts';
import { xlsx } from './fixtures/workbook.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const open = (bytes: Uint8Array, name = '') => openDocument({ bytes, name, plan: resolveParsePlan({}) });

/** Returns rows with 200 filled columns. */
const wide = (name: string, rows: number) => {
  const line = '<c><v>1</v></c>'.repeat(200);
  return { name, cells: {}, rows: `<row>${line}</row>`.repeat(rows) };
};

// Small files whose naive parsing would take gigabytes or hours.
describe('hostile files', () => {
  it.each([
    [
      'merged cells without end',
      `<table>${'<tr><td rowspan=1000 colspan=1000>x'.repeat(1000)}</table>`,
      'a.html',
    ],
    ['a list nested without end', `<ul><li>${'<ul><li>x'.repeat(200)}`, 'a.html'],
    ['brackets that never close', '['.repeat(200_000), 'a.md'],
    ['links that never close', '[a]('.repeat(50_000), 'a.md'],
    ['spaces without end', `a${' '.repeat(500_000)}b`, 'a.txt'],
    ['quotes that never close', `a,b\n${'"'.repeat(200_001)}`, 'a.csv'],
    ['unicode escapes without end', `{\\rtf1 ${'\\u1234?'.repeat(20_000)}}`, ''],
    ['list continuations in each other', '* a\n+\n'.repeat(20_000), 'a.adoc'],
    ['captions in open environments', '\\begin{a}\\caption{b}'.repeat(20_000), 'a.tex'],
    ['hidden branches with alternatives', `a${'\\iffalse\\else b'.repeat(20_000)}\\fi`, 'a.tex'],
    [
      'a macro of many arguments',
      `\\newcommand\\x[1]{${'#1'.repeat(9_000)}}a${'\\x{}'.repeat(40_000)}`,
      'a.tex',
    ],
    ['a table of many columns and lines', `${'= '.repeat(20_000)}\n${'a\n'.repeat(20_000)}`, 'a.rst'],
    ['drawers that never end', ':a:\n#+begin_quote\n:b:\n#+end_quote\n'.repeat(8_000), 'a.org'],
  ])('reads %s', async (_, text, name) => {
    const document = await open(utf8(text), name);
    expect((await document.readPage(0)).markdown.length).toBeLessThan(2_000_000);
  });

  it.each([
    [
      'a table of billions of empty cells',
      () => utf8(`${'a,'.repeat(20_000)}\n${'b\n'.repeat(20_000)}`),
      'a.csv',
    ],
    [
      'a cell repeated over a whole sheet',
      () =>
        odf(
          'spreadsheet',
          `<table:table>${'<table:table-row table:number-rows-repeated="1000000"><table:table-cell table:number-columns-repeated="10000"><text:p>x</text:p></table:table-cell></table:table-row>'.repeat(3)}</table:table>`,
        ),
      '',
    ],
    [
      'a text document of more paragraphs than the memory holds',
      () => docx('<w:p><w:r><w:t>x</w:t></w:r></w:p>'.repeat(80_001)),
      '',
    ],
    ['HTML of more paragraphs than that', () => utf8('<p>x</p>'.repeat(80_001)), 'a.html'],
    ['XML of more fields than that', () => utf8(`<a>${'<b>x</b>'.repeat(80_001)}</a>`), 'a.xml'],
    ['JSON of more values than that', () => utf8(`[${'{},'.repeat(100_000)}{}]`), 'a.json'],
    [
      'JSON that becomes gigabytes when it is indented',
      () => utf8(`${'['.repeat(190)}${'1,'.repeat(50_000)}1${']'.repeat(190)}`),
      'a.json',
    ],
    ['a table of a cell that is repeated', () => utf8(`|===\n${'999*|a '.repeat(9_000)}`), 'a.adoc'],
    [
      'a notebook of too many cells',
      () => utf8(`{"cells":[${'{"cell_type":"raw","source":"a"},'.repeat(80_001)}0]}`),
      'a.ipynb',
    ],
    ['sheets of more cells than the memory holds', () => xlsx([wide('A', 260), wide('B', 260)], []), ''],
  ])('rejects %s', async (_, bytes, name) => {
    await expect(open(bytes(), name)).rejects.toMatchObject({ reason: 'DOCUMENT_TOO_LARGE' });
  });

  it('reads only the filled cells of a sheet, however far apart', async () => {
    const cells = { A1: '<v>1</v>', XFD9999999: '<v>2</v>' };
    const document = await open(xlsx([{ name: 'Far', cells }], []));
    expect((await document.readPage(0)).text).toBe('Far\n\n1\n\n2');
  });

  it('reads deeply nested tables', async () => {
    const document = await open(
      docx(`${'<w:tbl><w:tr><w:tc>'.repeat(1000)}<w:p><w:r><w:t>core</w:t></w:r></w:p>`),
    );
    expect(document.pageCount).toBe(1);
  });

  it('reads a slide once if the slide list repeats it', async () => {
    const slides = pptx([{ shapes: shape(['only']) }]);
    expect((await open(slides)).pageCount).toBe(1);
  });
});
