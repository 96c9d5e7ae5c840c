import { expect, it } from 'vitest';
import { openDocument } from '#src/formats/registry.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { parserSuite } from '#test/suites/parser.suite.ts';
import { odf } from './fixtures/odf.ts';
import { png } from './fixtures/pictures.ts';
import { zip } from './fixtures/zip.ts';

const FRAME =
  '<draw:frame svg:x="1in" svg:y="2in" svg:width="0.5in" svg:height="0.5in"><draw:image xlink:href="Pictures/1.png"/><svg:title>A gradient</svg:title></draw:frame>';

const TEXT = [
  '<text:h text:outline-level="2">A <text:span text:style-name="B">title</text:span></text:h>',
  '<text:p>Some <text:span text:style-name="B">bold</text:span>   text<text:s text:c="2"/>and <text:a xlink:href="https://example.org/">a link</text:a>.<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>A note.</text:p></text:note-body></text:note></text:p>',
  '<text:list text:style-name="N"><text:list-item><text:p>first</text:p><text:list><text:list-item><text:p>inner</text:p></text:list-item></text:list></text:list-item><text:list-item><text:p>second</text:p></text:list-item></text:list>',
  '<table:table><table:table-header-rows><table:table-row><table:table-cell table:number-columns-spanned="2"><text:p>Head</text:p></table:table-cell><table:covered-table-cell/></table:table-row></table:table-header-rows><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell><text:p>b</text:p></table:table-cell></table:table-row></table:table>',
  '<text:p text:style-name="PB">On a new page</text:p>',
  `<text:p>${FRAME}</text:p>`,
].join('');

parserSuite({
  kind: 'odt',
  holds: { headings: 1, tables: 1, lists: 1, links: 1, figures: 1, metadata: ['title', 'author'] },
  bytes: async () => odf('text', TEXT, await png()),
  markdown: [
    'Running head\n\n## A title\n\nSome **bold** text  and [a link](https://example.org/).[^1]\n\n1. first\n   - inner\n2. second\n\n| Head |     |\n| ---- | --- |\n| a    | b   |',
    'On a new page\n\n![A gradient](image-1.png)\n\n[^1]: A note.',
  ],
  hasSignature: true,
});

const SLIDES = `<draw:page draw:name="one"><draw:frame presentation:class="outline"><draw:text-box><text:list><text:list-item><text:p>point</text:p></text:list-item></text:list></draw:text-box></draw:frame><draw:frame presentation:class="title"><draw:text-box><text:p>The title</text:p></draw:text-box></draw:frame>${FRAME}<presentation:notes><draw:frame><draw:text-box><text:p>Say this.</text:p></draw:text-box></draw:frame></presentation:notes></draw:page><draw:page draw:name="two"><draw:frame><draw:text-box><text:p>Second <text:a xlink:href="https://example.org/">slide</text:a></text:p></draw:text-box></draw:frame></draw:page>`;

parserSuite({
  kind: 'odp',
  holds: { headings: 2, lists: 1, links: 1, figures: 1, metadata: ['title', 'author', 'language'] },
  bytes: async () => odf('presentation', SLIDES, await png()),
  markdown: [
    '# The title\n\n- point\n\n![A gradient](image-1.png)\n\n### Notes\n\nSay this.',
    'Second [slide](https://example.org/)',
  ],
  hasSignature: true,
});

it('returns slide size and document properties', async () => {
  const document = await openDocument({
    bytes: odf('presentation', SLIDES),
    name: '',
    plan: resolveParsePlan({}),
  });
  expect(await document.readPage(0)).toMatchObject({ width: 720, height: 540 });
  expect(document.metadata).toMatchObject({ title: 'A fixture', author: 'Ada' });
});

it('reports an encrypted document as protected', async () => {
  const bytes = zip({
    mimetype: 'application/vnd.oasis.opendocument.text',
    'META-INF/manifest.xml':
      '<manifest:manifest><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>',
    'content.xml': 'scrambled',
  });
  await expect(openDocument({ bytes, name: '', plan: resolveParsePlan({}) })).rejects.toMatchObject({
    reason: 'FILE_IS_PROTECTED',
  });
});
