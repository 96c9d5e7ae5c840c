/** Tables of text alone, as one makes them of an engine without any: rows are lines, cells what gaps part. */
export type Grid = string[][];

interface TextItem {
  str?: string;
  width?: number;
  height?: number;
  /** Where its baseline begins is in the last two. */
  transform?: number[];
}

/** A gap as wide as the letters are high parts cells. */
const GAP = 1;
/** Share of a letter's height by which items of one line are higher or lower. */
const LINE = 0.5;

/** Lines of pdf.js's items, top to bottom. A cell begins where the nearest of the widest line's cells begins. */
export function tablesOfItems(items: readonly TextItem[]): Grid[] {
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
  return runsOf(cells).map((run) => {
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

/** Plain text tells no gap from a blank: every blank parts cells, and a line of as many cells as its neighbour is a row. */
export function tablesOfText(text: string): Grid[] {
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

function runsOf<Cell>(lines: readonly Cell[][]): Cell[][][] {
  const runs: Cell[][][] = [[]];
  for (const line of lines) {
    if (line.length > 1) runs.at(-1)!.push(line);
    else runs.push([]);
  }
  return runs.filter((run) => run.length > 1);
}
