import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import type { Omission } from '#src/documents/document.ts';
import { openDocument } from '#src/formats/registry.ts';
import { listUnreadParts } from '#src/formats/shared/containers/unread-parts.ts';
import { openZip } from '#src/formats/shared/containers/zip.ts';
import { WorkBudget } from '#src/formats/shared/work-budget.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { buildPdf, image, solidImage, text } from '#test/fixtures/pdf.ts';
import { odf } from './fixtures/odf.ts';
import { png } from './fixtures/pictures.ts';
import { chart, pptx, shape } from './fixtures/slides.ts';
import { docx, paragraph, run } from './fixtures/word.ts';
import { xlsx } from './fixtures/workbook.ts';
import { zip } from './fixtures/zip.ts';

/** Adds parts to an office document. */
const withParts = (bytes: Uint8Array, parts: Record<string, string | Uint8Array>) =>
  zip({ ...unzipSync(bytes), ...parts });

/** Returns the omissions except the unused picture of the fixtures. */
async function missing(bytes: Uint8Array, parameters: ParseParameters = {}): Promise<Omission[]> {
  const document = await openDocument({ bytes, name: '', plan: resolveParsePlan(parameters) });
  try {
    return (document.metadata.omissions ?? []).filter(({ message }) => !/image1\.png|1\.png/.test(message));
  } finally {
    document.close();
  }
}

const words = docx(paragraph(run('Some words')));

describe('pictures that replace other content for older programs', () => {
  const blip = '<pic:pic><a:blip r:embed="old"/></pic:pic>';
  const alternative = (fallback: string) =>
    `<w:p><w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:t>New</w:t></mc:Choice>${fallback}</mc:AlternateContent></w:r></w:p>`;
  const read = (body: string) =>
    missing(
      withParts(docx(paragraph(run('Words')) + body), {
        'word/media/old.png': new Uint8Array(9),
        'word/_rels/document.xml.rels':
          '<Relationships><Relationship Id="old" Type="http://x/image" Target="media/old.png"/></Relationships>',
      }),
    );
  const omission = [{ kind: 'picture_not_read', message: 'The picture word/media/old.png is not read.' }];

  it('are not missing if their replacement was read', async () => {
    expect(await read(alternative(`<mc:Fallback>${blip}</mc:Fallback>`))).toEqual([]);
  });

  it('are missing if other parts of the document show them too', async () => {
    const elsewhere = `<w:sectPrChange>${blip}</w:sectPrChange>`;
    expect(await read(alternative(`<mc:Fallback>${blip}</mc:Fallback>`) + elsewhere)).toEqual(omission);
    expect(await read(alternative('<mc:Fallback/>') + elsewhere + alternative('<mc:Fallback/>'))).toEqual(
      omission,
    );
  });
});

