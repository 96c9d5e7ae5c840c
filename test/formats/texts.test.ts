import { describe, expect, it } from 'vitest';
import { openDocument } from '#src/formats/registry.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { parserSuite, readAll } from '#test/suites/parser.suite.ts';
import { png } from './fixtures/pictures.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);

const base64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));

async function readMarkdown(bytes: Uint8Array, name = '', parameters: ParseParameters = {}) {
  return (await readAll(await openDocument({ bytes, name, plan: resolveParsePlan(parameters) })))
    .map((page) => page.markdown)
    .join('\n\f\n');
}

const PAGE =
  async () => `<!doctype html><html lang="de-AT"><head><title>The &amp; title</title><meta name="author" content="Ada"><style>.gone{display:none} @media print {.kept{display:none}} #bar{position:fixed}</style></head><body>
<nav><a href="/home">Home</a></nav><div id="bar">Fixed bar</div>
<h1>Main <em>head</em></h1><p>Text   with <b>bold </b>and <a href="/x y">link</a><br>next&nbsp;line &lt;tag&gt;</p><p class="gone">hidden</p><p class="kept">kept</p>
<ul><li>one<ul><li>inner</li></ul></li><li><p>two</p></li></ul><ol start="3"><li>three</li></ol>
<table><tr><th>A<th>B</tr><tr><td rowspan=2>1</td><td>x|y</td></tr><tr><td>z</td></tr></table>
<table><tr><td><table><tr><td>layout</td></tr></table></td><td><h2>Sub</h2></td></tr></table>
<blockquote><p>Quoted</p></blockquote><pre><code class="language-js">a  <
 b</code></pre><img alt="A gradient" src="data:image/png;base64,${base64(await png())}"><script>alert(1)</script></body></html>`;

const BODY = [
  '# Main *head*',
  'Text with **bold** and [link](</x y>)  \nnext\u00a0line \\<tag>',
  'kept',
  '- one\n  - inner\n- two\n3. three',
  '| A   | B    |\n| --- | ---- |\n| 1   | x\\|y |\n|     | z    |',
  'layout',
  '## Sub',
  '> Quoted',
  '```js\na  <\n b\n```',
  '![A gradient](image-1.png)',
];

parserSuite({
  kind: 'html',
  holds: {
    headings: 2,
    tables: 1,
    lists: 1,
    links: 2,
    figures: 1,
    metadata: ['title', 'author', 'language'],
  },
  bytes: async () => utf8(await PAGE()),
  markdown: [['[Home](/home)', 'Fixed bar', ...BODY].join('\n\n')],
});

describe('html', () => {
  it('applies the visibility parameters', async () => {
    const bytes = utf8(await PAGE());
    const parameters = { html_remove_navigation_elements: true, html_remove_fixed_elements: true };
    expect(await readMarkdown(bytes, '', parameters)).toBe(BODY.join('\n\n'));
    expect(await readMarkdown(bytes, '', { html_make_all_elements_visible: true })).toContain('hidden');
  });

  it('reads metadata and the declared charset', async () => {
    const document = await openDocument({ bytes: utf8(await PAGE()), name: '', plan: resolveParsePlan({}) });
    expect(document.metadata).toMatchObject({ title: 'The & title', author: 'Ada', language: 'de' });
    const cyrillic = Uint8Array.from([...utf8('<html><meta charset="windows-1251"><p>'), 0xcf, 0xf0, 0xe8]);
    expect(await readMarkdown(cyrillic)).toBe('При');
  });

  it('reads deep nesting and rejects extreme nesting', async () => {
    const deep = (levels: number) => utf8(`<html>${'<div>'.repeat(levels)}core${'</div>'.repeat(levels)}`);
    expect(await readMarkdown(deep(3000))).toBe('core');
    await expect(readMarkdown(deep(100_000))).rejects.toMatchObject({ reason: 'FILE_IS_BROKEN' });
  });
});

