import { expect, it } from 'vitest';
import { openDocument } from '#src/formats/registry.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { parserSuite } from '#test/suites/parser.suite.ts';
import { png } from './fixtures/pictures.ts';
import { zip } from './fixtures/zip.ts';

const chapter = (body: string) =>
  `<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head><body>${body}</body></html>`;

const book = (picture: Uint8Array) =>
  zip({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml':
      '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
    'OEBPS/book.opf':
      '<opf:package xmlns:opf="o" xmlns:dc="d"><opf:metadata><dc:title>A book</dc:title><dc:creator>Ada</dc:creator><dc:language>ja</dc:language></opf:metadata><opf:manifest><opf:item id="n" href="nav.xhtml" properties="nav"/><opf:item id="c2" href="text/two%20x.xhtml"/><opf:item id="c1" href="text/one.xhtml"/></opf:manifest><opf:spine><opf:itemref idref="n"/><opf:itemref idref="c1"/><opf:itemref idref="c2"/></opf:spine></opf:package>',
    'OEBPS/nav.xhtml': chapter('<nav>contents</nav>'),
    'OEBPS/text/one.xhtml': chapter(
      '<h1>One</h1><p><ruby>東京<rt>とうきょう</rt></ruby> <a href="two.xhtml">next</a></p>',
    ),
    'OEBPS/text/two x.xhtml': chapter(
      '<h1>Two</h1><p><img src="../img/p.png" alt="A gradient"/></p><p>See <a href="https://example.org/">the shop</a>.</p><table><tr><th>Port</th><th>Depth</th></tr><tr><td>Agger</td><td>4 m</td></tr></table>',
    ),
    'OEBPS/img/p.png': picture,
  });

parserSuite({
  kind: 'epub',
  holds: { headings: 2, tables: 1, links: 1, figures: 1, metadata: ['title', 'author', 'language'] },
  bytes: async () => book(await png()),
  markdown: [
    '# One\n\n東京(とうきょう) next',
    '# Two\n\n![A gradient](image-1.png)\n\nSee [the shop](https://example.org/).\n\n| Port  | Depth |\n| ----- | ----- |\n| Agger | 4 m   |',
  ],
  hasSignature: true,
});

it('reads the package metadata of an EPUB', async () => {
  const { metadata } = await openDocument({ bytes: book(await png()), name: '', plan: resolveParsePlan({}) });
  expect(metadata).toEqual({ title: 'A book', author: 'Ada', language: 'ja' });
});
