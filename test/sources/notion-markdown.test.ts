import { describe, expect, it } from 'vitest';
import { SourceError } from '#src/ports/source.ts';
import type { NotionApi } from '#src/sources/notion/api.ts';
import { streamPageMarkdown } from '#src/sources/notion/markdown.ts';
import { block as blockSchema } from '#src/sources/notion/objects.ts';

type Block = Record<string, unknown> & { id: string };
type Children = Record<string, Block[]>;

const PAGE = 'page';
const rich = (plain_text: string, more: object = {}) => ({ type: 'text', plain_text, href: null, ...more });
let count = 0;
const block = (type: string, body: object, more: object = {}): Block => ({
  ...{ id: `b${++count}`, type, has_children: false, [type]: body },
  ...more,
});
const say = (type: string, text: string, more: object = {}) =>
  block(type, { rich_text: [rich(text)], ...more });
const holding = (found: Block, ...inside: Block[]) =>
  [{ ...found, has_children: true }, { [found.id]: inside }] as const;

/** Returns an API with two blocks per page. Missing blocks are rejected. */
function createApi(children: Children) {
  const asked: string[] = [];
  const api = {
    async children(id: string, cursor: string | null) {
      asked.push(id);
      if (!children[id]) throw new SourceError('not found', { retryable: false, status: 404 });
      const start = Number(cursor ?? 0);
      const results = children[id].slice(start, start + 2).map((each) => blockSchema.parse(each));
      return { results, next: start + 2 < children[id].length ? String(start + 2) : null };
    },
  } as unknown as NotionApi;
  return { api, asked };
}
const markdown = async (blocks: Block[], children: Children = {}, most?: number) =>
  (
    await Array.fromAsync(streamPageMarkdown(createApi({ ...children, [PAGE]: blocks }).api, PAGE, most))
  ).join('');

