import { decodeText } from '#src/text-formats/encoding.ts';
import { readDelimited } from '#src/text-formats/separated-values.ts';
import { finishDocument } from '../shared/flow/finish.ts';
import { Flow } from '../shared/flow/flow.ts';
import type { Parser } from '../shared/parser.ts';
import { writeSheetTables } from '../shared/sheets/write-sheet.ts';

/**
 * Guesses the separator of a table: the character that divides the first lines into the most equal numbers of
 * cells.
 */
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

/** Returns the rows that have a text, with their numbers. */
const toFilledRows = (rows: readonly string[][]): [number, string[]][] =>
  rows.flatMap((row, at): [number, string[]][] => (row.some((cell) => cell !== '') ? [[at, row]] : []));

/**
 * Creates a parser for values separated by commas, semicolons, pipes or tabs. The whole file becomes one
 * table, unless the parse parameters divide sheets into tables. If no separator is found, `fallback` is used.
 */
export function delimitedParser(fallback: ',' | '\t'): Parser {
  return {
    async open({ bytes, plan, budget }) {
      const decoded = decodeText(bytes).text.replace(/\r\n?/g, '\n');
      const declared = /^sep=(.)\n/i.exec(decoded);
      const text = declared ? decoded.slice(declared[0].length) : decoded;
      const separator = declared?.[1] ?? guessSeparator(text, fallback);
      const flow = new Flow(plan, budget);
      if (plan.spreadsheet.divide === 'cells') {
        const cells = readDelimited(text, separator, { keepEmptyRows: true }).map((row) =>
          row.map((cell) => cell.trim()),
        );
        writeSheetTables(flow, new Map(toFilledRows(cells)), 'cells');
        return finishDocument(flow);
      }
      const rows = readDelimited(text, separator);
      flow.table(rows.map((row) => row.map((cell) => ({ text: cell.trim(), markdown: cell.trim() }))));
      return finishDocument(flow);
    },
  };
}
