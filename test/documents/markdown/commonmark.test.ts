/// <reference types="vite/types/importMeta.d.ts" />
import { describe, expect, it } from 'vitest';
import { readInline } from '#src/documents/markdown/inline.ts';
import {
  type Leaf,
  type MarkdownBlock,
  type References,
  readMarkdown,
} from '#src/documents/markdown/read.ts';
import { splitRowCells } from '#src/documents/markdown/table-rows.ts';

const [specification = ''] = Object.values(
  import.meta.glob<string>('/node_modules/commonmark-spec/spec.txt', {
    query: '?raw',
    import: 'default',
    eager: true,
  }),
);

interface Example {
  number: number;
  section: string;
  markdown: string;
  html: string;
}

function parseExamples(text: string): Example[] {
  const examples: Example[] = [];
  let section = '';
  const parts = /^`{32} example\n([\s\S]*?)^\.\n([\s\S]*?)^`{32}$|^#{1,6} *(.*)$/gm;
  for (const [, markdown, html, title] of text.slice(0, text.indexOf('<!-- END TESTS -->')).matchAll(parts)) {
    if (title !== undefined) section = title;
    else {
      const number = examples.length + 1;
      const tabs = (part: string) => part.replaceAll('→', '\t');
      examples.push({ number, section, markdown: tabs(markdown!), html: tabs(html!) });
    }
  }
  return examples;
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' };
const squeeze = (text: string) => text.replace(/\s+/g, ' ').trim();

const toText = (html: string) =>
  html
    .replace(/<br \/>\n?/g, '\n')
    .replace(/<img [^>]*?alt="([^"]*)"[^>]*>/g, '$1')
    .replace(/<!--.*?-->|<\?.*?\?>|<!\[CDATA\[.*?\]\]>|<(?:"[^"]*"|'[^']*'|[^"'>])*>/gs, '')
    .replace(/&(amp|lt|gt|quot);/g, (_, name: string) => ENTITIES[name]!);

/** Takes from the front of `html` what a block must have become, and gives the rest. */
class Reading {
  rest: string;
  constructor(html: string) {
    this.rest = html;
  }

  take(pattern: RegExp): RegExpExecArray {
    const match = new RegExp(pattern.source, `${pattern.flags}y`).exec(this.rest);
    expect(match, `${pattern} at ${JSON.stringify(this.rest)}`).not.toBeNull();
    this.rest = this.rest.slice(match![0].length);
    return match!;
  }

  element(name: string): string {
    this.take(new RegExp(`(?=<${name}\\b)`));
    let depth = 0;
    for (const tag of this.rest.matchAll(new RegExp(`<(/?)${name}\\b[^>]*>\n?`, 'g'))) {
      depth += tag[1] === '/' ? -1 : 1;
      if (depth > 0) continue;
      const inner = this.rest.slice(this.rest.indexOf('>') + 1, tag.index);
      this.rest = this.rest.slice(tag.index + tag[0].length);
      return inner;
    }
    throw new Error(`${name} has no end in ${this.rest}`);
  }
}

function readLeaf(leaf: Leaf, html: Reading, references: References): void {
  const inline = (content: string) => readInline(content, references).text;
  switch (leaf.kind) {
    case 'heading': {
      const [, text] = html.take(new RegExp(`<h${leaf.level}>(.*?)</h${leaf.level}>\n?`, 's'));
      expect(squeeze(inline(leaf.content))).toBe(squeeze(toText(text!)));
      return;
    }
    case 'code': {
      const [, text] = html.take(/<pre><code[^>]*>(.*?)<\/code><\/pre>\n?/s);
      expect(leaf.content).toBe(toText(text!));
      return;
    }
    case 'rule':
      html.take(/<hr \/>\n?/);
      return;
    case 'html': {
      const start = html.rest.slice(0, leaf.content.trimEnd().length);
      expect(start).toBe(leaf.content.trimEnd());
      html.rest = html.rest.slice(start.length).replace(/^\n/, '');
      return;
    }
    case 'table': {
      const rows = [...html.element('table').matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row]) =>
        [...row!.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(([, cell]) => toText(cell!)),
      );
      const given = leaf.content.split('\n').filter((_, row) => row !== 1);
      const cells = given.map((row) => splitRowCells(row).map(inline));
      const width = rows[0]!.length;
      expect(cells.map((row) => [...row, ...Array(width).fill('')].slice(0, width))).toEqual(rows);
      return;
    }
    case 'text': {
      const [, tight, loose] = html.take(
        /<p>(?<loose>.*?)<\/p>\n?|(?<tight>[^\n<].*?|<(?!\/?(?:p|ul|ol|li|blockquote|pre|hr|h\d)\b).*?)(?=\n?<(?:\/li|ul|ol|blockquote|pre|hr|h\d)\b|$)\n?/s,
      );
      const text = toText(tight ?? loose ?? '');
      expect(squeeze(inline(leaf.content))).toBe(squeeze(text));
    }
  }
}

