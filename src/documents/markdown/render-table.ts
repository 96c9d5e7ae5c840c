/** Options for rendering tables, used by all parsers. */

export interface TableOptions {
  /** True to omit spaces that only align cells, which saves tokens. */
  compact?: boolean | null | undefined;
  /** True to render tables as HTML instead of Markdown. */
  html?: boolean | null | undefined;
  /** Text that separates the lines of a header cell in Markdown. The default is `<br>`. */
  headerSeparator?: string | null | undefined;
}

const HTML_ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => HTML_ENTITIES[character] ?? character);
}

const LINE_BREAKS = /[\r\n]+/g;
const escapePipes = (text: string) => text.replace(/\\(?=\|)/g, '\\\\').replace(/\|/g, '\\|');

/**
 * Returns the content of a Markdown table cell on one line. Pipes are escaped, and line breaks are replaced
 * by `separator`.
 */
export function escapeTableCell(text: string, separator = '<br>'): string {
  const lines = text.trim().split(LINE_BREAKS);
  return escapePipes(lines.map((line) => line.trim()).join(separator));
}

function htmlTable(rows: string[][], columns: number): string {
  const line = (row: string[], tag: 'th' | 'td') => {
    const cells = Array.from({ length: columns }, (_, column) => {
      const text = escapeHtml((row[column] ?? '').trim()).replace(/[\r\n]+/g, '<br>');
      return `<${tag}>${text}</${tag}>`;
    });
    return `<tr>${cells.join('')}</tr>`;
  };
  const [header = [], ...body] = rows;
  const rowsBelow = body.length > 0 ? ['<tbody>', ...body.map((row) => line(row, 'td')), '</tbody>'] : [];
  return ['<table>', '<thead>', line(header, 'th'), '</thead>', ...rowsBelow, '</table>'].join('\n');
}

/**
 * Renders a table whose first row is the header row. Missing cells are left blank. Returns '' for a table
 * without columns.
 */
export function renderTable(rows: string[][], options: TableOptions = {}): string {
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 0);
  if (columns === 0) return '';
  if (options.html) return htmlTable(rows, columns);

  // A line break in the separator would end the table row, so it becomes a space.
  const inHeader = options.headerSeparator?.replace(LINE_BREAKS, ' ');
  const cells = rows.map((row, at) =>
    Array.from({ length: columns }, (_, column) =>
      escapeTableCell(row[column] ?? '', at === 0 ? inHeader : undefined),
    ),
  );
  const [header = [], ...body] = cells;
  if (options.compact) {
    const line = (row: string[]) => `|${row.join('|')}|`;
    return [line(header), `|${'---|'.repeat(columns)}`, ...body.map(line)].join('\n');
  }
  const widths = header.map((_, column) =>
    Math.min(
      40,
      cells.reduce((widest, row) => Math.max(widest, row[column]!.length), 3),
    ),
  );
  const line = (row: string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [line(header), rule, ...body.map(line)].join('\n');
}
