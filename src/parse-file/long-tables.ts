import type { Block, Page } from '#src/documents/document.ts';
import { delimiterColumns } from '#src/documents/markdown/table-rows.ts';
import { findInOrder } from '#src/lib/text/find-in-order.ts';
import type { TablesPlan } from '#src/parse/plan.ts';

/** Rows below the header that a table may have before it is long, and that each of its parts has at most. */
export const LONG_TABLE_ROWS = 40;

/**
 * With `adaptive_long_table`: the page with each table of more than 40 rows as several tables, each under the header,
 * so that no row stands far from what its columns mean. The parts have the whole table's box.
 */
export function splitLongTables(page: Page, plan: TablesPlan): Page {
  if (!plan.splitLong) return page;
  const [text, markdown] = [new Rewriter(page, 'text'), new Rewriter(page, 'markdown')];
  const blocks = page.blocks.flatMap((block, index) => {
    if (!text.has(index) || !markdown.has(index)) return [block];
    const parts = splitTable(block);
    if (parts.length > 1) {
      text.replace(index, parts);
      markdown.replace(index, parts);
    }
    return parts;
  });
  return { ...page, text: text.finish(), markdown: markdown.finish(), blocks };
}

/** Replaces blocks of a page in its text or its Markdown, from the first to the last. */
class Rewriter {
  readonly #page: Page;
  readonly #form: 'text' | 'markdown';
  readonly #places: number[];
  readonly #written: string[] = [];
  #from = 0;

  constructor(page: Page, form: 'text' | 'markdown') {
    this.#page = page;
    this.#form = form;
    this.#places = findInOrder(
      page[form],
      page.blocks.map((block) => block[form]),
    );
  }

  /** Whether a block, by its index, is found in the page. */
  has(index: number): boolean {
    return this.#places[index]! >= 0;
  }

  replace(index: number, parts: readonly Block[]): void {
    const at = this.#places[index]!;
    this.#written.push(this.#page[this.#form].slice(this.#from, at));
    this.#written.push(parts.map((part) => part[this.#form]).join('\n\n'));
    this.#from = at + this.#page.blocks[index]![this.#form].length;
  }

  finish(): string {
    return this.#written.join('') + this.#page[this.#form].slice(this.#from);
  }
}

function splitTable(block: Block): Block[] {
  if (block.type !== 'table') return [block];
  const texts = block.text.split('\n');
  const table = tableLines(block.markdown);
  // Each line of the Markdown is a row, and so is each of the text.
  if (!table || table.rows.length <= LONG_TABLE_ROWS || texts.length !== table.rows.length + 1)
    return [block];
  const { before, rows, after } = table;
  // Parts of one length: none is left with a row or two.
  const count = Math.ceil(rows.length / LONG_TABLE_ROWS);
  const size = Math.ceil(rows.length / count);
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, at) => {
    const some = rows.slice(at * size, (at + 1) * size);
    return {
      ...block,
      markdown: [...before, ...some, ...after].join('\n'),
      text: [texts[0], ...texts.slice(1 + at * size, 1 + (at + 1) * size)].join('\n'),
      ...(block.lines && { lines: at === 0 ? block.lines : [] }),
    };
  });
}

/** The lines of a rendered table: those of its rows, and those that belong to each part of it. */
function tableLines(markdown: string): { before: string[]; rows: string[]; after: string[] } | undefined {
  const lines = markdown.split('\n');
  if (delimiterColumns(lines[1] ?? '') > 0) {
    return { before: lines.slice(0, 2), rows: lines.slice(2), after: [] };
  }
  const [first, last] = [lines.indexOf('<tbody>') + 1, lines.lastIndexOf('</tbody>')];
  if (lines[0] !== '<table>' || first === 0 || last < first) return undefined;
  return { before: lines.slice(0, first), rows: lines.slice(first, last), after: lines.slice(last) };
}