describe('Notion blocks as Markdown', () => {
  it('convert headings, paragraphs and nested lists', async () => {
    const [first, inFirst] = holding(say('numbered_list_item', 'one\nmore'), say('paragraph', 'below one'));
    const [done, inDone] = holding(say('to_do', 'done', { checked: true }), say('bulleted_list_item', 'sub'));
    const text = await markdown(
      [
        say('heading_1', 'Top'),
        say('paragraph', ''),
        first,
        say('numbered_list_item', 'two'),
        say('paragraph', 'between'),
        say('numbered_list_item', 'again'),
        done,
        say('to_do', 'open'),
        say('heading_3', 'Deeper'),
      ],
      { ...inFirst, ...inDone },
    );
    expect(text).toBe(
      [
        '## Top\n',
        '1. one\n   more\n\n   below one\n\n2. two\n',
        'between\n',
        '1. again\n- [x] done\n  - sub\n- [ ] open\n',
        '#### Deeper',
      ].join('\n'),
    );
  });

  it('convert containers to their content', async () => {
    const [toggle, inToggle] = holding(say('toggle', 'More'), say('paragraph', 'hidden'));
    const [right, inRight] = holding(block('column', {}), say('paragraph', 'right'));
    const [columns, inColumns] = holding(block('column_list', {}), right);
    const [quote, inQuote] = holding(say('quote', 'He said\nthis'), say('bulleted_list_item', 'and that'));
    const callout = say('callout', 'Mind', { icon: { type: 'emoji', emoji: '💡' } });
    const text = await markdown([toggle, columns, quote, callout], {
      ...{ ...inToggle, ...inRight, ...inColumns, ...inQuote },
    });
    expect(text).toBe('More\n\nhidden\n\nright\n\n> He said\n> this\n>\n> - and that\n\n> 💡 Mind');
  });

  it('convert tables, code, equations and links', async () => {
    const cells = (...texts: string[]) => block('table_row', { cells: texts.map((each) => [rich(each)]) });
    const [table, inTable] = holding(
      block('table', { has_column_header: true }),
      ...[cells('a', 'b|c'), cells('1\n2', '3'), cells('only')],
    );
    const [bare, inBare] = holding(block('table', { has_column_header: false }), cells('x'));
    const blocks = [
      table,
      bare,
      say('code', 'a\n```\nb', { language: 'plain text' }),
      say('code', '# x', { language: 'python' }),
      block('equation', { expression: 'e=mc^2' }),
      block('bookmark', { url: 'https://a.test/x', caption: [rich('A page')] }),
      block('image', { external: { url: 'https://a.test/i.png' }, caption: [rich('A cat')] }),
      block('file', { file: { url: 'https://s3.test/secret?sig=1' }, name: 'plan.pdf', caption: [] }),
      block('divider', {}),
      block('child_page', { title: 'Sub [1]' }, { id: 'a-b', has_children: true }),
    ];
    expect(await markdown(blocks, { ...inTable, ...inBare })).toBe(
      [
        '| a | b\\|c |\n| --- | --- |\n| 1 2 | 3 |\n| only |  |',
        '|  |\n| --- |\n| x |',
        '````\na\n```\nb\n````',
        '```python\n# x\n```',
        '$$\ne=mc^2\n$$',
        '[A page](https://a.test/x)',
        '![A cat](https://a.test/i.png)',
        `[plan.pdf](https://www.notion.so/page#${blocks[7]!.id})`,
        '---',
        '[Sub \\[1\\]](https://www.notion.so/ab)',
      ].join('\n\n'),
    );
  });

  it('keep text formatting and escape Markdown', async () => {
    const pieces = [
      rich('so '),
      rich(' bold ', { annotations: { bold: true, italic: true } }),
      rich('a`b', { annotations: { code: true } }),
      rich(' '),
      rich('link', { href: 'https://a.test/(x)' }),
      rich(' '),
      rich('bad', { href: 'javascript:alert(1)' }),
      rich(' '),
      rich('@Ann', { type: 'mention' }),
      rich(' '),
      { type: 'equation', plain_text: 'x', equation: { expression: 'x^2' } },
      rich('\n# no heading\n```\nno fence'),
    ];
    expect(await markdown([block('paragraph', { rich_text: pieces })])).toBe(
      'so  ***bold*** ``a`b`` [link](https://a.test/%28x%29) bad @Ann $x^2$\n\\# no heading\n\\```\nno fence',
    );
  });

  it('show a synced block once and stop at cycles', async () => {
    const [original, inOriginal] = holding(
      block('synced_block', { synced_from: null }),
      say('paragraph', 'same'),
    );
    const copy = block('synced_block', { synced_from: { block_id: original.id } }, { has_children: true });
    const lost = block('synced_block', { synced_from: { block_id: 'unshared' } }, { has_children: true });
    const again = block('toggle', {}, { id: PAGE, has_children: true });
    expect(await markdown([original, copy, lost, again, say('paragraph', 'end')], inOriginal)).toBe(
      'same\n\nend',
    );
  });

  it('show the text of unknown blocks and skip invalid blocks', async () => {
    const [news, inNews] = holding(say('news', 'fresh'), say('paragraph', 'inside'));
    const odd = block('odd', { rich_text: 7, caption: { a: 1 }, url: 5, title: 'T' });
    const none = { id: 'n', type: 'none', none: 'text' };
    const own = { id: 'o', type: '__proto__' };
    const trashed = { ...say('paragraph', 'gone'), in_trash: true };
    expect(await markdown([news, odd, none, own, trashed], inNews)).toBe('fresh\n\ninside\n\nT');
  });

  it('are cut off after a number of requests and at a depth', async () => {
    const long = Array.from({ length: 100 }, (_, at) => say('paragraph', `p${at}`));
    const text = await markdown(long, {}, 3);
    expect(text).toContain('p5');
    expect(text).not.toContain('p6');
    expect(text).toMatch(/more on this page/);
    const deep: Children = {};
    for (let at = 0; at < 1000; at += 1)
      deep[`d${at}`] = [say('toggle', `t${at}`)].map((each) => ({
        ...each,
        id: `d${at + 1}`,
        has_children: true,
      }));
    const { api, asked } = createApi({ ...deep, [PAGE]: deep.d0! });
    await Array.fromAsync(streamPageMarkdown(api, PAGE));
    expect(asked.length).toBeLessThan(50);
  });

  it('throw an error if the page itself is deleted during reading', async () => {
    const { api } = createApi({});
    await expect(Array.fromAsync(streamPageMarkdown(api, PAGE))).rejects.toThrow('not found');
  });
});
