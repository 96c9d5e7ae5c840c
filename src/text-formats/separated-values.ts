import { ParseError } from '#src/documents/errors.ts';

/**
 * Maximum number of cells in a table. A table of this size takes about 80 MiB of memory (`npm run
 * bench:parse-limits`).
 */
const MAX_CELLS = 300_000;

/**
 * Parses delimited text, such as CSV, into rows of fields. A quoted field may contain line breaks, and two
 * quotes stand for one. Empty rows are left out unless `keepEmptyRows` is set.
 */
export function readDelimited(
  text: string,
  separator: string,
  { keepEmptyRows = false }: { keepEmptyRows?: boolean } = {},
): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cells = 0;
  let at = 0;
  const endRow = () => {
    if (keepEmptyRows || row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
  };
  while (at <= text.length) {
    let field = '';
    if (text[at] === '"') {
      let from = at + 1;
      for (;;) {
        const quote = text.indexOf('"', from);
        const end = quote < 0 ? text.length : quote;
        field += text.slice(from, end);
        at = end + 1;
        if (text[at] !== '"') break;
        field += '"';
        from = at + 1;
      }
    }
    let end = at;
    while (end < text.length && text[end] !== separator && text[end] !== '\n') end++;
    row.push(field + text.slice(at, end));
    if (++cells > MAX_CELLS) {
      throw new ParseError('DOCUMENT_TOO_LARGE', `The file has more than ${MAX_CELLS} cells.`);
    }
    if (end >= text.length || text[end] === '\n') endRow();
    at = end + 1;
  }
  return rows;
}
