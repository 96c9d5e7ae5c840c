import type { Block } from '#src/documents/document.ts';
import { delimiterColumns, rowCells } from './table-rows.ts';

const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };

/** Returns the cells of a Markdown or HTML table by row, header row first. */
export function blockRows({ markdown }: Pick<Block, 'markdown'>): string[][] {
  return markdown.trimStart().startsWith('<table') ? htmlRows(markdown) : pipeRows(markdown);
}

const pipeRows = (markdown: string): string[][] =>
  markdown
    .split('\n')
    .filter((line, at) => line.trim() !== '' && !(at === 1 && delimiterColumns(line) > 0))
    .map((line) => rowCells(line).map(withLines));

function htmlRows(html: string): string[][] {
  return html
    .split('</tr>')
    .map((row) =>
      row
        .split(/<t[hd]>/)
        .slice(1)
        .map(cellOf),
    )
    .filter((cells) => cells.length > 0);
}

const cellOf = (rest: string) =>
  withLines(rest.slice(0, rest.lastIndexOf('</t'))).replace(
    /&(?:amp|lt|gt|quot);/g,
    (each) => ENTITIES[each]!,
  );

const withLines = (cell: string) => cell.replaceAll('<br>', '\n');
