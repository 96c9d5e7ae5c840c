import { codeFence } from '#src/lib/text/backticks.ts';
import { type Block, type BlockBody, bodyOf } from './objects.ts';
import { addressOf, lineOf, uploadIn } from './pages.ts';
import { linked, markdownOf, plainOf } from './rich-text.ts';

/** A block without what is below it. */
export interface BlockText {
  /** Empty: it says nothing itself. */
  text: string;
  /** What the lines of what is below it begin with. */
  inner: string;
  /** It follows another such without a blank line. */
  isItem: boolean;
}

interface Given {
  block: Block;
  body: BlockBody;
  /** The block's rich text as Markdown. */
  words: string;
  pageId: string;
  /** Of an item in a numbered list, from 1. */
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

/** Below the page's title. */
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

/** Of files, links and types that nobody has told of yet: what they have of text, captions and addresses. */
function otherText({ block, body, words, pageId }: Given): string {
  if (words !== '') return words;
  const caption = lineOf(plainOf(body.caption)) || lineOf(body.title ?? '') || lineOf(body.name ?? '');
  const upload = uploadIn(block);
  // The address of an upload ends after an hour; that of its place does not.
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
