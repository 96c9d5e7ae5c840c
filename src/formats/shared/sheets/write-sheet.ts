import type { SheetFormulas } from '#src/documents/document.ts';
import type { Flow } from '#src/formats/shared/flow/flow.ts';
import type { Rendered, Run } from '#src/formats/shared/flow/runs.ts';
import type { SpreadsheetPlan } from '#src/parse/plan.ts';
import type { CellRuns } from './cell-runs.ts';
import { findSheetRegions, type SparseRows } from './regions.ts';

const DEFAULT_NAME = /^(?:sheet|feuil(?:le)?|tabelle|hoja|foglio|blad|planilha|лист|工作表|シート)\s*\d*$/i;

export interface ShownSheet {
  name: string;
  cells: SparseRows;
  /** Runs of cells whose text has subscripts or superscripts. */
  rich?: CellRuns | undefined;
  /** Link targets of cells, by row and column. */
  links?: ReadonlyMap<number, ReadonlyMap<number, string>> | undefined;
  formulas?: SheetFormulas | undefined;
}

/**
 * Writes a sheet as one page. The page contains the sheet's name and its regions as tables. Single cells
 * above a table become its titles.
 */
export function writeSheet(flow: Flow, sheet: ShownSheet, plan: SpreadsheetPlan): void {
  const { name, cells, rich, links, formulas } = sheet;
  const found = findSheetRegions(cells, plan.divide);
  const regions = found.map(({ rows, columns }) =>
    rows.map((row) =>
      columns.map(
        (column): SheetCell => ({
          text: cells.get(row)?.[column] ?? '',
          href: links?.get(row)?.get(column),
          runs: rich?.get(row)?.get(column),
        }),
      ),
    ),
  );
  const first = regions[0]?.[0] ? getFilledCells(regions[0][0]) : [];
  const guess = plan.guessSheetName && DEFAULT_NAME.test(name) && first.length === 1;
  const label = guess ? first[0]!.text : name;
  const page = flow.startPage({ label });
  if (formulas && formulas.computed + formulas.stored + formulas.notComputed.length > 0)
    page.formulas = formulas;
  flow.heading(2, [{ text: label }]);
  for (const [at, region] of regions.entries()) {
    // Only without gaps does the place of the first cell tell the places of all cells.
    const place = (y: number, x = 0) =>
      plan.divide === 'cells' ? { row: found[at]!.rows[y]!, column: found[at]!.columns[x]! } : undefined;
    const width = region[0]?.length ?? 0;
    let titles = 0;
    while (
      titles < region.length &&
      (width === 1 ? region.length === 1 : getFilledCells(region[titles]!).length === 1)
    )
      titles++;
    for (const [y, row] of region.slice(0, titles).entries()) {
      const x = row.findIndex(({ text }) => text !== '');
      flow.sheetText(toRuns(row[x]!), place(y, x));
    }
    const rows = region.slice(titles);
    for (const { text, href } of rows.flat())
      if (href !== undefined && text !== '') flow.link({ text, url: href });
    if (rows.length > 0) {
      const rendered = rows.map((row) => row.map((cell) => renderCell(flow, cell)));
      flow.table(rendered, undefined, place(titles));
    }
  }
  for (const [row, column, url] of iterateLinkTargets(links)) {
    if (!cells.get(row)?.[column]) flow.link({ text: url, url });
  }
}

/**
 * Writes the regions of an embedded sheet or of separated values as tables, without a name and without cutting
 * pages.
 */
export function writeSheetTables(flow: Flow, cells: SparseRows, divide: 'rows' | 'cells' = 'rows'): void {
  for (const { rows, columns } of findSheetRegions(cells, divide)) {
    const place = divide === 'cells' ? { row: rows[0]!, column: columns[0]! } : undefined;
    flow.table(
      rows.map((row) =>
        columns.map((column) => {
          const text = cells.get(row)?.[column] ?? '';
          return { text, markdown: text };
        }),
      ),
      undefined,
      place,
    );
  }
}

interface SheetCell {
  text: string;
  href: string | undefined;
  runs: Run[] | undefined;
}

const getFilledCells = (row: readonly SheetCell[]) => row.filter(({ text }) => text !== '');

const toRuns = ({ text, href, runs }: SheetCell): Run[] =>
  runs ? runs.map((run) => ({ ...run, href })) : [{ text, href }];

const renderCell = (flow: Flow, cell: SheetCell): Rendered =>
  cell.href === undefined && cell.runs === undefined
    ? { text: cell.text, markdown: cell.text }
    : flow.render(toRuns(cell), false);

function* iterateLinkTargets(
  links: ShownSheet['links'],
): Generator<[row: number, column: number, url: string]> {
  for (const [row, columns] of links ?? []) for (const [column, url] of columns) yield [row, column, url];
}