/** Whether the block's leaves, and the lists and quotes around each, are those of the HTML. */
function readBlock(block: MarkdownBlock, html: Reading, references: References): void {
  if (block.kind === 'definition') return;
  if (block.kind !== 'list' && block.kind !== 'quote') {
    expect(block.leaves).toHaveLength(1);
    readLeaf(block.leaves[0]!, html, references);
    return;
  }
  const name = block.kind === 'quote' ? 'blockquote' : /^<ol/.test(html.rest) ? 'ol' : 'ul';
  const inner = new Reading(html.element(name).trimStart());
  const open: string[] = [];
  const skip = () => {
    for (;;) {
      const tag = /^\s*<(\/?)(ul|ol|li|blockquote)\b[^>]*>\n?/.exec(inner.rest);
      if (!tag) return;
      inner.rest = inner.rest.slice(tag[0].length);
      if (tag[2] === 'li') continue;
      if (tag[1] === '/') open.pop();
      else open.push(tag[2] === 'blockquote' ? 'quote' : 'list');
    }
  };
  for (const leaf of block.leaves) {
    skip();
    expect(leaf.containers).toEqual([block.kind, ...open]);
    readLeaf(leaf, inner, references);
  }
  skip();
  expect(inner.rest.trim()).toBe('');
}

function check(markdown: string, html: string): void {
  const references: References = {};
  const blocks = [...readMarkdown(markdown, references)];
  const reading = new Reading(html);
  let end = 0;
  for (const block of blocks) {
    expect(markdown.slice(end, block.start).trim()).toBe('');
    expect(block.start === 0 || markdown[block.start - 1] === '\n').toBe(true);
    expect(block.end === markdown.length || markdown[block.end] === '\n').toBe(true);
    end = block.end;
    readBlock(block, reading, references);
  }
  expect(markdown.slice(end).trim()).toBe('');
  expect(reading.rest).toBe('');
}

describe('CommonMark blocks', () => {
  const examples = parseExamples(specification);

  it('includes all examples of the specification', () => {
    expect(examples.length).toBeGreaterThan(640);
  });

  it.each(examples)('$number $section', ({ markdown, html }) => {
    check(markdown, html);
  });
});

/** The examples of GFM's specification for its tables. */
const TABLES: [markdown: string, html: string][] = [
  [
    '| foo | bar |\n| --- | --- |\n| baz | bim |\n',
    '<table>\n<thead>\n<tr>\n<th>foo</th>\n<th>bar</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>baz</td>\n<td>bim</td>\n</tr>\n</tbody>\n</table>\n',
  ],
  [
    '| abc | defghi |\n:-: | -----------:\nbar | baz\n',
    '<table>\n<thead>\n<tr>\n<th align="center">abc</th>\n<th align="right">defghi</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td align="center">bar</td>\n<td align="right">baz</td>\n</tr>\n</tbody>\n</table>\n',
  ],
  [
    '| f\\|oo  |\n| ------ |\n| b `\\|` az |\n| b **\\|** im |\n',
    '<table>\n<thead>\n<tr>\n<th>f|oo</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>b <code>|</code> az</td>\n</tr>\n<tr>\n<td>b <strong>|</strong> im</td>\n</tr>\n</tbody>\n</table>\n',
  ],
  [
    '| abc | def |\n| --- | --- |\n| bar | baz |\n> bar\n',
    '<table>\n<thead>\n<tr>\n<th>abc</th>\n<th>def</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>bar</td>\n<td>baz</td>\n</tr>\n</tbody>\n</table>\n<blockquote>\n<p>bar</p>\n</blockquote>\n',
  ],
  [
    '| abc | def |\n| --- | --- |\n| bar | baz |\nbar\n\nbar\n',
    '<table>\n<thead>\n<tr>\n<th>abc</th>\n<th>def</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>bar</td>\n<td>baz</td>\n</tr>\n<tr>\n<td>bar</td>\n<td></td>\n</tr>\n</tbody>\n</table>\n<p>bar</p>\n',
  ],
  ['| abc | def |\n| --- |\n| bar |\n', '<p>| abc | def |\n| --- |\n| bar |</p>\n'],
  [
    '| abc | def |\n| --- | --- |\n| bar |\n| bar | baz | boo |\n',
    '<table>\n<thead>\n<tr>\n<th>abc</th>\n<th>def</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>bar</td>\n<td></td>\n</tr>\n<tr>\n<td>bar</td>\n<td>baz</td>\n</tr>\n</tbody>\n</table>\n',
  ],
  [
    '| abc | def |\n| --- | --- |\n',
    '<table>\n<thead>\n<tr>\n<th>abc</th>\n<th>def</th>\n</tr>\n</thead>\n</table>\n',
  ],
];

describe('GFM tables', () => {
  it.each(TABLES)('%s', (markdown, html) => {
    check(markdown, html);
  });

  it('need one dash per column, work in lists and end a paragraph', () => {
    const table =
      '<table>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n<tr>\n<td>c</td>\n<td>d</td>\n</tr>\n</table>\n';
    check('a|b\n-|-\nc|d\n', table);
    check('- a|b\n  -|-\n  c|d\n', `<ul>\n<li>\n${table}</li>\n</ul>\n`);
    check('text\na|b\n-|-\nc|d\n', `<p>text</p>\n${table}`);
  });
});