const NOTES = `---
title: "Field notes"
author: Ada
date: 2024-03-01
---
# Top #

Some *text* with [a link](https://example.org/a) and \`code\`.

- one
  continued

  still one
- two

\`\`\`js
# not a heading

- nor a list
\`\`\`

| A | B |
|---|---|
| 1 | 2 |

Under
-----
> quoted`;

parserSuite({
  kind: 'md',
  holds: { headings: 2, tables: 1, lists: 1, links: 1, metadata: ['title', 'author', 'language'] },
  name: 'notes.md',
  bytes: () => utf8(NOTES),
  markdown: [
    [
      '# Top #',
      'Some *text* with [a link](https://example.org/a) and `code`.',
      '- one\n  continued\n\n  still one\n- two',
      '```js\n# not a heading\n\n- nor a list\n```',
      '| A | B |\n|---|---|\n| 1 | 2 |',
      'Under\n-----',
      '> quoted',
    ].join('\n\n'),
  ],
});

it('splits Markdown into typed blocks', async () => {
  const document = await openDocument({ bytes: utf8(NOTES), name: 'notes.md', plan: resolveParsePlan({}) });
  const page = await document.readPage(0);
  expect(page.blocks.map((block) => [block.type, block.text])).toEqual([
    ['heading', 'Top'],
    ['paragraph', 'Some text with a link and code.'],
    ['list', 'one\ncontinued\nstill one\ntwo'],
    ['code', '# not a heading\n\n- nor a list'],
    ['table', 'A\tB\n1\t2'],
    ['heading', 'Under'],
    ['paragraph', 'quoted'],
  ]);
  expect(page.links).toEqual([{ text: 'a link', url: 'https://example.org/a' }]);
  expect(document.metadata).toMatchObject({
    title: 'Field notes',
    author: 'Ada',
    createdAt: '2024-03-01T00:00:00.000Z',
  });
});

const PLAIN = 'First line\nsecond line\n\n  Indented שלום\n\fNew page 日本';

parserSuite({
  kind: 'txt',
  holds: {},
  bytes: () => utf8(PLAIN),
  markdown: ['First line\nsecond line\n\n  Indented שלום', 'New page 日本'],
});

describe('text encodings', () => {
  const wide = (text: string, unit: 2 | 4, littleEndian: boolean) => {
    const codes =
      unit === 4 ? [...text].map((one) => one.codePointAt(0)!) : [...text].map((one) => one.charCodeAt(0));
    const view = new DataView(new ArrayBuffer(codes.length * unit));
    codes.forEach((code, at) => {
      if (unit === 4) view.setUint32(at * 4, code, littleEndian);
      else view.setUint16(at * 2, code, littleEndian);
    });
    return new Uint8Array(view.buffer);
  };
  const text = 'Grüße aus Köln, and some more words';

  it.each([
    ['utf-8 with a mark', utf8(`\ufeff${text}`)],
    ['utf-16le with a mark', wide(`\ufeff${text}`, 2, true)],
    ['utf-16be with a mark', wide(`\ufeff${text}`, 2, false)],
    ['utf-16le without', wide(text, 2, true)],
    ['utf-16be without', wide(text, 2, false)],
    ['utf-32le with a mark', wide(`\ufeff${text}`, 4, true)],
    ['utf-32be with a mark', wide(`\ufeff${text}`, 4, false)],
    ['windows-1252', Uint8Array.from(text, (one) => one.charCodeAt(0))],
  ])('reads %s', async (_, bytes) => {
    expect(await readMarkdown(bytes, 'a.txt')).toBe(text);
  });

  it('reads the curly quotes of windows-1252', async () => {
    expect(await readMarkdown(Uint8Array.from([0x93, 0x61, 0x94]), 'a.txt')).toBe('“a”');
  });
});

