import { describe, expect, it } from 'vitest';
import { openDocument } from '#src/formats/registry.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { parserSuite, readAll } from '#test/suites/parser.suite.ts';
import { png } from './fixtures/pictures.ts';
import { cell, docx, drawing, item, paragraph, run } from './fixtures/word.ts';

const EVERYTHING = [
  paragraph(run('A title'), '<w:pStyle w:val="H1"/>'),
  paragraph(run('First part'), '<w:pStyle w:val="H2"/>'),
  paragraph(
    `${run('Plain, ')}${run('bold', '<w:b/>')}${run(' and ')}${run('slanted', '<w:i/>')} <w:hyperlink r:id="link1">${run('a link')}</w:hyperlink>${run('.')}<w:r><w:footnoteReference w:id="7"/></w:r>`,
  ),
  item('one', 1),
  item('inner', 1, 1),
  item('first', 2),
  item('second', 2),
  `<w:tbl><w:tr>${cell('Head', '<w:gridSpan w:val="2"/>')}${cell('C')}</w:tr><w:tr>${cell('tall', '<w:vMerge w:val="restart"/>')}${cell('b|1')}${cell('c1')}</w:tr><w:tr>${cell('', '<w:vMerge/>')}${cell('b2')}${cell('c2')}</w:tr></w:tbl>`,
  paragraph(run('let x = 1;'), '<w:pStyle w:val="Code"/>'),
  paragraph(run('print(x)'), '<w:pStyle w:val="Code"/>'),
  paragraph(`<w:del>${run('gone')}</w:del><w:ins>${run('kept')}</w:ins>${run(' secret', '<w:vanish/>')}`),
  paragraph('<w:r><w:br w:type="page"/></w:r>'),
  paragraph(run('Second part'), '<w:pStyle w:val="H2"/>'),
  paragraph(run('שלום עולם 日本語')),
  paragraph(drawing('image1', 'A gradient')),
].join('');

const FIRST_PAGE = [
  'Running head',
  '# A title',
  '## I. First part',
  'Plain, **bold** and *slanted*[a link](https://example.org/a).[^1]',
  '- one\n  - inner\n1. first\n2. second',
  '| Head |      | C   |\n| ---- | ---- | --- |\n| tall | b\\|1 | c1  |\n|      | b2   | c2  |',
  '```\nlet x = 1;\nprint(x)\n```',
  'kept secret',
];
const SECOND_PAGE = [
  '## II. Second part',
  'שלום עולם 日本語',
  '![A gradient](image-1.png)',
  '[^1]: A note below.',
];

parserSuite({
  kind: 'docx',
  holds: {
    headings: 3,
    tables: 1,
    lists: 1,
    links: 1,
    figures: 1,
    metadata: ['title', 'author', 'language'],
  },
  bytes: async () => docx(EVERYTHING, await png()),
  markdown: [FIRST_PAGE.join('\n\n'), [...SECOND_PAGE, 'Running foot'].join('\n\n')],
  hasSignature: true,
});

describe('docx parameters', () => {
  const pages = async (parameters: ParseParameters) =>
    readAll(
      await openDocument({
        bytes: docx(EVERYTHING, await png()),
        name: 'a.docx',
        plan: resolveParsePlan(parameters),
      }),
    );

  it('omits headers, footers, hidden text and images if requested', async () => {
    const all = await pages({
      hide_headers: true,
      hide_footers: true,
      remove_hidden_text: true,
      disable_image_extraction: true,
      annotate_links: false,
    });
    const markdown = all.map((page) => page.markdown).join('\n\n');
    for (const absent of ['Running', 'secret', 'image-1', 'https:']) expect(markdown).not.toContain(absent);
    expect(markdown).toContain('a link');
  });

  it('returns links, page size and metadata', async () => {
    const document = await openDocument({
      bytes: docx(EVERYTHING),
      name: 'a.docx',
      plan: resolveParsePlan({}),
    });
    const page = await document.readPage(0);
    expect(page.links).toEqual([{ text: 'a link', url: 'https://example.org/a' }]);
    expect([page.width, page.height]).toEqual([595.3, 841.9]);
    expect(document.metadata).toMatchObject({ title: 'A fixture', author: 'Ada', language: 'en' });
  });

  it('reads text boxes once and resolves field results', async () => {
    const box = `<w:r><mc:AlternateContent><mc:Choice><w:drawing><wps:txbx><w:txbxContent>${paragraph(run('boxed'))}</w:txbxContent></wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox><w:txbxContent>${paragraph(run('boxed'))}</w:txbxContent></v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>`;
    const mark = (type: string) => `<w:r><w:fldChar w:fldCharType="${type}"/></w:r>`;
    const field = `${mark('begin')}<w:r><w:instrText> HYPERLINK "https://example.org/f" </w:instrText></w:r>${mark('separate')}${run('shown')}${mark('end')}`;
    const bytes = docx(paragraph(run('before') + box) + paragraph(field));
    const [page] = await readAll(
      await openDocument({
        bytes,
        name: '',
        plan: resolveParsePlan({ hide_headers: true, hide_footers: true }),
      }),
    );
    expect(page?.markdown).toBe('before\n\nboxed\n\n[shown](https://example.org/f)');
  });

  it('rejects a document without text with NO_DATA_FOUND_IN_FILE', async () => {
    const opening = openDocument({
      bytes: docx(paragraph('')),
      name: '',
      plan: resolveParsePlan({ hide_headers: true, hide_footers: true }),
    });
    await expect(opening).rejects.toMatchObject({ reason: 'NO_DATA_FOUND_IN_FILE' });
  });
});
