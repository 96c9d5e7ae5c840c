/**
 * Tables reconstructed from text alone, for engines without table detection. Rows are lines, and gaps
 * separate cells.
 */
export type Grid = string[][];

interface TextItem {
  str?: string;
  width?: number;
  height?: number;
  /** Transformation matrix. The last two numbers are the position of the baseline's start. */
  transform?: number[];
}

/** Minimum gap between cells, as a multiple of the letter height. */
const GAP = 1;
/** Maximum vertical distance of items in one line, as a share of the letter height. */
const LINE = 0.5;

/**
 * Builds tables from the items of pdf.js, from top to bottom. Each cell is assigned to the column of the
 * nearest cell in the widest line.
 */
export function buildTablesFromItems(items: readonly TextItem[]): Grid[] {
  const placed = items
    .filter(({ str, transform }) => transform && str?.trim())
    .map(({ str = '', width = 0, height = 0, transform = [] }) => ({
      ...{ text: str, width, height },
      ...{ x: transform[4] ?? 0, y: transform[5] ?? 0 },
    }))
    .sort((a, b) => b.y - a.y || a.x - b.x);
  const lines: (typeof placed)[] = [];
  for (const item of placed) {
    const line = lines.at(-1);
    if (line && Math.abs(line[0]!.y - item.y) < LINE * item.height) line.push(item);
    else lines.push([item]);
  }
  const cells = lines.map((line) => {
    const row: { text: string; x: number }[] = [];
    let end = Number.NEGATIVE_INFINITY;
    for (const item of line.toSorted((a, b) => a.x - b.x)) {
      const last = row.at(-1);
      if (last && item.x - end < GAP * item.height) {
        last.text += (item.x - end > 0.1 * item.height ? ' ' : '') + item.text;
      } else row.push({ text: item.text, x: item.x });
      end = item.x + item.width;
    }
    return row;
  });
  return splitIntoRuns(cells).map((run) => {
    const widest = run.reduce((most, row) => (row.length > most.length ? row : most));
    return run.map((row) => {
      const line: string[] = widest.map(() => '');
      for (const { text, x } of row) {
        const distances = widest.map((cell) => Math.abs(cell.x - x));
        const at = distances.indexOf(Math.min(...distances));
        line[at] = [line[at], text].filter(Boolean).join(' ');
      }
      return line;
    });
  });
}

/**
 * Builds tables from plain text, which does not distinguish gaps from spaces. Every space separates cells,
 * and consecutive lines with the same number of cells form a table.
 */
export function buildTablesFromText(text: string): Grid[] {
  const rows = text.split(/\r?\n/).map((line) => line.split(/\s+/).filter(Boolean));
  const tables: Grid[] = [];
  let before: string[] = [];
  for (const row of rows) {
    if (row.length > 1 && row.length === before.length) tables.at(-1)!.push(row);
    else tables.push([row]);
    before = row;
  }
  return tables.filter((table) => table.length > 1);
}

function splitIntoRuns<Cell>(lines: readonly Cell[][]): Cell[][][] {
  const runs: Cell[][][] = [[]];
  for (const line of lines) {
    if (line.length > 1) runs.at(-1)!.push(line);
    else runs.push([]);
  }
  return runs.filter((run) => run.length > 1);
}
