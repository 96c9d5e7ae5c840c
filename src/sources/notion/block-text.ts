import { codeFence } from '#src/lib/text/backticks.ts';
import { type Block, type BlockBody, bodyOf } from './objects.ts';
import { addressOf, lineOf, uploadIn } from './pages.ts';
import { linked, markdownOf, plainOf } from './rich-text.ts';

/** A rendered block without its children. */
export interface BlockText {
  /** Text of the block. Empty if the block has no text of its own. */
  text: string;
  /** Prefix for each line of the block's children. */
  inner: string;
  /** Whether the block is a list item. Consecutive list items have no blank line between them. */
  isItem: boolean;
}

interface Given {
  block: Block;
  body: BlockBody;
  words: string;
  pageId: string;
  /** Position of the item in a numbered list, starting at 1. */
  number: number;
}

const plain = (text: string): BlockText => ({ text, inner: '', isItem: false });
const item = (marker: string, words: string): BlockText => {
  const inner = ' '.repeat(marker.length);
  return { text: marker + words.replaceAll('\n', `\n${inner}`), inner, isItem: true };
};
const quoted = (words: string): BlockText => ({
  ...plain(words === '' ? '' : `> ${words.replaceAll('\n', '\n> ')}`),
  inner: '> ',
});
const heading = (level: number) => (given: Given) =>
  plain(given.words && `${'#'.repeat(level)} ${lineOf(given.words)}`);

/** Renderers by block type. Headings start at level 2, below the page's title. */
const TEXTS: Record<string, (given: Given) => BlockText> = {
  heading_1: heading(2),
  heading_2: heading(3),
  heading_3: heading(4),
  heading_4: heading(5),
  bulleted_list_item: ({ words }) => item('- ', words),
  numbered_list_item: ({ words, number }) => item(`${number}. `, words),
  to_do: ({ words, body }) => ({ ...item(`- [${body.checked === true ? 'x' : ' '}] `, words), inner: '  ' }),
  quote: ({ words }) => quoted(words),
  callout: ({ words, body }) => quoted([emojiOf(body.icon), words].filter((part) => part !== '').join(' ')),
  code: ({ body }) => plain(codeText(body)),
  equation: ({ body }) => plain(typeof body.expression === 'string' ? `$$\n${body.expression}\n$$` : ''),
  divider: () => plain('---'),
  child_page: ({ block, body }) => plain(linked(lineOf(body.title ?? '') || 'Untitled', addressOf(block.id))),
  child_database: ({ block, body }) =>
    plain(linked(lineOf(body.title ?? '') || 'Untitled', addressOf(block.id))),
  link_to_page: ({ body }) => {
    const id = body.page_id ?? body.database_id;
    return plain(typeof id === 'string' ? linked('Linked page', addressOf(id)) : '');
  },
};

export function blockText(block: Block, pageId: string, number: number): BlockText {
  const body = bodyOf(block);
  const given = { block, body, words: markdownOf(body.rich_text), pageId, number };
  const known = Object.hasOwn(TEXTS, block.type) ? TEXTS[block.type] : undefined;
  return known ? known(given) : plain(otherText(given));
}

/** Renders files, links and unknown block types as their text, caption or URL. */
function otherText({ block, body, words, pageId }: Given): string {
  if (words !== '') return words;
  const caption = lineOf(plainOf(body.caption)) || lineOf(body.title ?? '') || lineOf(body.name ?? '');
  const upload = uploadIn(block);
  // Notion's file URLs expire after an hour, so link to the block instead.
  const address = upload ? addressOf(pageId, block.id) : (body.external?.url ?? body.url);
  const label = caption || upload?.name || address || '';
  const mark = block.type === 'image' && body.external && caption ? '!' : '';
  return address ? `${mark}${linked(label, address)}` : label;
}

function codeText({ rich_text, caption, language }: BlockBody): string {
  const code = plainOf(rich_text);
  const fence = codeFence(code);
  const name = typeof language === 'string' && /^[\w+#.-]{1,30}$/.test(language) ? language : '';
  const below = markdownOf(caption);
  return `${fence}${name}\n${code}\n${fence}${below && `\n\n${below}`}`;
}

function emojiOf(icon: unknown): string {
  const { emoji } = (icon ?? {}) as { emoji?: unknown };
  return typeof emoji === 'string' ? emoji : '';
}
