import { type NotionApi, orMissing } from './api.ts';
import { blockText } from './block-text.ts';
import { type Block, bodyOf, cellsOf, isGone } from './objects.ts';
import { markdownOf } from './rich-text.ts';

type Children = Awaited<ReturnType<NotionApi['children']>>;

/** Maximum number of requests per page. Notion allows three requests per second. A larger page is cut off. */
const MOST_REQUESTS = 2_000;
const DEEPEST = 30;
const CUT = '*There is more on this page than was read of it.*';

/**
 * Streams the blocks of a page as Markdown. The contents of layout blocks, such as columns, synced blocks and
 * toggles, become part of the running text. Lists and quotes keep their children nested.
 * The children of each block are read once, so copies of a synced block appear once and cycles end. `most`
 * limits the number of requests.
 */
export async function* markdownOfPage(
  api: NotionApi,
  pageId: string,
  most = MOST_REQUESTS,
): AsyncGenerator<string> {
  const opened = new Set<string>();
  const separate = separator();
  let left = most;

  async function* childrenOf(id: string): AsyncGenerator<Block> {
    if (opened.has(id)) return;
    opened.add(id);
    let cursor: string | null = null;
    do {
      left -= 1;
      if (left < 0) return;
      const found: Children | undefined = await childrenPage(id, cursor);
      yield* (found?.results ?? []).filter((block) => !isGone(block));
      cursor = found?.next ?? null;
    } while (cursor !== null);
  }

  /**
   * Reads the children of a block. An inaccessible block, such as the original of a synced block, is skipped.
   * The page itself must be readable.
   */
  const childrenPage = (id: string, cursor: string | null): Promise<Children | undefined> => {
    const asked = api.children(id, cursor);
    return id === pageId || cursor !== null ? asked : orMissing(asked);
  };

  async function* inside(id: string, prefix: string, depth: number): AsyncGenerator<string> {
    let number = 0;
    for await (const block of childrenOf(id)) {
      number = block.type === 'numbered_list_item' ? number + 1 : 0;
      const { text, inner, isItem } = blockText(block, pageId, number);
      if (text !== '') yield separate(prefix, prefix + inner, isItem) + prefixed(text, prefix);
      if (block.has_children !== true || depth >= DEEPEST || isPageOfItsOwn(block)) continue;
      if (block.type === 'table') yield* table(block, prefix);
      else yield* inside(originalOf(block), prefix + inner, depth + 1);
    }
  }

  async function* table(block: Block, prefix: string): AsyncGenerator<string> {
    const hasHead = bodyOf(block).has_column_header === true;
    let width: number | undefined;
    for await (const { table_row } of childrenOf(block.id)) {
      const cells = cellsOf(table_row).map(cellText);
      const line = (shown: string[]) => prefixed(lineOfTable(shown, width!), prefix);
      if (width !== undefined) {
        yield `\n${line(cells)}`;
        continue;
      }
      width = cells.length;
      const head = hasHead ? [cells] : [[], cells];
      const lines = [head[0]!, Array<string>(width).fill('---'), ...head.slice(1)].map(line);
      yield separate(prefix, prefix, false) + lines.join('\n');
    }
  }

  yield* inside(pageId, '', 0);
  if (left < 0) yield separate('', '', false) + CUT;
}

const isPageOfItsOwn = ({ type }: Block): boolean => type === 'child_page' || type === 'child_database';

/** Returns the id of the block whose children are read. For a synced copy, this is the original block. */
function originalOf(block: Block): string {
  const { synced_from: original } = bodyOf(block) as { synced_from?: { block_id?: unknown } | null };
  return block.type === 'synced_block' && typeof original?.block_id === 'string'
    ? original.block_id
    : block.id;
}

const cellText = (cell: Parameters<typeof markdownOf>[0]): string =>
  markdownOf(cell).replaceAll('|', '\\|').replaceAll(/\s+/g, ' ');

const lineOfTable = (cells: string[], width: number): string =>
  `| ${Array.from({ length: width }, (_, at) => cells[at] ?? '').join(' | ')} |`;

const prefixed = (text: string, prefix: string): string =>
  prefix === '' ? text : text.replaceAll(/^/gm, prefix);

/**
 * Creates a function that returns the separator before a block: nothing before the first block, a newline
 * between list items, otherwise a blank line. If both blocks are in the same quote, the blank line keeps the
 * quote prefix. `inner` is the prefix of the block's children.
 */
function separator(): (prefix: string, inner: string, isItem: boolean) => string {
  let before: { inner: string; isItem: boolean } | undefined;
  return (prefix, inner, isItem) => {
    const last = before;
    before = { inner, isItem };
    if (!last) return '';
    if (last.isItem && isItem) return '\n';
    const shared = last.inner.length < prefix.length ? last.inner : prefix;
    return `\n${shared.trimEnd()}\n`;
  };
}
