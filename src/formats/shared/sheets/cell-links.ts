/** Link targets of a sheet's cells, by row and column. */
export type CellLinks = Map<number, Map<number, string>>;

export function addCellLink(links: CellLinks, row: number, column: number, url: string): void {
  const columns = links.get(row) ?? new Map<number, string>();
  columns.set(column, url);
  links.set(row, columns);
}

const ADDRESS = /^[a-z][a-z0-9+.-]*:/i;

/**
 * Returns the URL of a formula such as `HYPERLINK("https://…"; …)`. Returns `undefined` if the URL is
 * computed or points to a place inside the file.
 */
export function parseHyperlinkFormula(formula: string): string | undefined {
  const written = /^(?:of:)?=?\s*HYPERLINK\(\s*"((?:[^"]|"")*)"/i.exec(formula)?.[1]?.replaceAll('""', '"');
  return written !== undefined && ADDRESS.test(written) ? written : undefined;
}
