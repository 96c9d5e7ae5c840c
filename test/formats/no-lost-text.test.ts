import fc from 'fast-check';
import { unzipSync } from 'fflate';
import { expect, it } from 'vitest';
import { getPageFailure } from '#src/documents/page-store.ts';
import { openDocument } from '#src/formats/registry.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { buildPdf } from '#test/fixtures/pdf.ts';
import { FONT_KINDS, textIn } from '#test/fixtures/pdf-fonts.ts';
import { odf } from './fixtures/odf.ts';
import { pptx, shape, table } from './fixtures/slides.ts';
import { cell, docx, paragraph, run } from './fixtures/word.ts';
import { xlsx } from './fixtures/workbook.ts';
import { zip } from './fixtures/zip.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);

interface Result {
  text: string;
  /** Whether the result reports an omission. */
  hasEntry: boolean;
}

/** Reads a document like a job, without OCR. */
async function read(bytes: Uint8Array): Promise<Result> {
  const document = await openDocument({ bytes, name: '', plan: resolveParsePlan({}) });
  try {
    let text = '';
    let hasEntry = (document.metadata.omissions ?? []).length > 0;
    for (let index = 0; index < document.pageCount; index++) {
      const page = await document.readPage(index);
      text += `${page.text}\n`;
      hasEntry ||= (page.omissions ?? []).length > 0 || getPageFailure(page) !== undefined;
    }
    return { text, hasEntry };
  } finally {
    document.close();
  }
}

const SENTENCES = [
  'the harbour opens at nine in the morning',
  'ships of the north line leave on Monday',
  'a keeper of the light writes the report',
  'prices rise with the depth of the berth',
  'nobody enters the dock without a permit',
];

/** Suffixes that make equal sentences of different lines distinct. */
const NAMES = 'abcdefghijklmnopqrst';
const KINDS = Object.values(FONT_KINDS);
const someLines = fc.array(
  fc.record({
    sentence: fc.constantFrom(...SENTENCES),
    kind: fc.nat(KINDS.length - 1),
    size: fc.integer({ min: 6, max: 16 }),
    colour: fc.constantFrom('0 0 0 rg', '1 0 0 rg', '0.4 g'),
  }),
  { minLength: 1, maxLength: 20 },
);

it('text drawn in a PDF is extracted or reported for all fonts', async () => {
  await fc.assert(
    fc.asyncProperty(someLines, async (chosen) => {
      const lines = chosen.map((line, at) => ({
        ...line,
        sentence: line.sentence.replace(/\w+/g, (each) => each + NAMES[at]),
      }));
      const drawn = lines.map(({ sentence, kind, size, colour }, at) => {
        return `${colour}\n${textIn(kind, KINDS[kind]!, 40, 750 - at * 34, sentence, size)}`;
      });
      const bytes = buildPdf({ pages: [{ content: drawn.join('') }], fonts: KINDS.map(({ font }) => font) });
      const document = await openDocument({ bytes, name: '', plan: resolveParsePlan({}) });
      const page = await document.readPage(0);
      document.close();
      const letters = ({ sentence }: { sentence: string }) => sentence.replaceAll(' ', '').length;
      const all = lines.reduce((sum, line) => sum + letters(line), 0);
      expect(page.glyphs?.drawn).toBe(all);
      const found = new Set(page.text.split(/\s+/));
      const lost = lines.filter(({ sentence }) => sentence.split(' ').some((each) => !found.has(each)));
      const missing = lost.reduce((sum, line) => sum + letters(line), 0);
      expect(page.glyphs?.withoutUnicode).toBeGreaterThanOrEqual(missing);
      if (lost.length > 0) expect(page.omissions).toHaveLength(1);
      expect(getPageFailure(page) !== undefined).toBe(missing > 0.05 * all);
    }),
    { numRuns: 60 },
  );
});

