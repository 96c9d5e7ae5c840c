import { parseDocument } from 'htmlparser2';
import { measureSimilarity } from './measures.ts';

/** A cell with the rows and columns that it covers. The upper bounds are exclusive. */
interface Cell {
  text: string;
  isHeading: boolean;
  rows: [number, number];
  columns: [number, number];
}

type Table = (Cell | undefined)[][];

/** Check of a table: the text of a cell, and texts of cells around it. */
export interface TableCheck {
  cell: string;
  up?: string;
  down?: string;
  left?: string;
  right?: string;
  top_heading?: string;
  left_heading?: string;
  max_diffs?: number;
}

/** Minimum similarity of texts that count as equal, however many differences a check allows. */
const LOWEST_SIMILARITY = 0.5;

const SEPARATOR = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

/** Reads the tables of a page, both Markdown and HTML. */
export function readTables(markdown: string): Table[] {
  return [...readMarkdownTables(markdown), ...readHtmlTables(markdown)];
}

function readMarkdownTables(markdown: string): Table[] {
  const lines = markdown.split('\n');
  const tables: Table[] = [];
  for (const [at, line] of lines.entries()) {
    if (!SEPARATOR.test(line) || !line.includes('|') || !lines[at - 1]?.includes('|')) continue;
    let end = at + 1;
    while (lines[end]?.includes('|')) end++;
    const rows = [lines[at - 1]!, ...lines.slice(at + 1, end)].map(splitRow);
    tables.push(
      rows.map((cells, row) =>
        cells.map((text, column) => ({
          text,
          isHeading: row === 0 || column === 0,
          rows: [row, row + 1],
          columns: [column, column + 1],
        })),
      ),
    );
  }
  return tables;
}

function splitRow(line: string): string[] {
  const cells = line
    .trim()
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split(/(?<!\\)\|/);
  return cells.map((cell) => cell.trim().replaceAll('\\|', '|'));
}

type HtmlNode = ReturnType<typeof parseDocument>['children'][number];

function readHtmlTables(markdown: string): Table[] {
  const found = markdown.matchAll(/<table[\s>][\s\S]*?<\/table>/gi);
  return [...found].map(([source]) => readHtmlTable(source));
}

function readHtmlTable(source: string): Table {
  const table: Table = [];
  let row = -1;
  const visit = (node: HtmlNode, isHead: boolean): void => {
    if (!('children' in node)) return;
    const name = 'name' in node ? node.name : '';
    if (name === 'tr') table[++row] ??= [];
    if (name === 'td' || name === 'th') {
      place(node, isHead || name === 'th');
      return;
    }
    for (const child of node.children) visit(child as HtmlNode, isHead || name === 'thead');
  };
  const place = (node: HtmlNode, isHeading: boolean): void => {
    const attributes = 'attribs' in node ? node.attribs : {};
    const [height, width] = [Number(attributes.rowspan ?? 1), Number(attributes.colspan ?? 1)];
    const line = table[row] ?? [];
    table[row] = line;
    let column = 0;
    while (line[column]) column++;
    const cell: Cell = {
      text: readText(node).replace(/\s+/g, ' ').trim(),
      isHeading,
      rows: [row, row + height],
      columns: [column, column + width],
    };
    for (let y = row; y < row + height; y++) {
      table[y] ??= [];
      for (let x = column; x < column + width; x++) table[y]![x] = cell;
    }
  };
  for (const node of parseDocument(source).children) visit(node, false);
  return table;
}

function readText(node: HtmlNode): string {
  if ('data' in node) return node.data;
  return 'children' in node ? node.children.map((child) => readText(child as HtmlNode)).join(' ') : '';
}

/** Returns true if a cell of the tables has the text of the check and the neighbours that it names. */
export function passesTableCheck(
  tables: readonly Table[],
  check: TableCheck,
  prepare: (text: string) => string,
) {
  const isSimilar = (text: string, wanted: string) => {
    const least = Math.max(LOWEST_SIMILARITY, 1 - (check.max_diffs ?? 0) / Math.max(1, wanted.length));
    return measureSimilarity(prepare(text).trim(), prepare(wanted).trim()) >= least;
  };
  return tables.some((table) =>
    [...new Set(table.flat())].some(
      (cell) => cell && isSimilar(cell.text, check.cell) && hasNeighbours(table, cell, check, isSimilar),
    ),
  );
}

function hasNeighbours(
  table: Table,
  cell: Cell,
  check: TableCheck,
  isSimilar: (text: string, wanted: string) => boolean,
): boolean {
  const rows = Array.from({ length: cell.rows[1] - cell.rows[0] }, (_, at) => cell.rows[0] + at);
  const columns = Array.from({ length: cell.columns[1] - cell.columns[0] }, (_, at) => cell.columns[0] + at);
  const neighbours: Record<string, (Cell | undefined)[]> = {
    up: columns.map((column) => table[cell.rows[0] - 1]?.[column]),
    down: columns.map((column) => table[cell.rows[1]]?.[column]),
    left: rows.map((row) => table[row]?.[cell.columns[0] - 1]),
    right: rows.map((row) => table[row]?.[cell.columns[1]]),
    top_heading: columns.flatMap((column) => findHeadings(walk(cell.rows[0], (row) => table[row]?.[column]))),
    left_heading: rows.flatMap((row) =>
      findHeadings(walk(cell.columns[0], (column) => table[row]?.[column])),
    ),
  };
  return Object.entries(neighbours).every(([name, cells]) => {
    const wanted = check[name as keyof TableCheck];
    return typeof wanted !== 'string' || cells.some((each) => each && isSimilar(each.text, wanted));
  });
}

/** Returns the cells before a position, beginning with the nearest one. */
const walk = (from: number, get: (at: number) => Cell | undefined): Cell[] =>
  Array.from({ length: from }, (_, at) => get(from - 1 - at)).filter((cell) => cell !== undefined);

/** Returns the heading cells of a walk. If none is marked as a heading, the last filled cell stands for it. */
function findHeadings(cells: readonly Cell[]): Cell[] {
  const headings = cells.filter(({ isHeading, text }) => isHeading && text !== '');
  return headings.length > 0 ? headings : cells.filter(({ text }) => text !== '').slice(-1);
}
