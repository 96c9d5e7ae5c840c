import type { Block } from '#src/documents/document.ts';
import { countDelimiterColumns, splitRowCells } from './table-rows.ts';

const ENTITIES: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };

/** Returns the cells of a Markdown or HTML table by row, starting with the header row. */
export function blockRows({ markdown }: Pick<Block, 'markdown'>): string[][] {
  return markdown.trimStart().startsWith('<table') ? htmlRows(markdown) : pipeRows(markdown);
}

const pipeRows = (markdown: string): string[][] =>
  markdown
    .split('\n')
    .filter((line, at) => line.trim() !== '' && !(at === 1 && countDelimiterColumns(line) > 0))
    .map((line) => splitRowCells(line).map(restoreLineBreaks));

function htmlRows(html: string): string[][] {
  return html
    .split('</tr>')
    .map((row) =>
      row
        .split(/<t[hd]>/)
        .slice(1)
        .map(readHtmlCell),
    )
    .filter((cells) => cells.length > 0);
}

const readHtmlCell = (rest: string) =>
  restoreLineBreaks(rest.slice(0, rest.lastIndexOf('</t'))).replace(
    /&(?:amp|lt|gt|quot);/g,
    (each) => ENTITIES[each]!,
  );

const restoreLineBreaks = (cell: string) => cell.replaceAll('<br>', '\n');