/** Places of a word in a document of each format. Some of them are not read. */
const PLACES: Record<string, Record<string, (word: string) => Uint8Array | Promise<Uint8Array>>> = {
  docx: {
    paragraph: (word) => docx(paragraph(run(word))),
    'table cell': (word) => docx(`<w:tbl><w:tr>${cell(word)}</w:tr></w:tbl>`),
    'text box': (word) =>
      docx(
        `<w:p><w:r><w:drawing><w:txbxContent>${paragraph(run(word))}</w:txbxContent></w:drawing></w:r></w:p>`,
      ),
    comment: (word) => more(docx(paragraph(run('x'))), 'word/comments.xml', `<c>${word}</c>`),
    chart: (word) => more(docx(paragraph(run('x'))), 'word/charts/chart1.xml', `<c>${word}</c>`),
    'embedded file': (word) => more(docx(paragraph(run('x'))), 'word/embeddings/a.txt', word),
  },
  pptx: {
    shape: (word) => pptx([{ shapes: shape([word]) }]),
    table: (word) => pptx([{ shapes: table([[word]]) }]),
    notes: (word) => pptx([{ shapes: shape(['x']), notes: word }]),
    comment: (word) => more(pptx([{ shapes: shape(['x']) }]), 'ppt/comments/comment1.xml', `<c>${word}</c>`),
  },
  xlsx: {
    cell: (word) => xlsx([{ name: 'A', cells: { 'A1 t="inlineStr"': `<is><t>${word}</t></is>` } }], []),
    'hidden sheet': (word) =>
      xlsx(
        [
          { name: 'A', cells: { A1: '<v>1</v>' } },
          { name: 'B', state: 'hidden', cells: { 'A1 t="inlineStr"': `<is><t>${word}</t></is>` } },
        ],
        [],
      ),
    comment: (word) =>
      more(xlsx([{ name: 'A', cells: { A1: '<v>1</v>' } }], []), 'xl/comments1.xml', `<c>${word}</c>`),
  },
  odt: {
    paragraph: (word) => odf('text', `<text:p>${word}</text:p>`),
    object: (word) => more(odf('text', '<text:p>x</text:p>'), 'Object 1/content.xml', `<c>${word}</c>`),
  },
  html: {
    paragraph: (word) => utf8(`<html><body><p>${word}</p></body></html>`),
    cell: (word) => utf8(`<html><body><table><tr><td>${word}</td></tr></table></body></html>`),
  },
  eml: {
    body: (word) => utf8(`From: a@b.org\r\nSubject: x\r\n\r\n${word}\r\n`),
    subject: (word) => utf8(`From: a@b.org\r\nSubject: ${word}\r\n\r\nx\r\n`),
    'broken attachment': (word) =>
      utf8(
        `From: a@b.org\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\n${'x '.repeat(700)}\r\n--b\r\nContent-Type: application/pdf\r\nContent-Disposition: attachment; filename="a.pdf"\r\n\r\n%PDF-1.4 ${word}\r\n--b--\r\n`,
      ),
  },
  zip: {
    member: (word) => zip({ 'a.txt': word, 'b.txt': 'x' }),
    'broken member': (word) => zip({ 'a.pdf': `%PDF-1.4 ${word}`, 'b.txt': 'x' }),
    'member of a member': (word) => zip({ 'a.zip': zip({ 'b.docx': docx(paragraph(run(word))) }) }),
    'part of a member': (word) =>
      zip({ 'b.docx': more(docx(paragraph(run('x'))), 'word/embeddings/a.txt', word) }),
  },
};

const more = (bytes: Uint8Array, name: string, content: string) =>
  zip({ ...unzipSync(bytes), [name]: content });

const word = fc.stringMatching(/^[a-z]{6,12}$/).map((letters) => `w${letters}`);

it.each(
  Object.entries(PLACES).flatMap(([format, places]) =>
    Object.entries(places).map(([place, write]) => [format, place, write] as const),
  ),
)('text is extracted or reported as omitted: %s, %s', async (_, __, write) => {
  await fc.assert(
    fc.asyncProperty(word, async (each) => {
      const { text, hasEntry } = await read(await write(each));
      expect(text.includes(each) || hasEntry).toBe(true);
    }),
    { numRuns: 5 },
  );
});
