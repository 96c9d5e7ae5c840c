import { describe, expect, it } from 'vitest';
import { adfToMarkdown } from '#src/sources/jira/adf/markdown.ts';

const text = (words: string, ...marks: object[]) => ({ type: 'text', text: words, marks });
const node = (type: string, attrs: object, ...content: unknown[]) => ({ type, attrs, content });
const p = (...content: unknown[]) => node('paragraph', {}, ...content);
const mark = (type: string, attrs: object = {}) => ({ type, attrs });
const item = (...content: unknown[]) => node('listItem', {}, ...content);
const cell = (type: string, words: string, attrs: object = {}) => node(type, attrs, p(text(words)));
const row = (...cells: unknown[]) => node('tableRow', {}, ...cells);
const convertContent = (...content: unknown[]) => adfToMarkdown({ type: 'doc', version: 1, content });

describe('Atlassian Document Format as Markdown:', () => {
  it.each<[string, unknown[], string]>([
    ['headings', [node('heading', { level: 2 }, text('a\nb')), p(text('c'))], '## a b\n\nc'],
    ['a heading of no level', [node('heading', { level: 'NaN' }, text('a'))], '# a'],
    [
      'marks',
      [
        p(
          text('a ', mark('strong')),
          text('b', mark('em'), mark('strike')),
          text(' c`d', mark('code')),
          text('e', mark('link', { href: 'https://e.test/(x)' }), mark('strong')),
          text('f', mark('link', { href: 'javascript:alert(1)' })),
          text('g', mark('textColor', { color: '#f00' })),
        ),
      ],
      '**a** *~~b~~* `` c`d ``[**e**](https://e.test/%28x%29)fg',
    ],
    [
      'lists in lists',
      [
        node(
          'bulletList',
          {},
          item(
            p(text('a')),
            node('orderedList', { order: 3 }, item(p(text('b'))), item(p(text('c')), p(text('d')))),
          ),
          item(p(text('e'))),
        ),
      ],
      '- a\n  3. b\n  4. c\n\n     d\n- e',
    ],
    [
      'tasks and decisions',
      [
        node(
          'taskList',
          {},
          node('taskItem', { state: 'DONE' }, text('a')),
          node('taskItem', { state: 'TODO' }, text('b')),
          node('taskList', {}, node('taskItem', {}, text('c'))),
        ),
        node('decisionList', {}, node('decisionItem', {}, text('d'))),
      ],
      '- [x] a\n- [ ] b\n  - [ ] c\n\n- d',
    ],
    [
      'tables',
      [
        node(
          'table',
          {},
          row(cell('tableHeader', 'A', { colspan: 2 }), cell('tableHeader', 'B|C')),
          row(cell('tableCell', '1'), cell('tableCell', '2\n3')),
        ),
      ],
      '| A |  | B\\|C |\n| --- | --- | --- |\n| 1 | 2 3 |  |',
    ],
    [
      'tables without a head',
      [node('table', {}, row(cell('tableHeader', 'a'), cell('tableCell', 'b')))],
      '|  |  |\n| --- | --- |\n| a | b |',
    ],
    [
      'code',
      [
        node('codeBlock', { language: 'ts' }, text('const a = `b`;\n# c')),
        node('codeBlock', {}, text('```')),
      ],
      '```ts\nconst a = `b`;\n# c\n```\n\n````\n```\n````',
    ],
    ['code in no language', [node('codeBlock', { language: 'a b\n```' }, text('x'))], '```\nx\n```'],
    [
      'panels, quotes and what can be opened',
      [
        node('panel', { panelType: 'warning' }, p(text('a'))),
        node('blockquote', {}, p(text('b')), p(text('c'))),
        node('expand', { title: 'More' }, p(text('d'))),
      ],
      '> **Warning**\n>\n> a\n\n> b\n>\n> c\n\n**More**\n\nd',
    ],
    [
      'what stands within lines',
      [
        p(
          { type: 'mention', attrs: { id: 'a1', text: '@Ann' } },
          text(' '),
          { type: 'mention', attrs: { id: 'b1' } },
          { type: 'hardBreak' },
          { type: 'emoji', attrs: { shortName: ':smile:', text: '😄' } },
          { type: 'emoji', attrs: { shortName: ':own:' } },
          { type: 'date', attrs: { timestamp: '1772600000000' } },
          { type: 'date', attrs: { timestamp: '1e99' } },
          { type: 'status', attrs: { text: 'DONE' } },
          { type: 'inlineCard', attrs: { url: 'https://c.test/x' } },
        ),
      ],
      '@Ann @b1\n😄:own:2026-03-041e99DONE<https://c.test/x>',
    ],
    [
      'media and cards',
      [
        node(
          'mediaSingle',
          {},
          { type: 'media', attrs: { id: '1', alt: 'shot.png' } },
          node('caption', {}, text('See')),
        ),
        node('mediaGroup', {}, { type: 'media', attrs: { type: 'external', url: 'https://m.test/a.png' } }),
        { type: 'blockCard', attrs: { url: 'https://c.test' } },
        { type: 'rule' },
      ],
      '[shot.png]\n\nSee\n\n<https://m.test/a.png>\n\n<https://c.test>\n\n---',
    ],
    [
      'the text of what is not known',
      [node('carousel', {}, node('slide', {}, p(text('a'))), { type: 'caption2', text: 'b' })],
      'a\n\nb',
    ],
    [
      'words that look like signs',
      [p(text('# a\n- b\n1. c\n> d\n```\n---'))],
      '\\# a\n\\- b\n1\\. c\n\\> d\n\\```\n\\---',
    ],
    ['nothing', [], ''],
  ])('%s', (_, content, markdown) => {
    expect(convertContent(...content)).toBe(markdown);
  });

  it('shifts heading levels below the parent level', () => {
    expect(adfToMarkdown(node('doc', {}, node('heading', { level: 5 }, text('a'))), 3)).toBe('###### a');
  });
});

describe('invalid Atlassian document', () => {
  it.each([null, 7, 'text', [], {}, { type: 'doc', content: [null, 7, { type: {} }, { content: 'x' }] }])(
    'converts to an empty text: %j',
    (document) => {
      expect(adfToMarkdown(document)).toBe('');
    },
  );

  it.each(['bulletList', 'blockquote', 'listItem', 'table', 'unknown', 'expand'])(
    'with endless nesting of %s keeps its text',
    (type) => {
      let nested: unknown = text('deep');
      for (let depth = 0; depth < 50_000; depth++) nested = { type, content: [nested] };
      const markdown = convertContent(nested);
      expect(markdown).toContain('deep');
      expect(markdown.length).toBeLessThan(1_000);
    },
  );
});
