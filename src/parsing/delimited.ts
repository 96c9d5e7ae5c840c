import { decodeText } from './encoding.ts';
import { ParseError } from './errors.ts';
import { finishDocument } from './finish.ts';
import { Flow } from './flow/flow.ts';
import type { Parser } from './parser.ts';

/** Takes about 80 MiB (npm run bench:parse-limits). */
const MAX_CELLS = 300_000;

/** Fields may be quoted, quotes are doubled inside, and a quoted field may hold line breaks. */
export function readDelimited(text: string, separator: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cells = 0;
  let at = 0;
  const endRow = () => {
    if (row.length > 1 || row[0] !== '') rows.push(row);
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

/** The separator that splits the first lines most evenly. */
function guessSeparator(text: string, fallback: string): string {
  const lines = text
    .slice(0, 16_384)
    .replace(/"[^"]*"/g, '')
    .split('\n')
    .filter(Boolean)
    .slice(0, 30);
  let best = { separator: fallback, score: 0 };
  for (const separator of [fallback, ',', '\t', ';', '|']) {
    const counts = lines.map((line) => line.split(separator).length - 1);
    const first = counts[0] ?? 0;
    const score = counts.filter((count) => count > 0 && count === first).length * Math.min(first, 10);
    if (score > best.score) best = { separator, score };
  }
  return best.separator;
}

/** Comma-, semicolon-, pipe- or tab-separated values as one table. */
export function delimitedParser(fallback: ',' | '\t'): Parser {
  return {
    async open({ bytes, parameters }) {
      const decoded = decodeText(bytes).text.replace(/\r\n?/g, '\n');
      const declared = /^sep=(.)\n/i.exec(decoded);
      const text = declared ? decoded.slice(declared[0].length) : decoded;
      const rows = readDelimited(text, declared?.[1] ?? guessSeparator(text, fallback));
      const flow = new Flow(parameters);
      flow.table(rows.map((row) => row.map((cell) => ({ text: cell.trim(), markdown: cell.trim() }))));
      return finishDocument(flow);
    },
  };
}
