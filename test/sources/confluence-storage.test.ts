import { describe, expect, it } from 'vitest';
import { openDocument } from '#src/formats/registry.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { SourceError } from '#src/ports/source.ts';
import { parseStorageFormat, plainText } from '#src/sources/confluence/confluence.ts';
import { listMentions } from '#src/sources/confluence/storage/references.ts';
import { renderPage } from '#src/sources/confluence/storage/render.ts';
import { readAll } from '#test/suites/parser.suite.ts';
import { HOSTILE_UNITS, repeated } from '#test/support/linear-time.ts';

const SURROUNDINGS = {
  base: 'https://suite.atlassian.net/wiki',
  spaceKey: 'ENG',
  names: new Map([['u1', 'Ann Lee']]),
};
const html = (storage: string) => renderPage(parseStorageFormat(storage), 'T', SURROUNDINGS);

/** Returns the Markdown of a page below its title, as the chunker gets it. */
async function markdown(storage: string): Promise<string> {
  const bytes = new TextEncoder().encode(html(storage));
  const pages = await readAll(await openDocument({ bytes, name: 'T.html', plan: resolveParsePlan({}) }));
  const all = pages.map((page) => page.markdown).join('\n\f\n');
  expect(all).toMatch(/^# T(?:\n|$)/);
  return all.slice('# T'.length).trim();
}

const macro = (name: string, inner = '') =>
  `<ac:structured-macro ac:name="${name}" ac:schema-version="1" ac:macro-id="1-2">${inner}</ac:structured-macro>`;
const parameter = (name: string, value: string) => `<ac:parameter ac:name="${name}">${value}</ac:parameter>`;
const rich = (inner: string) => `<ac:rich-text-body>${inner}</ac:rich-text-body>`;
const plain = (inner: string) => `<ac:plain-text-body><![CDATA[${inner}]]></ac:plain-text-body>`;
const link = (inner: string) => `<ac:link>${inner}</ac:link>`;

const CASES: [string, string, string][] = [
  [
    'headings, styles and entities',
    '<h2>Größe &amp; Ma&szlig;</h2><p><strong>a</strong>&nbsp;<em>b</em> &amp;lt; &#x1F600;</p>',
    '## Größe & Maß\n\n**a**\u00a0*b* &lt; 😀',
  ],
  [
    'lists',
    '<ul><li><p>one</p><ul><li>inner</li></ul></li></ul><ol start="3"><li>three</li></ol>',
    '- one\n  - inner\n3. three',
  ],
  [
    'tables with spans and paragraphs',
    '<table data-layout="wide"><colgroup><col /></colgroup><tbody><tr><th><p>A</p></th><th><p>B</p></th></tr><tr><td rowspan="2">1</td><td>x</td></tr><tr><td>y</td></tr></tbody></table>',
    '| A   | B   |\n| --- | --- |\n| 1   | x   |\n|     | y   |',
  ],
  [
    'code with its language',
    macro(
      'code',
      parameter('language', 'JS') + parameter('title', 'x.js') + plain('if (a < b && c > d) {\n  "&amp;"\n}'),
    ),
    '**x.js**\n\n```js\nif (a < b && c > d) {\n  "&amp;"\n}\n```',
  ],
  ['code in parts', macro('noformat', plain('a ]]]]><![CDATA[> b')), '```\na ]]> b\n```'],
  ['notes', macro('info', rich('<p>Read <b>this</b></p>')), '> **Info**\n\n> Read **this**'],
  [
    'notes with a title',
    macro('warning', parameter('title', 'Hot!') + rich('<p>x</p>')),
    '> **Hot!**\n\n> x',
  ],
  ['panels', macro('panel', rich('<p>x</p>')), '> x'],
  ['what unfolds', macro('expand', parameter('title', 'More') + rich('<p>x</p>')), '**More**\n\nx'],
  [
    'code within a note within what unfolds',
    macro('expand', rich(macro('note', rich(`<p>y</p>${macro('code', plain('z'))}`)))),
    '> **Note**\n\n> y\n\n> ```\n> z\n> ```',
  ],
  ['no table of contents', `<p>a</p>${macro('toc', parameter('maxLevel', '3'))}<p>b</p>`, 'a\n\nb'],
  [
    'states',
    `<p>It is ${macro('status', parameter('title', 'DONE') + parameter('colour', 'Green'))}.</p>`,
    'It is **DONE**.',
  ],
  [
    'issues of Jira',
    `<p>${macro('jira', parameter('server', 'S') + parameter('key', 'ENG-7'))} ${macro('jira', parameter('jqlQuery', 'a = "b"'))}</p>`,
    '[ENG-7](https://suite.atlassian.net/browse/ENG-7) [Jira: a = "b"](https://suite.atlassian.net/issues/?jql=a%20%3D%20%22b%22)',
  ],
  [
    'links to pages',
    `<p>${link('<ri:page ri:content-title="A b?" ri:space-key="OPS" />')}, ${link('<ri:page ri:content-title="C" /><ac:plain-text-link-body><![CDATA[<see>]]></ac:plain-text-link-body>')}, ${link('<ri:page ri:content-title="D" /><ac:link-body><em>d</em></ac:link-body>')}</p>`,
    '[A b?](https://suite.atlassian.net/wiki/display/OPS/A%20b%3F), [\\<see>](https://suite.atlassian.net/wiki/display/ENG/C), [*d*](https://suite.atlassian.net/wiki/display/ENG/D)',
  ],
  [
    'links elsewhere and within the site',
    '<p><a href="https://a.test/?x=1&amp;y=2">a</a> <a href="/wiki/x">b</a> <a href="#c">c</a> <a href="javascript:alert(1)">d</a></p>',
    '[a](https://a.test/?x=1&y=2) [b](https://suite.atlassian.net/wiki/x) c d',
  ],
  [
    'mentions',
    `<p>${link('<ri:user ri:account-id="u1" />')} ${link('<ri:user ri:account-id="u2" />')} ${link('<ri:user ri:username="ben" />')}</p>`,
    '@Ann Lee @u2 @ben',
  ],
  [
    'files and pictures by their names',
    `<p>${link('<ri:attachment ri:filename="plan.pdf" />')} ${macro('view-file', parameter('name', '<ri:attachment ri:filename="b.xlsx" />'))}</p><ac:image ac:width="200"><ri:attachment ri:filename="map.png"><ri:page ri:content-title="Other" /></ri:attachment><ac:caption><p>The map</p></ac:caption></ac:image>`,
    'plan.pdf b.xlsx\n\nmap.png\n\nThe map',
  ],
  [
    'what is included from elsewhere as a link there',
    macro('include', parameter('', link('<ri:page ri:content-title="Terms" />'))),
    '[Terms](https://suite.atlassian.net/wiki/display/ENG/Terms)',
  ],
  [
    'tasks',
    '<ac:task-list><ac:task><ac:task-id>1</ac:task-id><ac:task-status>complete</ac:task-status><ac:task-body><span>a</span></ac:task-body></ac:task><ac:task><ac:task-status>incomplete</ac:task-status><ac:task-body>b</ac:task-body></ac:task></ac:task-list>',
    '- [x] a\n- [ ] b',
  ],
  [
    'layouts, dates, faces and marks of comments',
    '<ac:layout><ac:layout-section ac:type="two_equal"><ac:layout-cell><p>l <time datetime="2026-03-04" /></p></ac:layout-cell><ac:layout-cell><p>r<ac:emoticon ac:name="smile" ac:emoji-fallback="🙂" /> <ac:inline-comment-marker ac:ref="x">m</ac:inline-comment-marker></p></ac:layout-cell></ac:layout-section></ac:layout><ac:placeholder>Type here</ac:placeholder>',
    'l 2026-03-04\n\nr🙂 m',
  ],
  [
    'what newer editors write, once',
    '<ac:adf-extension><ac:adf-node type="panel"><ac:adf-attribute key="panel-type">custom</ac:adf-attribute><ac:adf-content><p>x</p></ac:adf-content></ac:adf-node><ac:adf-fallback><div class="panel"><p>x</p></div></ac:adf-fallback></ac:adf-extension>',
    'x',
  ],
  [
    'what unknown macros hold',
    macro('of-an-app', parameter('secret', 'p') + rich('<p>x</p>')) +
      macro('other', plain('y')) +
      macro('none', parameter('a', 'b')),
    'x\n\n```\ny\n```',
  ],
  ['nothing that runs', '<p>a<script>alert(1)</script><style>p{}</style></p>', 'a'],
];

describe('Confluence storage format', () => {
  it.each(CASES)('converts %s', async (_, storage, wanted) => {
    expect(await markdown(storage)).toBe(wanted);
  });

  it('converts to plain text', () => {
    const storage = `<h2>H</h2><p>a <b>b</b><br />c</p><ul><li>i</li></ul><table><tr><th>x</th><td><p>y</p></td></tr></table>${macro('code', plain('d\n  e'))}`;
    expect(plainText(parseStorageFormat(html(storage)))).toBe('T\nH\na b\nc\ni\nx\ty\nd\n  e\n');
  });

  it('lists each mentioned user once', () => {
    const storage =
      '<ri:user ri:account-id="a" /><p><ri:user ri:account-id="b" /><ri:user ri:account-id="a" /></p>';
    expect(listMentions(parseStorageFormat(storage))).toEqual(['a', 'b']);
  });
});

describe('hostile Confluence page', () => {
  it('does not expand its own entities', async () => {
    const laughs = '<!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;&lol;">]><p>&lol2;</p>';
    expect(await markdown(laughs)).toContain('&lol2;');
  });

  it.each([
    ['ac:structured-macro ac:name="info"><ac:rich-text-body', '/ac:rich-text-body></ac:structured-macro'],
    ['ac:link><ac:link-body', '/ac:link-body></ac:link'],
    ['ac:task-list', '/ac:task-list'],
    ['blockquote', '/blockquote'],
  ])('can have nested elements: <%s>', async (open, close) => {
    const nested = (levels: number) => `${`<${open}>`.repeat(levels)}core${`<${close}>`.repeat(levels)}`;
    expect(await markdown(nested(50))).toContain('core');
    // Content nested too deeply may be lost, but nothing else.
    const deep = `<p>before</p>${nested(1500)}<p>after</p>`;
    expect(await markdown(deep)).toMatch(/^before.*after$/s);
    expect(plainText(parseStorageFormat(html(deep)))).toMatch(/^T\nbefore\n.*after\n$/s);
    expect(() => html(nested(100_000))).toThrow(SourceError);
  });

  it('is converted without unknown attributes and elements', () => {
    const found = html(
      '<p onclick="x" style="display:none">a</p><img src="https://evil.test/x" alt="&quot;><script>" /><constructor>b</constructor><ac:structured-macro ac:name="__proto__" /><ac:structured-macro ac:name="constructor"><ac:rich-text-body>c</ac:rich-text-body></ac:structured-macro><a:b:c>d</a:b:c>',
    );
    expect(found).toBe(
      '<h1>T</h1>\n<p>a</p><img alt="&quot;&gt;&lt;script&gt;"><constructor>b</constructor>cd\n',
    );
  });

  it.each(Object.entries(HOSTILE_UNITS))('finishes or fails with SourceError for very many %s', (_, unit) => {
    try {
      plainText(parseStorageFormat(html(repeated(unit, 300_000))));
    } catch (error) {
      expect(error).toBeInstanceOf(SourceError);
    }
  });
});
