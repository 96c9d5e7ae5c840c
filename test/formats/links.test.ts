import { utils, write } from '@e965/xlsx';
import { describe, expect, it } from 'vitest';
import type { Link } from '#src/documents/document.ts';
import type { FileKind } from '#src/file-formats/registry.ts';
import { openDocument } from '#src/formats/registry.ts';
import { parseHyperlinkFormula } from '#src/formats/shared/sheets/cell-links.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { buildPdf, text as pdfText } from '#test/fixtures/pdf.ts';
import { readAll } from '#test/suites/parser.suite.ts';
import { legacyWord } from './fixtures/legacy-word.ts';
import { odf } from './fixtures/odf.ts';
import { linked, pptx } from './fixtures/slides.ts';
import { docx, paragraph, run } from './fixtures/word.ts';
import { xlsx } from './fixtures/workbook.ts';
import { zip } from './fixtures/zip.ts';

const encodeText = (text: string) => new TextEncoder().encode(text);
const HTML = '<html><body><p>See <a href="https://example.org/">the shop</a> now.</p></body></html>';

function xls(): Uint8Array {
  const sheet = utils.aoa_to_sheet([
    ['Place', 'Depth'],
    ['the shop', 4],
  ]);
  sheet.A2.l = { Target: 'https://example.org/' };
  const book = utils.book_new();
  utils.book_append_sheet(book, sheet, 'S');
  return new Uint8Array(write(book, { type: 'array', bookType: 'biff8' }));
}

const epub = () =>
  zip({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>',
    'b.opf':
      '<package><metadata/><manifest><item id="c" href="c.xhtml"/></manifest><spine><itemref idref="c"/></spine></package>',
    'c.xhtml': HTML,
  });

const odfLink = '<text:a xlink:href="https://example.org/">the shop</text:a>';
const inCells = (...cells: string[]) =>
  `<table:table table:name="S">${cells.map((cell) => `<table:table-row><table:table-cell><text:p>${cell}</text:p></table:table-cell><table:table-cell><text:p>4</text:p></table:table-cell></table:table-row>`).join('')}</table:table>`;

/** Documents of each format with one link to example.org or a page there, and the link text. */
const DOCUMENTS: [FileKind, Uint8Array, Partial<Link>?][] = [
  [
    'pdf',
    buildPdf({
      pages: [
        {
          content: pdfText(72, 700, 'See the shop now', 10),
          links: [{ rect: [95, 697, 136, 712], url: 'https://example.org/' }],
        },
      ],
    }),
  ],
  [
    'docx',
    docx(paragraph(`<w:hyperlink r:id="link1">${run('the shop')}</w:hyperlink>`)),
    { url: 'https://example.org/a' },
  ],
  [
    'doc',
    legacyWord({ body: [{ text: 'See \u0013HYPERLINK "https://example.org/"\u0014the shop\u0015.\r' }] }),
  ],
  ['odt', odf('text', `<text:p>See ${odfLink}.</text:p>`)],
  [
    'rtf',
    encodeText(
      '{\\rtf1 See {\\field{\\*\\fldinst HYPERLINK "https://example.org/"}{\\fldrslt the shop}}.\\par}',
    ),
  ],
  ['pptx', pptx([{ shapes: linked('the shop') }])],
  [
    'odp',
    odf(
      'presentation',
      `<draw:page><draw:frame><draw:text-box><text:p>${odfLink}</text:p></draw:text-box></draw:frame></draw:page>`,
    ),
  ],
  [
    'xlsx',
    xlsx(
      [
        {
          name: 'S',
          cells: { 'A1 t="str"': '<v>the shop</v>', B1: '<v>4</v>', A2: '<v>5</v>', B2: '<v>6</v>' },
          rest: '<hyperlinks><hyperlink ref="A1" r:id="l"/></hyperlinks>',
        },
      ],
      [],
    ),
    { url: 'https://example.org/x' },
  ],
  [
    'xlsx',
    xlsx(
      [
        {
          name: 'S',
          cells: { 'A1 t="str"': '<f>HYPERLINK("https://example.org/","the shop")</f><v>the shop</v>' },
        },
      ],
      [],
    ),
  ],
  ['xls', xls()],
  ['ods', odf('spreadsheet', inCells(odfLink, '7'))],
  ['html', encodeText(HTML)],
  ['epub', epub()],
  ['md', encodeText('# Shops\n\nSee [the shop](https://example.org/) and `[the shop](x)`.\n')],
  [
    'eml',
    encodeText(
      `From: a@example.org\r\nTo: b@example.org\r\nSubject: s\r\nMIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n${HTML}`,
    ),
  ],
];

describe('annotate_links', () => {
  it.each(DOCUMENTS)(
    'writes link targets into the Markdown only if enabled: %s',
    async (kind, bytes, other) => {
      const { text, url } = { text: 'the shop', url: 'https://example.org/', ...other };
      const read = async (parameters: ParseParameters) => {
        const document = await openDocument({ bytes, name: `a.${kind}`, plan: resolveParsePlan(parameters) });
        expect(document.kind).toBe(kind);
        return readAll(document);
      };
      const written = `[${text}](${url})`;
      const [on, off, absent] = [
        await read({ annotate_links: true }),
        await read({ annotate_links: false }),
        await read({}),
      ].map((pages) => ({
        markdown: pages.map(({ markdown }) => markdown).join('\n'),
        links: pages.flatMap(({ links }) => links.map((link) => [link.text, link.url])),
      }));
      expect(on!.markdown).toContain(written);
      expect(off!.markdown).toContain(text);
      expect(off!.markdown).not.toContain(url);
      expect(absent!.markdown.includes(written)).toBe(kind !== 'pdf');
      for (const { links } of [on!, off!, absent!]) expect(links).toEqual([[text, url]]);
    },
  );
});

describe('hyperlink formula', () => {
  it.each([
    ['HYPERLINK("https://example.org/a?b=""c""","the shop")', 'https://example.org/a?b="c"'],
    ['of:=HYPERLINK("mailto:a@example.org";"the shop")', 'mailto:a@example.org'],
    ['HYPERLINK("#Depths!A1","below")', undefined],
    ['HYPERLINK("other.xlsx","beside")', undefined],
    ['HYPERLINK(A1,"there")', undefined],
  ])('returns an external URL or nothing: %s', (formula, url) => {
    expect(parseHyperlinkFormula(formula)).toBe(url);
  });
});
