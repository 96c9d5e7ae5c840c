/** Where the cells of a sheet link to, by row and column. */
export type CellLinks = Map<number, Map<number, string>>;

export function addCellLink(links: CellLinks, row: number, column: number, url: string): void {
  const columns = links.get(row) ?? new Map<number, string>();
  columns.set(column, url);
  links.set(row, columns);
}

const ADDRESS = /^[a-z][a-z0-9+.-]*:/i;

/** The address in `HYPERLINK("https://…"; …)`, when it is written out and leads out of the file. */
export function linkOfFormula(formula: string): string | undefined {
  const written = /^(?:of:)?=?\s*HYPERLINK\(\s*"((?:[^"]|"")*)"/i.exec(formula)?.[1]?.replaceAll('""', '"');
  return written !== undefined && ADDRESS.test(written) ? written : undefined;
}