parserSuite({
  kind: 'csv',
  holds: { tables: 1, metadata: ['language'] },
  name: 'a.csv',
  bytes: () => utf8('Name;Note\r\n"Ada ""A."" L.";"two\nlines"\r\nBob;"x;y|z"\r\n'),
  markdown: [
    '| Name        | Note         |\n| ----------- | ------------ |\n| Ada "A." L. | two<br>lines |\n| Bob         | x;y\\|z       |',
  ],
});

parserSuite({
  kind: 'tsv',
  holds: { tables: 1 },
  bytes: () => utf8('a\tb, c\n1\t2\n3\t4\n'),
  markdown: ['| a   | b, c |\n| --- | ---- |\n| 1   | 2    |\n| 3   | 4    |'],
});

parserSuite({
  kind: 'json',
  holds: { tables: 1 },
  bytes: () => utf8('[{"id":1,"name":"Ada"},{"id":2,"name":"Bob"}]'),
  markdown: ['| id  | name |\n| --- | ---- |\n| 1   | Ada  |\n| 2   | Bob  |'],
});

describe('json', () => {
  it('shows values other than records as code', async () => {
    expect(await readMarkdown(utf8('{"a":[1,{"b":"ü"}]}'))).toBe(
      '```json\n{\n  "a": [\n    1,\n    {\n      "b": "ü"\n    }\n  ]\n}\n```',
    );
  });

  it('reads JSON lines', async () => {
    expect(await readMarkdown(utf8('{"a":1}\n{"a":2}\n'), 'a.jsonl')).toBe(
      '| a   |\n| --- |\n| 1   |\n| 2   |',
    );
  });

  it.each([
    ['cut short', '{"a": [1, 2'],
    ['nested too deeply', '['.repeat(50_000) + ']'.repeat(50_000)],
  ])('rejects JSON that is %s', async (_, text) => {
    await expect(readMarkdown(utf8(text), 'a.json')).rejects.toMatchObject({ reason: 'FILE_IS_BROKEN' });
  });
});

describe('lists of HTML', () => {
  it('write further paragraphs of an item without a marker', async () => {
    const html =
      '<!doctype html><ol><li><p>one</p><p>more</p><ul><li>inner</li></ul><p>last</p></li><li>two</li></ol>';
    expect(await readMarkdown(utf8(html))).toBe('1. one\n\n   more\n   - inner\n\n   last\n2. two');
  });
});

parserSuite({
  kind: 'xml',
  holds: { headings: 1, lists: 1 },
  bytes: () =>
    utf8(
      '<?xml version="1.0"?><!DOCTYPE library [<!ENTITY x SYSTEM "file:///etc/passwd">]><library xmlns:d="d"><d:owner since="1999">Ada &amp; Bob</d:owner><books><book><title>A</title><year>1</year></book></books><note>See &x; <b>here</b></note></library>',
    ),
  markdown: [
    '# library\n\n- **owner** (since=1999): Ada & Bob\n- **books**\n  - **book**\n    - **title**: A\n    - **year**: 1\n- **note**: See &x; here',
  ],
});

describe('xml', () => {
  it('shows repeated records as a table in the declared encoding', async () => {
    const xml =
      '<?xml version="1.0" encoding="iso-8859-1"?><p><r id="1"><n>Zo\xeb</n></r><r id="2"><n>B</n></r></p>';
    const bytes = Uint8Array.from(xml, (one) => one.charCodeAt(0));
    expect(await readMarkdown(bytes)).toBe(
      '# p\n\n| id  | n   |\n| --- | --- |\n| 1   | Zoë |\n| 2   | B   |',
    );
  });

  it('never expands declared entities', async () => {
    const levels = Array.from({ length: 20 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`);
    const bomb = `<?xml version="1.0"?><!DOCTYPE b [<!ENTITY l0 "ha">${levels.join('')}]><b>start &l20; end</b>`;
    expect(await readMarkdown(utf8(bomb))).toBe('# b\n\nstart &l20; end');
  });
});
