import { codeFence } from '#src/lib/text/backticks.ts';
import { type Block, type BlockBody, parseBody } from './objects.ts';
import { buildWebUrl, findUpload, toSingleLine } from './pages.ts';
import { renderLink, toMarkdown, toPlainText } from './rich-text.ts';

export interface BlockText {
  /** Text of the block. Empty if the block has no text of its own. */
  text: string;
  /** Markdown prefix of each line of the block's children. */
  inner: string;
  /** True if the block is a list item. Consecutive list items have no blank line between them. */
  isItem: boolean;
}

interface BlockContext {
  block: Block;
  body: BlockBody;
  words: string;
  pageId: string;
  /** Position of the item in a numbered list, starting at 1. */
  number: number;
}

const toPlainBlock = (text: string): BlockText => ({ text, inner: '', isItem: false });
const toListItem = (marker: string, words: string): BlockText => {
  const inner = ' '.repeat(marker.length);
  return { text: marker + words.replaceAll('\n', `\n${inner}`), inner, isItem: true };
};
const toQuote = (words: string): BlockText => ({
  ...toPlainBlock(words === '' ? '' : `> ${words.replaceAll('\n', '\n> ')}`),
  inner: '> ',
});
const createHeadingRenderer = (level: number) => (given: BlockContext) =>
  toPlainBlock(given.words && `${'#'.repeat(level)} ${toSingleLine(given.words)}`);

/**
 * Functions that render a Notion block as Markdown, by block type. Headings start at level 2, below the title
 * of the page.
 */
const RENDERERS: Record<string, (given: BlockContext) => BlockText> = {
  heading_1: createHeadingRenderer(2),
  heading_2: createHeadingRenderer(3),
  heading_3: createHeadingRenderer(4),
  heading_4: createHeadingRenderer(5),
  bulleted_list_item: ({ words }) => toListItem('- ', words),
  numbered_list_item: ({ words, number }) => toListItem(`${number}. `, words),
  to_do: ({ words, body }) => ({
    ...toListItem(`- [${body.checked === true ? 'x' : ' '}] `, words),
    inner: '  ',
  }),
  quote: ({ words }) => toQuote(words),
  callout: ({ words, body }) => toQuote([getEmoji(body.icon), words].filter((part) => part !== '').join(' ')),
  code: ({ body }) => toPlainBlock(renderCode(body)),
  equation: ({ body }) =>
    toPlainBlock(typeof body.expression === 'string' ? `$$\n${body.expression}\n$$` : ''),
  divider: () => toPlainBlock('---'),
  child_page: ({ block, body }) =>
    toPlainBlock(renderLink(toSingleLine(body.title ?? '') || 'Untitled', buildWebUrl(block.id))),
  child_database: ({ block, body }) =>
    toPlainBlock(renderLink(toSingleLine(body.title ?? '') || 'Untitled', buildWebUrl(block.id))),
  link_to_page: ({ body }) => {
    const id = body.page_id ?? body.database_id;
    return toPlainBlock(typeof id === 'string' ? renderLink('Linked page', buildWebUrl(id)) : '');
  },
};

export function renderBlock(block: Block, pageId: string, number: number): BlockText {
  const body = parseBody(block);
  const given = { block, body, words: toMarkdown(body.rich_text), pageId, number };
  const known = Object.hasOwn(RENDERERS, block.type) ? RENDERERS[block.type] : undefined;
  return known ? known(given) : toPlainBlock(renderOther(given));
}

/** Renders files, links and blocks of unknown types. The result is their text, caption or URL. */
function renderOther({ block, body, words, pageId }: BlockContext): string {
  if (words !== '') return words;
  const caption =
    toSingleLine(toPlainText(body.caption)) ||
    toSingleLine(body.title ?? '') ||
    toSingleLine(body.name ?? '');
  const upload = findUpload(block);
  // URLs of files that Notion hosts expire after an hour, so the Markdown links to the block instead.
  const address = upload ? buildWebUrl(pageId, block.id) : (body.external?.url ?? body.url);
  const label = caption || upload?.name || address || '';
  const mark = block.type === 'image' && body.external && caption ? '!' : '';
  return address ? `${mark}${renderLink(label, address)}` : label;
}

function renderCode({ rich_text, caption, language }: BlockBody): string {
  const code = toPlainText(rich_text);
  const fence = codeFence(code);
  const name = typeof language === 'string' && /^[\w+#.-]{1,30}$/.test(language) ? language : '';
  const below = toMarkdown(caption);
  return `${fence}${name}\n${code}\n${fence}${below && `\n\n${below}`}`;
}

function getEmoji(icon: unknown): string {
  const { emoji } = (icon ?? {}) as { emoji?: unknown };
  return typeof emoji === 'string' ? emoji : '';
}
