import { describe, expect, it } from 'vitest';
import { openDocument } from '#src/formats/registry.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { extractNow } from '#test/builtin/extraction/extract.ts';
import { tableBlock, textPage } from '#test/extraction/pages.ts';
import { readAll } from '#test/suites/parser.suite.ts';
import { odf } from './fixtures/odf.ts';
import { png } from './fixtures/pictures.ts';
import { docx, drawing, paragraph, run } from './fixtures/word.ts';
import { xlsx } from './fixtures/workbook.ts';

async function parse(name: string, content: string | Uint8Array) {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  return readAll(await openDocument({ bytes, name, plan: resolveParsePlan({}) }));
}

const row = (...cells: string[]) => `<table:table-row>${cells.join('')}</table:table-row>`;
const cell = (text: string, repeat = 1) =>
  `<table:table-cell table:number-columns-repeated="${repeat}">${text && `<text:p>${text}</text:p>`}</table:table-cell>`;

describe('code with many backticks', () => {
  it('is fenced by one more backtick than its longest run', async () => {
    const [page] = await parse('a.html', '<html><pre>a ```` b `</pre>');
    expect(page!.markdown).toBe('`````\na ```` b `\n`````');
  });

  it('is read with 3,000,000 backticks', async () => {
    const [page] = await parse('a.html', `<html><pre>${'`'.repeat(3_000_000)}</pre>`);
    expect(page!.blocks[0]!.text).toHaveLength(3_000_000);
  });
});

describe('shared parts', () => {
  it('gives repeated references to a note the same mark and writes the note once', async () => {
    const mark = '<w:r><w:footnoteReference w:id="7"/></w:r>';
    const [page] = await parse('a.docx', docx(paragraph(run('a') + mark + run('b') + mark)));
    expect(page!.markdown).toContain('a[^1]b[^1]');
    expect(page!.markdown.split('[^1]: A note below.')).toHaveLength(2);
  });

  it('shows a repeated picture each time and lists it once per page', async () => {
    const two = paragraph(drawing('image1', 'first')) + paragraph(drawing('image1', 'second'));
    const [page] = await parse('a.docx', docx(two, await png()));
    expect(page!.markdown).toContain('![first](image-1.png)\n\n![second](image-1.png)');
    expect(page!.figures).toHaveLength(1);
  });

  it('shows the alternative text of an external picture and embeds the others', async () => {
    const picture = btoa(String.fromCharCode(...(await png())));
    const [page] = await parse(
      'a.html',
      `<html><p><img src="a.png" alt="lost"> <img src="data:image/png;base64,${picture}" alt="found">`,
    );
    expect(page!.markdown).toBe('lost ![found](image-1.png)');
  });

  it('rejects links whose URLs exceed 16 MiB in total', async () => {
    const text = `[a]: http://b/${'c'.repeat(40_000)}\n\n${'[a] '.repeat(500)}`;
    await expect(parse('a.md', text)).rejects.toMatchObject({ reason: 'DOCUMENT_TOO_LARGE' });
  });

  it('rejects cells that repeat more than 16 MiB of a shared text', async () => {
    const rows = '<row><c t="s"><v>0</v></c></row>'.repeat(500);
    const workbook = xlsx([{ name: 'S', cells: {}, rows }], [`<t>${'a'.repeat(40_000)}</t>`]);
    await expect(parse('a.xlsx', workbook)).rejects.toMatchObject({ reason: 'DOCUMENT_TOO_LARGE' });
  });

  it('limits nested quotes to 20 levels', async () => {
    const [page] = await parse('a.html', `<html>${'<blockquote>'.repeat(200)}a`);
    expect(page!.markdown).toBe(`${'> '.repeat(20)}a`);
  });
});

describe('sparse sheets', () => {
  it('skips columns beyond the limit of spreadsheet programs', async () => {
    const sheet = row(cell('a'), cell('', 4_000_000_000), cell('b')) + row(cell('c'), cell('d'));
    const [page] = await parse('a.ods', odf('spreadsheet', `<table:table>${sheet}</table:table>`));
    // The rest of the first row is one cell, which becomes the title of the table below.
    expect(page!.text).toBe('Sheet 1\n\na\n\nc\td');
  });

  it('rejects a row of cells that repeat too often', async () => {
    const sheet = row(...Array.from({ length: 9 }, () => cell('a', 16_000)));
    const repeated = `<table:table>${sheet.replace('<table:table-row>', '<table:table-row table:number-rows-repeated="20">')}</table:table>`;
    await expect(parse('a.ods', odf('spreadsheet', repeated))).rejects.toMatchObject({
      reason: 'DOCUMENT_TOO_LARGE',
    });
  });

  it('reads rows with a single cell in the last column', async () => {
    const rows = Array.from(
      { length: 20_000 },
      (_, at) => `<row r="${at + 1}"><c r="XFD${at + 1}"><v>1</v></c></row>`,
    );
    const [page] = await parse('a.xlsx', xlsx([{ name: 'S', cells: {}, rows: rows.join('') }], []));
    expect(page!.text.match(/^1$/gm)).toHaveLength(20_000);
  });
});

describe('lists longer than the argument limit of a call', () => {
  it('reads a link of 140,000 runs', async () => {
    const runs = `<w:r>${'<w:t>a</w:t>'.repeat(140_000)}</w:r>`;
    const [page] = await parse('a.docx', docx(`<w:p><w:hyperlink r:id="link1">${runs}</w:hyperlink></w:p>`));
    expect(page!.text).toContain('a'.repeat(140_000));
  });

  it('extracts from a table of 150,000 rows', async () => {
    const rows = Array.from({ length: 150_000 }, () => ['a', '1']);
    const schema = { type: 'object', properties: { total: { type: 'number' } } } as const;
    expect(await extractNow(schema, [textPage('a', [tableBlock(rows)])], 'per_doc')).toBeDefined();
  });
});

it('rejects an e-mail of more than 1,000,000 lines', async () => {
  const mail = `From: a@b\nSubject: c\nMessage-ID: <d>\n\n${'\n'.repeat(1_000_001)}`;
  await expect(parse('a.eml', mail)).rejects.toMatchObject({ reason: 'DOCUMENT_TOO_LARGE' });
});
