import type { Block } from '#src/documents/document.ts';
import type { StoredPage } from '#src/documents/page-store.ts';
import type { TablesPlan } from '#src/parse/plan.ts';

const DIVIDED = /\p{L}{2}[-\u00ad\u2010]$/u;
/** Number of characters at the end of a page that are checked for a divided word. */
const MAX_WORD_CHARACTERS = 20;
const REST_OF_WORD = /^\p{Ll}[\p{L}\p{M}]*[^\s\p{L}]*/u;
const ROW = /^\s*\|.*\|\s*$/;

/** Matches a footnote, which stands behind the text of its page. */
const FOOTNOTE = /^\[\^[^\]\s]{1,40}\]: /;

const isBody = ({ type, markdown }: Block) =>
  type !== 'header' && type !== 'footer' && type !== 'figure' && !FOOTNOTE.test(markdown);

export interface JoinedPage extends StoredPage {
  isTableContinued?: boolean;
}

/**
 * Joins content that a page break divides, on the page where it begins. This applies to divided words, and to
 * tables if `merge_tables_across_pages_in_markdown` is set. Running headers and footers may stand between the
 * two parts.
 */
export function joinOverPages(pages: readonly StoredPage[], plan: TablesPlan): JoinedPage[] {
  const joined: JoinedPage[] = [...pages];
  // Pages are joined from the last to the first, so that a table over three pages ends up on the first of
  // them.
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
      ...replaceBlock(page, last, parts[0]),
      ...(ending.type === 'table' && { isTableContinued: true }),
    };
    joined[at + 1] = replaceBlock(next, first, parts[1]);
  }
  return joined;
}

function joinWord(ending: Block, starting: Block): [Block, Block] | undefined {
  if (ending.type !== 'paragraph' || starting.type !== 'paragraph') return undefined;
  if (
    !DIVIDED.test(ending.markdown.slice(-MAX_WORD_CHARACTERS)) ||
    !DIVIDED.test(ending.text.slice(-MAX_WORD_CHARACTERS))
  )
    return undefined;
  const rest = REST_OF_WORD.exec(starting.markdown)?.[0];
  if (rest === undefined || !starting.text.startsWith(rest)) return undefined;
  const dropRest = (text: string) => text.slice(rest.length).trimStart();
  return [
    { ...ending, text: ending.text.slice(0, -1) + rest, markdown: ending.markdown.slice(0, -1) + rest },
    { ...starting, text: dropRest(starting.text), markdown: dropRest(starting.markdown) },
  ];
}

function joinTable(ending: Block, starting: Block): [Block, Block] | undefined {
  if (ending.type !== 'table' || starting.type !== 'table') return undefined;
  const [rows, more] = [ending.markdown.split('\n'), starting.markdown.split('\n')];
  if (!rows.every((row) => ROW.test(row)) || !more.every((row) => ROW.test(row))) return undefined;
  if (countColumns(rows[0]!) !== countColumns(more[0]!)) return undefined;
  // The second row of a Markdown table is the delimiter row. On the second page, the delimiter row and a
  // repeated header row are dropped.
  const repeats = collapseSpaces(rows[0]!) === collapseSpaces(more[0]!);
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

const collapseSpaces = (row: string) => row.replace(/\s+/g, ' ').trim();
const countColumns = (row: string) => row.split(/(?<!\\)\|/).length;

/** Returns the page with one block replaced in its Markdown and text. An empty block is removed. */
function replaceBlock(page: StoredPage, at: number, block: Block): StoredPage {
  const old = page.blocks[at]!;
  // The blocks of a page are in order, so the search for a block starts after the preceding blocks.
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
