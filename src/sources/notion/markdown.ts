import { ignoreMissing, type NotionApi } from './api.ts';
import { renderBlock } from './block-text.ts';
import { type Block, isGone, parseBody, parseCells } from './objects.ts';
import { toMarkdown } from './rich-text.ts';

type Children = Awaited<ReturnType<NotionApi['children']>>;

/**
 * Maximum number of requests for one Notion page. Notion allows three requests per second. A page that needs
 * more requests is cut off.
 */
const MAX_REQUESTS = 2_000;
const DEEPEST = 30;
const TRUNCATION_NOTE = '*There is more on this page than was read of it.*';

/**
 * Streams the blocks of a page as Markdown. The contents of layout blocks, such as columns, synced blocks and
 * toggles, become part of the running text. Lists and quotes keep their children nested.
 * The children of each block are read once, so copies of a synced block appear once and cycles end. `most`
 * limits the number of requests.
 */
export async function* streamPageMarkdown(
  api: NotionApi,
  pageId: string,
  most = MAX_REQUESTS,
): AsyncGenerator<string> {
  const opened = new Set<string>();
  const separate = createSeparator();
  let left = most;

  async function* listChildren(id: string): AsyncGenerator<Block> {
    if (opened.has(id)) return;
    opened.add(id);
    let cursor: string | null = null;
    do {
      left -= 1;
      if (left < 0) return;
      const found: Children | undefined = await fetchChildren(id, cursor);
      yield* (found?.results ?? []).filter((block) => !isGone(block));
      cursor = found?.next ?? null;
    } while (cursor !== null);
  }

  /**
   * Reads the children of a Notion block. Returns `undefined` if the integration cannot access them, but
   * rejects if the block is the page itself.
   */
  const fetchChildren = (id: string, cursor: string | null): Promise<Children | undefined> => {
    const request = api.children(id, cursor);
    return id === pageId || cursor !== null ? request : ignoreMissing(request);
  };

  async function* renderChildren(id: string, prefix: string, depth: number): AsyncGenerator<string> {
    let number = 0;
    for await (const block of listChildren(id)) {
      number = block.type === 'numbered_list_item' ? number + 1 : 0;
      const { text, inner, isItem } = renderBlock(block, pageId, number);
      if (text !== '') yield separate(prefix, prefix + inner, isItem) + prefixLines(text, prefix);
      if (block.has_children !== true || depth >= DEEPEST || isChildPage(block)) continue;
      if (block.type === 'table') yield* renderTable(block, prefix);
      else yield* renderChildren(getChildSourceId(block), prefix + inner, depth + 1);
    }
  }

  async function* renderTable(block: Block, prefix: string): AsyncGenerator<string> {
    const hasHead = parseBody(block).has_column_header === true;
    let width: number | undefined;
    for await (const { table_row } of listChildren(block.id)) {
      const cells = parseCells(table_row).map(toCellText);
      const line = (shown: string[]) => prefixLines(renderTableLine(shown, width!), prefix);
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

  yield* renderChildren(pageId, '', 0);
  if (left < 0) yield separate('', '', false) + TRUNCATION_NOTE;
}

const isChildPage = ({ type }: Block): boolean => type === 'child_page' || type === 'child_database';

/**
 * Returns the id of the Notion block whose children are read. For a synced copy, the original block is read.
 */
function getChildSourceId(block: Block): string {
  const { synced_from: original } = parseBody(block) as { synced_from?: { block_id?: unknown } | null };
  return block.type === 'synced_block' && typeof original?.block_id === 'string'
    ? original.block_id
    : block.id;
}

const toCellText = (cell: Parameters<typeof toMarkdown>[0]): string =>
  toMarkdown(cell).replaceAll('|', '\\|').replaceAll(/\s+/g, ' ');

const renderTableLine = (cells: string[], width: number): string =>
  `| ${Array.from({ length: width }, (_, at) => cells[at] ?? '').join(' | ')} |`;

const prefixLines = (text: string, prefix: string): string =>
  prefix === '' ? text : text.replaceAll(/^/gm, prefix);

/**
 * Creates a function that returns the separator before a block. The separator is empty before the first
 * block, a newline between list items, and otherwise a blank line. If both blocks are in the same quote, the
 * blank line keeps the quote prefix. `inner` is the prefix of the block's children.
 */
function createSeparator(): (prefix: string, inner: string, isItem: boolean) => string {
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