describe('omissions', () => {
  it.each([
    ['a file in a Word document', words, 'word/embeddings/oleObject1.bin', 'embedded_file'],
    ['a document that Word inserts', words, 'word/afchunk.mht', 'embedded_file'],
    ['comments of a Word document', words, 'word/comments.xml', 'unsupported_object'],
    ['a chart in a Word document', words, 'word/charts/chart1.xml', 'unsupported_object'],
    ['a picture that nothing shows', words, 'word/media/image9.png', 'picture_not_read'],
    [
      'a film in a presentation',
      pptx([{ shapes: shape(['Words']) }]),
      'ppt/media/film.mp4',
      'unsupported_object',
    ],
    [
      'a diagram in a workbook',
      xlsx([{ name: 'A', cells: { A1: '<v>1</v>' } }], []),
      'xl/diagrams/data1.xml',
      'unsupported_object',
    ],
    [
      'a chart in a workbook',
      xlsx([{ name: 'A', cells: { A1: '<v>1</v>' } }], []),
      'xl/charts/chart1.xml',
      'unsupported_object',
    ],
    [
      'an object of OpenDocument',
      odf('text', '<text:p>Words</text:p>'),
      'Object 1/content.xml',
      'unsupported_object',
    ],
  ])('include %s', async (_, bytes, part, kind) => {
    const before = await missing(bytes);
    const after = await missing(withParts(bytes, { [part]: '<x/>' }));
    expect(before.some(({ message }) => message.includes(part))).toBe(false);
    expect(after).toContainEqual({ kind, message: expect.stringContaining(part) });
  });

  it('exclude a chart that is read and the workbook behind it', async () => {
    const deck = withParts(pptx([{ shapes: shape(['Words']) + chart }]), {
      'ppt/charts/_rels/chart1.xml.rels':
        '<Relationships><Relationship Target="../embeddings/book.xlsx"/></Relationships>',
      'ppt/embeddings/book.xlsx': 'x',
      'ppt/embeddings/other.xlsx': 'x',
    });
    expect(await missing(deck)).toEqual([
      { kind: 'embedded_file', message: 'The embedded file ppt/embeddings/other.xlsx is not read.' },
    ]);
  });

  it('include hidden sheets unless these are read', async () => {
    const book = xlsx(
      [
        { name: 'Shown', cells: { A1: '<v>1</v>' } },
        { name: 'Secret', state: 'hidden', cells: { A1: '<v>2</v>' } },
      ],
      [],
    );
    expect(await missing(book)).toEqual([
      { kind: 'hidden_part', message: expect.stringContaining('Sheet Secret is hidden') },
    ]);
    expect(await missing(book, { spreadsheet_include_hidden_sheets: true })).toEqual([]);
  });

  it('exclude text boxes of a workbook', async () => {
    const drawn =
      '<xdr:wsDr><xdr:sp><xdr:txBody><a:p><a:r><a:t>Over the cells</a:t></a:r></a:p></xdr:txBody></xdr:sp></xdr:wsDr>';
    const book = xlsx([{ name: 'A', cells: { A1: '<v>1</v>' }, rest: '<drawing r:id="d"/>' }], []);
    const document = await openDocument({
      bytes: withParts(book, { 'xl/drawings/drawing1.xml': drawn }),
      name: '',
      plan: resolveParsePlan({}),
    });
    expect((await document.readPage(0)).text).toContain('Over the cells');
  });

  it('include pictures of an unknown type', async () => {
    const parts = { 'word/media/image1.png': 'a metafile' };
    const body = paragraph(`${run('Words')}<w:r><w:drawing><a:blip r:embed="image1"/></w:drawing></w:r>`);
    expect(await missing(withParts(docx(body, await png()), parts))).toEqual([
      { kind: 'picture_not_read', message: expect.stringContaining('10 bytes') },
    ]);
  });

  it('include unreadable archive members and the omissions of other members', async () => {
    const inner = withParts(words, { 'word/embeddings/a.bin': 'x' });
    const found = await missing(zip({ 'a/letter.docx': inner, 'broken.pdf': '%PDF-1.4 nothing' }));
    expect(found).toContainEqual({
      kind: 'failed_member',
      message: expect.stringMatching(/^broken\.pdf is not read: PDF_/),
    });
    expect(found).toContainEqual({
      kind: 'embedded_file',
      message: 'a/letter.docx: The embedded file word/embeddings/a.bin is not read.',
    });
  });

  it('list the first hundred and count the others', () => {
    const many = Object.fromEntries(
      Array.from({ length: 150 }, (_, at) => [`word/embeddings/${at}.bin`, 'x']),
    );
    const found = listUnreadParts(openZip(zip(many), { budget: new WorkBudget() }));
    expect(found).toHaveLength(101);
    expect(found.at(-1)?.message).toBe('50 further parts of the file are not read.');
  });

  it('are empty for a document that is read completely', async () => {
    expect(await missing(words)).toEqual([]);
    expect(await missing(buildPdf({ pages: [{ content: text(50, 700, 'Words') }] }))).toEqual([]);
  });
});

describe('omissions of a PDF', () => {
  it('include embedded files', async () => {
    const bytes = buildPdf({
      pages: [{ content: text(50, 700, 'Words') }],
      attachments: ['invoice.xml', 'b.csv'],
    });
    expect(await missing(bytes)).toEqual([
      { kind: 'embedded_file', message: 'The embedded file invoice.xml is not read.' },
      { kind: 'embedded_file', message: 'The embedded file b.csv is not read.' },
    ]);
  });

  it('include pictures beyond the limit per page', async () => {
    const many = Array.from({ length: 66 }, (_, at) => image(0, 10 + at, 10, 5, 5)).join('');
    const content = text(50, 700, 'Words') + many;
    const bytes = buildPdf({ pages: [{ content, images: [solidImage(30, 30, [1, 2, 3])] }] });
    const document = await openDocument({ bytes, name: '', plan: resolveParsePlan({}) });
    const page = await document.readPage(0);
    document.close();
    expect(page.omissions).toEqual([
      { kind: 'too_many_pictures', message: expect.stringContaining('2 of the page') },
    ]);
  });
});
