import type { SheetFormulas } from '#src/parsing/document.ts';
import type { Flow } from '#src/parsing/flow/flow.ts';
import type { ParseParameters } from '#src/parsing/parameters.ts';
import { type SparseRows, sheetRegions } from './regions.ts';

const DEFAULT_NAME = /^(?:sheet|feuil(?:le)?|tabelle|hoja|foglio|blad|planilha|лист|工作表|シート)\s*\d*$/i;

const cell = (text: string) => ({ text, markdown: text });
const filled = (row: readonly string[]) => row.filter((text) => text !== '');

/** A sheet as one page: its name, then its regions as tables; lone cells above a table are its titles. */
export function writeSheet(
  flow: Flow,
  name: string,
  cells: SparseRows,
  parameters: ParseParameters,
  formulas?: SheetFormulas,
): void {
  const setting = parameters.spreadsheet_extract_sub_tables;
  const regions = sheetRegions(cells, setting === true ? 'cells' : setting === false ? 'whole' : 'rows');
  const first = regions[0]?.[0] ? filled(regions[0][0]) : [];
  const guess = parameters.guess_xlsx_sheet_name && DEFAULT_NAME.test(name) && first.length === 1;
  const label = guess ? first[0]! : name;
  const page = flow.startPage({ label });
  if (formulas && formulas.computed + formulas.stored + formulas.notComputed.length > 0)
    page.formulas = formulas;
  flow.heading(2, [{ text: label }]);
  for (const region of regions) {
    const width = region[0]?.length ?? 0;
    let titles = 0;
    while (
      titles < region.length &&
      (width === 1 ? region.length === 1 : filled(region[titles]!).length === 1)
    )
      titles++;
    for (const row of region.slice(0, titles)) flow.paragraph([{ text: filled(row)[0]! }]);
    const rows = region.slice(titles);
    if (rows.length > 0) flow.table(rows.map((row) => row.map(cell)));
  }
}
