import type { Block } from '#src/documents/document.ts';
import type { StoredPage } from '#src/documents/page-store.ts';
import type { TablesPlan } from '#src/parse/plan.ts';

const DIVIDED = /\p{L}{2}[-\u00ad\u2010]$/u;
/** Number of letters at the end of a page that show a divided word. */
const REACH = 20;
const REST_OF_WORD = /^\p{Ll}[\p{L}\p{M}]*[^\s\p{L}]*/u;
const ROW = /^\s*\|.*\|\s*$/;

const isBody = ({ type }: Block) => type !== 'header' && type !== 'footer' && type !== 'figure';

export interface JoinedPage extends StoredPage {
  /** Whether the page's last table continues with rows of the next page. */
  tableGoesOn?: boolean;
}

/**
 * Joins what a page break divides, on the page where it begins: divided words, and tables if
 * `merge_tables_across_pages_in_markdown` is set. Running headers and footers may stand between.
 */
export function joinOverPages(pages: readonly StoredPage[], plan: TablesPlan): JoinedPage[] {
  const joined: JoinedPage[] = [...pages];
  // Works from the end, so that a table over three pages is joined on the first.
  for (let at = joined.length - 2; at >= 0; at--) {
    const [page, next] = [joined[at]!, joined[at + 1]!];
    const last = page.blocks.findLastIndex(isBody);
    const first = next.blocks.findIndex(isBody);
    const [ending, starting] = [page.blocks[last], next.blocks[first]];
    if (!ending || !starting) continue;
    const parts = plan.mergeOverPages
      ? (joinWord(ending, starting) ?? joinTable(ending, starting))
      : joinWord(ending, starting);
    if (!parts) continue;
    joined[at] = {
      ...withBlock(page, last, parts[0]),
      ...(ending.type === 'table' && { tableGoesOn: true }),
    };
    joined[at + 1] = withBlock(next, first, parts[1]);
  }
  return joined;
}

function joinWord(ending: Block, starting: Block): [Block, Block] | undefined {
  if (ending.type !== 'paragraph' || starting.type !== 'paragraph') return undefined;
  if (!DIVIDED.test(ending.markdown.slice(-REACH)) || !DIVIDED.test(ending.text.slice(-REACH)))
    return undefined;
  const rest = REST_OF_WORD.exec(starting.markdown)?.[0];
  if (rest === undefined || !starting.text.startsWith(rest)) return undefined;
  const without = (text: string) => text.slice(rest.length).trimStart();
  return [
    { ...ending, text: ending.text.slice(0, -1) + rest, markdown: ending.markdown.slice(0, -1) + rest },
    { ...starting, text: without(starting.text), markdown: without(starting.markdown) },
  ];
}

function joinTable(ending: Block, starting: Block): [Block, Block] | undefined {
  if (ending.type !== 'table' || starting.type !== 'table') return undefined;
  const [rows, more] = [ending.markdown.split('\n'), starting.markdown.split('\n')];
  if (!rows.every((row) => ROW.test(row)) || !more.every((row) => ROW.test(row))) return undefined;
  if (columns(rows[0]!) !== columns(more[0]!)) return undefined;
  // The second row is the delimiter row. A repeated header row is dropped.
  const repeats = squeeze(rows[0]!) === squeeze(more[0]!);
  const added = [...(repeats ? [] : [more[0]!]), ...more.slice(2)];
  const texts = starting.text.split('\n').slice(repeats ? 1 : 0);
  return [
    {
      ...ending,
      text: [ending.text, ...texts].join('\n'),
      markdown: [...rows, ...added].join('\n'),
    },
    { ...starting, text: '', markdown: '' },
  ];
}

const squeeze = (row: string) => row.replace(/\s+/g, ' ').trim();
const columns = (row: string) => row.split(/(?<!\\)\|/).length;

/** Returns the page with one block replaced in its Markdown and text. An empty block is removed. */
function withBlock(page: StoredPage, at: number, block: Block): StoredPage {
  const old = page.blocks[at]!;
  // Blocks follow each other in the page, so the position is found by searching past the preceding blocks.
  const replace = (whole: string, part: 'text' | 'markdown') => {
    let from = 0;
    for (const before of page.blocks.slice(0, at)) {
      const found = whole.indexOf(before[part], from);
      if (found >= 0) from = found + before[part].length;
    }
    const start = whole.indexOf(old[part], from);
    if (start < 0) return whole;
    const rest = whole.slice(start + old[part].length);
    return whole.slice(0, start) + block[part] + (block[part] === '' ? rest.trimStart() : rest);
  };
  return {
    ...page,
    text: replace(page.text, 'text'),
    markdown: replace(page.markdown, 'markdown'),
    blocks: page.blocks.with(at, block).filter((each) => each.markdown !== ''),
  };
}
