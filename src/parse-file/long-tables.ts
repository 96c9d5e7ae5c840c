import type { Block, Page } from '#src/documents/document.ts';
import { countDelimiterColumns } from '#src/documents/markdown/table-rows.ts';
import { findInOrder } from '#src/lib/text/find-in-order.ts';
import type { TablesPlan } from '#src/parse/plan.ts';

/** Maximum number of rows below the header of a table. Longer tables are split. */
export const LONG_TABLE_ROWS = 40;

/**
 * Splits tables with more than 40 rows into several tables with the same header, if `adaptive_long_table` is
 * set. The header then stays close to every row. Each part has the bounding box of the whole table.
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

/** Replaces blocks in the text or Markdown of a page. Blocks must be replaced in order. */
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

  /** Returns whether the block with this index was found in the text or Markdown of the page. */
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
  // A table is split only if each line of its Markdown and of its text is a row.
  if (!table || table.rows.length <= LONG_TABLE_ROWS || texts.length !== table.rows.length + 1)
    return [block];
  const { before, rows, after } = table;
  // The parts have about the same length, so that no part is left with only one or two rows.
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

/**
 * Splits a rendered table into its rows and the lines before and after them, which each part repeats. Returns
 * `undefined` for other markup.
 */
function tableLines(markdown: string): { before: string[]; rows: string[]; after: string[] } | undefined {
  const lines = markdown.split('\n');
  if (countDelimiterColumns(lines[1] ?? '') > 0) {
    return { before: lines.slice(0, 2), rows: lines.slice(2), after: [] };
  }
  const [first, last] = [lines.indexOf('<tbody>') + 1, lines.lastIndexOf('</tbody>')];
  if (lines[0] !== '<table>' || first === 0 || last < first) return undefined;
  return { before: lines.slice(0, first), rows: lines.slice(first, last), after: lines.slice(last) };
}
