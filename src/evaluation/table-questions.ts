import { detectLanguage } from '#src/languages/detect.ts';
import type { GeneratedQuestion } from './generate.ts';

const MAX_LABEL_CHARACTERS = 60;
const MAX_LABEL_WORDS = 8;
const MAX_PASSAGE_CHARACTERS = 300;

/** Questions about a cell by language. Labels are quoted where the grammar of a sentence would change them. */
const QUESTIONS: Readonly<Record<string, (column: string, row: string) => string>> = {
  en: (column, row) => `What is the ${lowerFirst(column)} of ${row}?`,
  de: (column, row) => `Was steht unter „${column}“ bei „${row}“?`,
  fr: (column, row) => `Quelle est la valeur de « ${column} » pour « ${row} » ?`,
  es: (column, row) => `¿Cuál es el valor de «${column}» para «${row}»?`,
};

/** Lower-cases the first letter of a word, but not of an abbreviation. */
const lowerFirst = (text: string): string =>
  text.replace(/^\p{Lu}(?=\p{Ll}|$)/u, (letter) => letter.toLowerCase());

const isTableRow = (line: string | undefined): line is string => line !== undefined && /^\|.*\|$/.test(line);
const isDivider = (line: string | undefined): boolean => line !== undefined && /^\|[\s:|-]+\|$/.test(line);

/** Returns the cells of a row, on one line each and without emphasis. */
const readCells = (line: string): string[] =>
  line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) =>
      cell
        .replace(/<br ?\/?>/gi, ' ')
        .replace(/\\\||[*`]/g, (mark) => (mark === '\\|' ? '|' : ''))
        .trim(),
    );

/**
 * Asks for the second column of Markdown tables. A table is left out if a name of a column or row is missing, repeated
 * or longer than a label. A question with such a name would not be clear.
 */
export function* askForTable(lines: readonly string[], language?: string): Generator<GeneratedQuestion> {
  for (const [at, line] of lines.entries()) {
    if (!isTableRow(line) || !isDivider(lines[at + 1])) continue;
    const header = readCells(line);
    const rows: { line: string; cells: string[] }[] = [];
    for (let row = at + 2; isTableRow(lines[row]); row += 1) {
      rows.push({ line: lines[row]!, cells: readCells(lines[row]!) });
    }
    const names = rows.map(({ cells }) => cells[0] ?? '');
    // The corner of a table is often empty.
    if (!areLabels(header.slice(1)) || !areLabels(names)) continue;
    const code = detectLanguage(lines.join('\n')) ?? language ?? '';
    const ask = QUESTIONS[code] ?? ((column: string, row: string) => `${column}: ${row}?`);
    for (const { line: row, cells } of rows) {
      const [name, value] = cells;
      if (cells.length !== header.length || !name || !value || !/[\p{L}\p{N}]/u.test(value)) continue;
      const text = ask(header[1]!, name);
      yield { text, tag: 'table', passage: row.slice(0, MAX_PASSAGE_CHARACTERS), answer: value };
    }
  }
}

/** Returns whether all names are different short labels. */
function areLabels(names: readonly string[]): boolean {
  const different = new Set(names.map((name) => name.toLowerCase()));
  return names.length > 0 && different.size === names.length && names.every(isLabel);
}

const isLabel = (name: string): boolean =>
  name.length <= MAX_LABEL_CHARACTERS &&
  /\p{L}/u.test(name) &&
  name.split(/\s+/).length <= MAX_LABEL_WORDS &&
  !/[.!?;:]$|:\/\/|[<>[\]{}=]/.test(name);
